/** Numbers from 0 to 1 that repeat for the same seed (mulberry32), with helpers for tests. */
export interface Random {
  (): number
  /** An integer from 0 up to, and without, `below`. */
  below(below: number): number
  pick<Value>(values: readonly Value[]): Value
}

export function createRandom(seed: number): Random {
  let state = seed
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return Object.assign(next, {
    below,
    pick: <Value>(values: readonly Value[]) => values[below(values.length)] as Value,
  })
}
