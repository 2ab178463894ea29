/** Promises of earlier versions: from the first version of a series on, nothing in it breaks. */
import { execFileSync } from 'node:child_process'

export const gitIn =
  (root: string) =>
  (...args: string[]): string =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** Versions of different series may break each other's clients, by semantic versioning. */
export function seriesOf(version: string): string {
  const [major = '', minor = ''] = version.split('.')
  return major === '0' ? `0.${minor}` : major
}

/** Nothing was released before 0.2, so nothing is promised. */
const unreleased = '0.1'

/**
 * The commit that set the first version of the current series. It throws in a shallow clone: there the oldest commit present seems
 * to set the version, and every promise would be checked against that one.
 */
export function firstOfSeries(root: string): string | undefined {
  const git = gitIn(root)
  const versionAt = (commit: string) =>
    (JSON.parse(git('show', `${commit}:package.json`)) as { version: string }).version
  const series = seriesOf(versionAt('HEAD'))
  if (series === unreleased) return undefined
  if (git('rev-parse', '--is-shallow-repository').trim() === 'true')
    throw new Error(`the history is shallow, so the first version of ${series} is not known; run git fetch --unshallow`)
  const changes = git('log', '--format=%H', '-G^  "version": ', '--', 'package.json').trim().split('\n')
  return changes.findLast((commit) => seriesOf(versionAt(commit)) === series)
}
