/** How long each test file takes: printed, kept for the next run, and used to start long files first. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** Milliseconds by file. */
export type Durations = Readonly<Record<string, number>>

interface Recorded {
  /** Part of the time in which the host gave its processors to this machine. */
  readonly processorShare: number
  readonly files: Durations
}

/** The durations of the first file that exists: the last run here, or the ones in the repository. */
export function readDurations(...paths: readonly string[]): Durations {
  for (const path of paths) {
    try {
      return (JSON.parse(readFileSync(path, 'utf8')) as Recorded).files
    } catch {
      // There was no such run.
    }
  }
  return {}
}

/** Adds to the durations of earlier runs, so that a run of one stage keeps the others. */
export function recordDurations(path: string, files: Durations, processorShare: number): void {
  const all = Object.entries({ ...readDurations(path), ...files }).sort(([left], [right]) => (left < right ? -1 : 1))
  mkdirSync(dirname(path), { recursive: true })
  const recorded: Recorded = { processorShare, files: Object.fromEntries(all) }
  writeFileSync(path, `${JSON.stringify(recorded, null, 2)}\n`)
}

/** Longest first, so that no long file runs alone at the end. A file without a duration may be long, and comes before all. */
export function longestFirst(files: readonly string[], durations: Durations): string[] {
  const durationOf = (file: string) => durations[file] ?? Number.POSITIVE_INFINITY
  return [...files].sort((left, right) => {
    const [first, second] = [durationOf(left), durationOf(right)]
    return first === second ? (left < right ? -1 : 1) : second - first
  })
}

/** Lines for the slowest files, and one for the rest. */
export function slowestLines(files: Durations, count: number): string[] {
  const sorted = Object.entries(files).sort(([, left], [, right]) => right - left)
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(7)} s`
  const rest = sorted.slice(count)
  const restMs = rest.reduce((sum, [, ms]) => sum + ms, 0)
  return [
    ...sorted.slice(0, count).map(([file, ms]) => `${seconds(ms)}  ${file}`),
    ...(rest.length > 0 ? [`${seconds(restMs)}  ${rest.length} other files`] : []),
  ]
}
