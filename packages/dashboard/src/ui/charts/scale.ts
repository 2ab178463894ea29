import { nice, ticks } from 'd3-array'

export interface Scale {
  (value: number): number
  readonly invert: (place: number) => number
  readonly ticks: (count: number) => number[]
}

type Range = readonly [number, number]

/** Values to places on the screen, evenly. d3-scale does this too, with 13 kB of colours and formats that no chart here uses. */
export function linear([low, high]: Range, [start, end]: Range): Scale {
  const perUnit = high === low ? 0 : (end - start) / (high - low)
  const placeOf = (value: number) => start + (value - low) * perUnit
  return Object.assign(placeOf, {
    invert: (place: number) => (perUnit === 0 ? low : low + (place - start) / perUnit),
    ticks: (count: number) => ticks(low, high, count),
  })
}

/** The same, with the values widened to round ones. */
export const niceLinear = ([low, high]: Range, range: Range, count: number): Scale =>
  linear(nice(low, high, count), range)
