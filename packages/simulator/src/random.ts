export interface Random {
  /** At least 0, less than 1. */
  next(): number
  seed(value: number): void
}

/** Mulberry32: small, and the same seed gives the same run. Never used for a secret. */
export function startRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const seedWith = (value: number) => {
    state = value >>> 0
  }
  return { next, seed: seedWith }
}
