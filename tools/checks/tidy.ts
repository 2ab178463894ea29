/** Rules about the tree itself. Each is a function from the tree to its complaints, so that a test can plant a violation. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { anchorsOf, linksOf } from '../docs/markdown.ts'
import { gitIn } from './releases.ts'

export interface SourceFile {
  readonly path: string
  readonly text: string
}

const linesMax = 400
const architectureLinesMax = 350

/** Every file in the repository or about to be, except generated ones. */
export function readTree(root: string): SourceFile[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  return listed
    .split('\n')
    .filter((path) => path !== '' && !/(\.(png|ico|webp)$|\/generated\/)/.test(path) && existsSync(join(root, path)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

const isCode = ({ path }: SourceFile) => /\.(ts|tsx|cjs|sql)$/.test(path)
const lineCount = (text: string) => text.split('\n').length - 1

export function longFiles(files: readonly SourceFile[]): string[] {
  const limits = files.map((file) => ({
    ...file,
    max: file.path === 'ARCHITECTURE.md' ? architectureLinesMax : linesMax,
  }))
  return limits
    .filter((file) => (isCode(file) || file.path === 'ARCHITECTURE.md') && lineCount(file.text) > file.max)
    .map(({ path, text, max }) => `${path} has ${lineCount(text)} lines, more than ${max}`)
}

/** Split, so that this file does not match itself. */
const unfinished = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME'].join('|')})\\b`)

export function unfinishedWork(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => path !== 'package-lock.json')
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) =>
          unfinished.test(line) ? [`${path}:${index + 1} is unfinished: ${line.trim()}`] : [],
        ),
    )
}

/** A migration merged after the first version of the series has run somewhere: it must not change. */
export function changedMigrations(root: string, first: string): string[] {
  const git = gitIn(root)
  const folder = 'packages/server/migrations'
  const released = git('ls-tree', '-r', '--name-only', first, '--', folder).trim().split('\n')
  const added = git(
    'log',
    '--diff-filter=A',
    '--no-renames',
    '--format=commit %H',
    '--name-only',
    `${first}..`,
    '--',
    folder,
  )
  let commit = first
  return [...released, ...added.split('\n')].flatMap((line) => {
    if (line.startsWith('commit ')) commit = line.slice('commit '.length)
    if (!line.startsWith(folder)) return []
    const now = existsSync(join(root, line)) ? readFileSync(join(root, line), 'utf8') : undefined
    return now === git('show', `${commit}:${line}`)
      ? []
      : [`${line} is not what was merged; put the change in a new migration`]
  })
}

interface LockedPackage {
  readonly resolved?: string
  readonly link?: true
  readonly hasInstallScript?: true
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** A lock file that names a registry, or lacks the packages of other platforms, breaks `npm ci` on other machines. */
export function lockFileProblems(text: string): string[] {
  const { packages } = JSON.parse(text) as { packages: Record<string, LockedPackage> }
  const entries = Object.entries(packages)
  const hosted = entries
    .filter(([, entry]) => !entry.link && entry.resolved !== undefined)
    .map(([name]) => `${name} names its registry`)
  const scripted = entries
    .filter(([, entry]) => entry.hasInstallScript)
    .map(([name]) => `${name} wants to run a script when installed`)
  const names = new Set(entries.map(([name]) => name.replace(/^.*node_modules\//, '')))
  const missing = entries.flatMap(([name, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((needed) => !names.has(needed))
      .map((needed) => `${name} needs ${needed}, which is missing`),
  )
  return [...hosted, ...scripted, ...missing]
}

/** Links between our own documents resolve, anchors included. */
export function brokenLinks(files: readonly SourceFile[], root: string): string[] {
  const pages = new Map(files.filter(({ path }) => path.endsWith('.md')).map(({ path, text }) => [path, text]))
  return [...pages].flatMap(([path, text]) =>
    linksOf(text)
      .filter((link) => !/^[a-z]+:/.test(link))
      .flatMap((link) => {
        const [target = '', anchor = ''] = link.split('#')
        const there = target === '' ? path : posix.join(posix.dirname(path), target)
        const page = pages.get(there)
        if (page === undefined && !existsSync(join(root, there)))
          return [`${path} links to ${link}, which is not there`]
        const isPlace = anchor === '' || page === undefined || anchorsOf(page).has(anchor)
        return isPlace ? [] : [`${path} links to ${link}, and that page has no such place`]
      }),
  )
}
