/** Chance that a seed decides: the same seed gives the same demo. */
export interface Chance {
  /** From 0 to 1, without 1. */
  next(): number
  /** A whole number between both, inclusive. */
  between(min: number, max: number): number
  pick<Item>(items: readonly Item[]): Item
  /** An item by its weight. */
  weigh<Item>(items: readonly (readonly [Item, number])[]): Item
}

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  const next = () => {
    // Mulberry32: small, and good enough for data that looks alive.
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    between,
    pick: (items) => items[between(0, items.length - 1)] as (typeof items)[number],
    weigh: (items) => {
      let left = next() * items.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [item, weight] of items) {
        left -= weight
        if (left < 0) return item
      }
      return (items.at(-1) as (typeof items)[number])[0]
    },
  }
}
