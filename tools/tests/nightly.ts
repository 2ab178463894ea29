/** Proofs that are long and rarely find anything: they run every night, and before that only when their sources changed. */
import { execFileSync } from 'node:child_process'

export interface NightlyProof {
  readonly name: string
  readonly file: string
  /** Only these tests of the file, where the others always run. */
  readonly tests?: RegExp
  /** A change here makes the proof due at once. */
  readonly sources: RegExp
  /** Larger sizes for the night. */
  readonly nightly: Readonly<Record<string, string>>
}

export const nightlyProofs: readonly NightlyProof[] = [
  {
    name: 'bugs planted in the ledger',
    file: 'tools/checks/planted-bugs.test.ts',
    sources:
      /^(packages\/server\/(migrations\/|src\/(ledger\/|platform\/(batch|db|connections)|testing\/ledger))|tools\/checks\/planted-bugs)/,
    nightly: {},
  },
  {
    name: 'bugs planted in payments',
    file: 'test/simulation.test.ts',
    tests: /^the simulation finds a planted bug: /,
    sources: /^(packages\/server\/(migrations\/|src\/(payments|ledger|workers|webhooks|platform)\/)|test\/simulation)/,
    nightly: { MALIPO_PROOF_LIVES: '20000' },
  },
  {
    name: 'kills during charges',
    file: 'test/charges-killed.test.ts',
    sources:
      /^(packages\/server\/(migrations\/|src\/(charges|payments|idempotency|providers|workers|platform)\/)|test\/(charges-killed|support\/))/,
    nightly: { MALIPO_PROOF_KILLS: '100' },
  },
  {
    name: 'kills of posting processes',
    file: 'test/ledger-kills.test.ts',
    sources: /^(packages\/server\/(migrations\/|src\/(ledger|platform)\/)|test\/(ledger-kills|support\/))/,
    nightly: { MALIPO_PROOF_KILLS: '1000' },
  },
  {
    name: 'a move to another cluster',
    file: 'test/moved.test.ts',
    sources: /^(packages\/server\/(migrations\/|src\/(ledger|platform|events|dev-stack)\/)|test\/(moved|support\/))/,
    nightly: {},
  },
  {
    name: 'a restore to a second',
    file: 'test/restore.test.ts',
    sources: /^(packages\/server\/(migrations\/|src\/(ledger|platform|dev-stack)\/)|test\/(restore|support\/))/,
    nightly: {},
  },
  {
    name: 'a database that accepts no writes',
    file: 'test/database-unwritable.test.ts',
    sources: /^(packages\/server\/src\/(platform|http|workers|payments)\/|test\/(database-unwritable|support\/))/,
    nightly: {},
  },
  {
    name: 'the SDK as a package',
    file: 'test/sdk-package.test.ts',
    sources: /^(packages\/sdk\/|tools\/sdk\/|package-lock\.json|test\/sdk-package)/,
    nightly: {},
  },
  {
    name: 'the processes of npm run dev and npm run stack',
    file: 'scripts/stack.test.ts',
    sources: /^(scripts\/(dev|stack)|packages\/(simulator\/|server\/src\/(dev-stack\/|main|config)))/,
    nightly: {},
  },
]

/** The proofs that these changes make due. Without a list of changes all are due. */
export function dueProofs(
  changed: readonly string[] | undefined,
  proofs: readonly NightlyProof[] = nightlyProofs,
): readonly NightlyProof[] {
  if (changed === undefined) return proofs
  return proofs.filter(({ file, sources }) => changed.some((path) => path === file || sources.test(path)))
}

/**
 * Every path that differs from the base, committed or not. The base is the given commit; or where the branch left origin/main; or,
 * on main itself, the last commit that a nightly run has surely seen. Undefined if git cannot say, as in a shallow clone.
 */
export function changedPaths(root: string, base: string | undefined): string[] | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const from = base ?? branchPoint(git)
    const paths = [git('diff', '--name-only', '--no-renames', from), git('ls-files', '--others', '--exclude-standard')]
    return paths.flatMap((list) => list.split('\n')).filter((path) => path !== '')
  } catch {
    return undefined
  }
}

function branchPoint(git: (...args: string[]) => string): string {
  const point = git('merge-base', 'HEAD', 'origin/main')
  if (point !== git('rev-parse', 'HEAD')) return point
  const seen = git('rev-list', '-1', `--before=${Number(git('show', '-s', '--format=%ct')) - nightSeconds}`, 'HEAD')
  if (seen === '') throw new Error('every commit is newer than the last nightly run may be')
  return seen
}

/** The age of a commit that is in the last nightly run, which starts once a day and may be late. */
const nightSeconds = 26 * 3600
