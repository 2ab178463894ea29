/** What `npm test` runs: rounds of test files, one after another. */
import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import { needsNoServer } from './imports.ts'
import { type NightlyProof, nightlyProofs } from './nightly.ts'

export interface Round {
  readonly name: string
  readonly files: readonly string[]
  /** Files that run at the same time. */
  readonly atOnce: number
  readonly minutesMax: number
  readonly env?: Readonly<Record<string, string>>
  readonly skip?: readonly RegExp[]
}

const stages = ['pure', 'packages', 'systems', 'nightly'] as const
export type Stage = (typeof stages)[number]
export const isStage = (name: string): name is Stage => (stages as readonly string[]).includes(name)

/** Tests that measure time while processors are scarce. They have the machine to themselves. */
const timed = ['overload', 'under-attack', 'payments-lanes', 'webhooks-slow', 'webhooks-claims'].map((name) =>
  join('test', `${name}.test.ts`),
)

/** Tests that run a checking tool several times, or other tests that need servers. */
const ofSlowTools = ['layers', 'openapi', 'planted-bugs'].map((name) => `tools/checks/${name}.test.ts`)

/**
 * Files of packages wait for timeouts and intervals about as long as they compute: eight of the longest used 199 s of processor time,
 * the database included, in 518 s. So more of them run at once than there are processors.
 */
const packagesAtOnce = 4

/** The rounds of a stage. Of the nightly proofs only the due ones run, except in the nightly stage. */
export function roundsOf(root: string, stage: Stage, due: readonly NightlyProof[]): Round[] {
  const left = nightlyProofs.filter((proof) => !due.includes(proof))
  const leftFiles = left.filter(({ tests }) => tests === undefined).map(({ file }) => file)
  const skip = left.flatMap(({ tests }) => tests ?? [])
  const find = (...patterns: string[]) =>
    patterns
      .flatMap((pattern) => globSync(pattern, { cwd: root }))
      .map((path) => relative(root, join(root, path)))
      .filter((path) => !leftFiles.includes(path))
  const packages = () => find('packages/*/src/**/*.test.ts', 'scripts/**/*.test.ts', 'tools/**/*.test.ts')
  const byStage: Readonly<Record<Stage, () => Round[]>> = {
    pure: () => {
      const all = [...packages(), ...find('test/*/**/*.test.ts')]
      const files = all.filter((file) => needsNoServer(root, file) && !ofSlowTools.includes(file))
      return [{ name: 'tests without servers', files, atOnce: 2, minutesMax: 20 }]
    },
    packages: () => [{ name: 'packages', files: packages(), atOnce: packagesAtOnce, minutesMax: 40 }],
    systems: () => {
      const all = find('test/**/*.test.ts')
      const untimed = all.filter((file) => !timed.includes(file))
      return [
        { name: 'systems', files: untimed, atOnce: 2, minutesMax: 40, skip },
        { name: 'measurements', files: all.filter((file) => timed.includes(file)), atOnce: 1, minutesMax: 20 },
      ]
    },
    nightly: () => nightlyProofs.map(nightlyRound),
  }
  return byStage[stage]()
}

function nightlyRound({ name, file, nightly }: NightlyProof): Round {
  return { name, files: [file], atOnce: 1, minutesMax: 120, env: nightly }
}
