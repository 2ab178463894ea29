/** One shell for one page: its blocks run in it one after another, as a reader would type them. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import type { Fence } from './markdown.ts'

const root = join(import.meta.dirname, '../..')
const blockSecondsMax = 60

export interface Outcome {
  readonly isFine: boolean
  /** Standard output. */
  readonly printed: string
  /** Standard error. */
  readonly complained: string
  /** Status of every curl call, in order. */
  readonly statuses: readonly number[]
}

export interface Session {
  run(fence: Fence): Promise<Outcome>
  /** Output of every block so far, including running ones. */
  printed(): string
  close(): void
}

export function openSession(variables: Readonly<Record<string, string>>): Session {
  const folder = prepareFolder()
  const shell = startShell(folder, variables)
  const path = (...parts: string[]) => join(folder, '.session', ...parts)
  let count = 0
  return {
    run: async (fence) => {
      count += 1
      const file = save(folder, fence, `block-${count}`)
      const [out, err] = [path(`${count}.out`), path(`${count}.err`)]
      const isFine = await shell.run(`{ ${commandOf(fence, file)}; } < /dev/null > '${out}' 2> '${err}'`)
      const printed = readFileSync(out, 'utf8')
      if (isFine) await shell.run(assignments(printed))
      return { isFine, printed, complained: readFileSync(err, 'utf8'), statuses: takeStatuses(path('answers')) }
    },
    printed: () =>
      readdirSync(path())
        .filter((name) => name.endsWith('.out'))
        .map((name) => readFileSync(path(name), 'utf8'))
        .join('\n'),
    close: () => {
      shell.end()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A folder like a reader's project: our packages can be imported there, and files of the page are saved there. */
function prepareFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'malipo-doc-'))
  for (const name of ['.session/answers', '.session/bin', 'node_modules'])
    mkdirSync(join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules/@malipo'), join(folder, 'node_modules/@malipo'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  // Keeps the response headers of curl, and runs npm in the repository, where a reader would be.
  putInPlace(folder, 'curl', '--dump-header "$DOC_ANSWERS/$(date +%s%N)"')
  putInPlace(folder, 'npm', `--prefix '${root}'`)
  return folder
}

function putInPlace(folder: string, program: string, options: string): void {
  const real = execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim()
  const path = join(folder, '.session/bin', program)
  writeFileSync(path, `#!/bin/sh\nexec '${real}' ${options} "$@"\n`)
  chmodSync(path, 0o755)
}

/** A block with a title is a file to save; the others are run. */
function save(folder: string, { language, options, text }: Fence, name: string): string | undefined {
  const title = options.get('title')
  const extension = language === 'sh' ? 'sh' : language
  const file = join(folder, title ?? `.session/${name}.${extension}`)
  writeFileSync(file, text)
  return title === undefined ? file : undefined
}

function commandOf({ language }: Fence, file: string | undefined): string {
  if (file === undefined) return 'true'
  return language === 'sh' ? `. '${file}'` : `node '${file}'`
}

const idNames = {
  txn: 'TRANSACTION_ID',
  ea: 'EXTERNAL_ACCOUNT_ID',
  wh: 'WEBHOOK_ID',
  we: 'WEBHOOK_ENDPOINT_ID',
} as const

/** The first id of each kind in a response, under its name in the examples. */
function assignments(printed: string): string {
  const found = Object.entries(idNames).map(([prefix, name]) => {
    const [id] = new RegExp(`"${prefix}_[0-9a-f]{32}"`).exec(printed) ?? []
    return id === undefined ? 'true' : `export ${name}=${id}`
  })
  return found.join('; ')
}

/** The first command that fails ends the shell, and with it the page. */
function startShell(folder: string, variables: Readonly<Record<string, string>>) {
  const bins = [join(folder, '.session/bin'), dirname(process.execPath), join(root, 'node_modules/.bin')]
  const env = {
    ...variables,
    PATH: [...bins, process.env['PATH']].join(delimiter),
    HOME: folder,
    NO_COLOR: '1',
    DOC_ANSWERS: join(folder, '.session/answers'),
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(tmpdir(), 'malipo-compiled'),
  }
  const shell = spawn('bash', ['--noprofile', '--norc'], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
  })
  shell.stdin?.on('error', () => undefined) // Seen as a shell that has ended.
  shell.stdin?.write('set -euo pipefail\n')
  return { run: (command: string) => runIn(shell, command), end: () => endGroup(shell) }
}

async function runIn(shell: ChildProcess, command: string): Promise<boolean> {
  const [, , , signals] = shell.stdio
  if (!(signals instanceof Readable) || shell.exitCode !== null) return false
  const over = new AbortController()
  const { signal } = over
  const end = Promise.race([
    once(signals, 'data', { signal }).then(() => true),
    once(shell, 'exit', { signal }).then(() => false),
    pause(blockSecondsMax * 1000, false, { signal }),
  ])
  shell.stdin?.write(`${command}\necho done >&3\n`)
  const isFine = await end
  over.abort()
  return isFine
}

/** The shell and everything it started. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The whole group has ended.
  }
}

function takeStatuses(folder: string): number[] {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), 'utf8')
      rmSync(join(folder, name))
      const last = [...text.matchAll(/^HTTP\/\S+ (\d{3})/gm)].at(-1)
      return Number(last?.[1] ?? 0)
    })
}
