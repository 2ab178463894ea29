/** Result of a workload: figures with their unit in the name, and ratios of two sides of the same run. */
export interface Measured {
  readonly figures: Readonly<Record<string, number>>
  readonly ratios: Readonly<Record<string, number>>
}

/** Combines the results of the parts of a workload. */
export function merged(parts: readonly Measured[]): Measured {
  return {
    figures: Object.assign({}, ...parts.map(({ figures }) => figures)),
    ratios: Object.assign({}, ...parts.map(({ ratios }) => ratios)),
  }
}

export type Bench = (print: (line: string) => void) => Promise<Measured>

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Rounded to three significant digits. */
export const rounded = (value: number) => Number(value.toPrecision(3))

/** Measures two sides in turn, so that a slow moment of the machine affects both, and returns the median of their ratios. */
export async function inPairs(
  rounds: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  print: (line: string) => void,
): Promise<{ ours: number; theirs: number; ratio: number }> {
  const pairs: { ours: number; theirs: number }[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const pair = { ours: await ours(), theirs: await theirs() }
    print(
      `round ${round}: ${rounded(pair.ours)} against ${rounded(pair.theirs)}, ratio ${rounded(pair.ours / pair.theirs)}`,
    )
    pairs.push(pair)
  }
  return {
    ours: median(pairs.map((pair) => pair.ours)),
    theirs: median(pairs.map((pair) => pair.theirs)),
    ratio: median(pairs.map((pair) => pair.ours / pair.theirs)),
  }
}
