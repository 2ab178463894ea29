/** Numbers from 0 to 1 that are the same for the same seed (mulberry32), and what tests make of them. */
export interface Random {
  (): number
  /** A whole number from 0 to below `below`. */
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
