/** Cuts a release: the next version, its section of the changelog, and the manifests. Pure: files in, files out. */

type Level = 'major' | 'minor' | 'patch'
const levels: readonly Level[] = ['patch', 'minor', 'major']

/** One change that users notice, from `changes/<name>.md`: a first line with its level, then the text for the changelog. */
export interface Change {
  readonly level: Level
  readonly text: string
}

export const isChange = (name: string) => name.endsWith('.md') && name !== 'README.md'

export function readChange(path: string, content: string): Change {
  const [first = '', ...rest] = content.trim().split('\n')
  const level = levels.find((each) => each === first.trim())
  const text = rest.join('\n').trim()
  if (level === undefined) throw new Error(`${path} must start with a line major, minor or patch`)
  if (text === '') throw new Error(`${path} must say what changed for users`)
  return { level, text }
}

/** By semantic versioning. Before 1.0 a breaking change raises the minor number. */
export function nextVersion(version: string, changes: readonly Change[]): string {
  if (changes.length === 0) throw new Error('there is nothing to release: changes/ is empty')
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const highest = Math.max(...changes.map(({ level }) => levels.indexOf(level)))
  const level = levels[major === 0 ? Math.min(highest, 1) : highest]
  if (level === 'major') return `${major + 1}.0.0`
  return level === 'minor' ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`
}

const heading = '## Unreleased\n'

/** The text below "Unreleased" and the changes become the section of the version, the most important change first. */
export function cutChangelog(text: string, changes: readonly Change[], version: string, date: string): string {
  const [before, after] = text.split(heading)
  if (before === undefined || after === undefined) throw new Error(`CHANGELOG.md must have a line ${heading.trim()}`)
  const end = after.search(/^## /m)
  const [written, older] = end < 0 ? [after, ''] : [after.slice(0, end), after.slice(end)]
  const sorted = [...changes].sort((left, right) => levels.indexOf(right.level) - levels.indexOf(left.level))
  const items = sorted.map((change) => `- ${change.text.replaceAll('\n', '\n  ')}`)
  const section = [written.trim(), items.join('\n')].filter((part) => part !== '').join('\n')
  return `${before}${heading}\n## ${version}, ${date}\n\n${section}\n${older === '' ? '' : `\n${older}`}`
}

type Manifest = { version?: string; dependencies?: Record<string, string> }

const isOwn = (name: string) => name.startsWith('@malipo/')

function raise(manifest: Manifest, version: string): void {
  manifest.version = version
  for (const name of Object.keys(manifest.dependencies ?? {}).filter(isOwn)) {
    const { dependencies = {} } = manifest
    dependencies[name] = version
  }
}

/** A package.json with the version, also of our packages that it depends on. */
export function raiseManifest(text: string, version: string): string {
  const manifest = JSON.parse(text) as Manifest
  raise(manifest, version)
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** The lock file with the version of the root and of each of our packages; nothing else changes. */
export function raiseLockFile(text: string, version: string): string {
  const lock = JSON.parse(text) as { version: string; packages: Record<string, Manifest> }
  lock.version = version
  for (const [path, entry] of Object.entries(lock.packages))
    if (path === '' || /^packages\/[^/]+$/.test(path)) raise(entry, version)
  return `${JSON.stringify(lock, null, 2)}\n`
}
