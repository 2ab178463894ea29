import { existsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { findDevFolder } from './dev-stack.ts'
import { guide } from './guide.ts'
import { responseStatus } from './options.ts'
import { isOwnFile, safeReading } from './private-file.ts'
import { addRequestLogCommand } from './request-log.ts'
import type { Formatter } from './table.ts'

interface Options {
  readonly status?: string
  readonly path?: string
  readonly requestId?: string
  readonly follow?: true
}

/** One line of the service's log. */
type Line = Readonly<Record<string, unknown>>

const everyMs = 200

export function addLogsCommand(program: Command, context: CommandContext, cli: CliEnvironment): void {
  const logs = guide(
    program
      .command('logs')
      .description("Print the service's log in readable form.")
      .argument('[file]', 'log file; - reads standard input; default: the log of npm run dev')
      .option('--status <status>', 'only responses with this status, such as 422 or 5xx', responseStatus)
      .option('--path <part>', 'only requests whose path contains this')
      .option('--request-id <id>', 'only lines of this request')
      .option('--follow', 'print new lines as they are written, until Ctrl-C'),
    {
      note: 'With --json lines are printed unchanged. Successful requests are logged only with MALIPO_LOG_LEVEL=debug.',
      examples: ['malipo logs service.log --status 4xx', 'cat service.log | malipo logs - --path /fiat/payout'],
    },
  )
  addRequestLogCommand(logs, context)
  logs.action(async (file: string | undefined, options: Options) => {
    const isPiped = file === '-' || (file === undefined && cli.input !== undefined)
    const logFile = () => (file === undefined ? devLog(cli) : { path: file, isFound: false })
    for await (const text of linesOf(isPiped ? piped(cli) : partsOf(logFile(), options, cli))) {
      const line = parsed(text)
      if (isWanted(line, options))
        context.printItem(line ?? { message: text }, (format) => (line ? shown(format, line) : text))
    }
  })
}

/** Joins chunks into whole lines; the last line may lack a line break. */
async function* linesOf(parts: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  const decoder = new TextDecoder()
  for await (const part of parts) {
    const lines = (rest + (typeof part === 'string' ? part : decoder.decode(part, { stream: true }))).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}

function piped({ input }: CliEnvironment): AsyncIterable<string | Uint8Array> {
  if (!input)
    throw new CliError(
      'usage',
      'Standard input is empty. Name a file, malipo logs FILE, or pipe one: … | malipo logs -',
    )
  return input
}

interface LogFile {
  readonly path: string
  /** The log that was found, not named: it must be a file of this user, and a link in its place is not followed. */
  readonly isFound: boolean
}

/** A whole file; with --follow also what is appended. A file that became shorter is read from its start again. */
async function* partsOf(file: LogFile, { follow }: Options, { signal }: CliEnvironment) {
  let from = 0
  do {
    const { handle, size } = await openLog(file)
    try {
      if (size < from) from = 0
      if (size > from) {
        const range = { start: from, end: size - 1, autoClose: false }
        yield* handle.createReadStream(range) as AsyncIterable<Uint8Array>
        from = size
      } else if (follow) await pause(everyMs, undefined, signal && { signal }).catch(() => undefined)
    } finally {
      await handle.close()
    }
  } while (follow && !signal?.aborted)
}

function devLog(cli: CliEnvironment): LogFile {
  const folder = findDevFolder(cli)
  if (folder !== undefined && existsSync(join(folder, 'api.log')))
    return { path: join(folder, 'api.log'), isFound: true }
  throw new CliError('usage', 'No log file given, and npm run dev has written none. Run malipo logs FILE.')
}

/** What is checked and measured is the open file: another one in its place is not read. */
async function openLog({ path, isFound }: LogFile): Promise<{ handle: FileHandle; size: number }> {
  try {
    const handle = await open(path, isFound ? safeReading : 'r')
    const found = await handle.stat()
    if (!isFound || isOwnFile(found)) return { handle, size: found.size }
    await handle.close()
  } catch (error) {
    throw new CliError('usage', `${path} cannot be read: ${(error as Error).message}`)
  }
  throw new CliError(
    'usage',
    `${path} cannot be read: it does not belong to you, or it is not a file. Run malipo logs FILE.`,
  )
}

function parsed(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null ? (line as Line) : undefined
  } catch {
    return undefined
  }
}

/** Text that is not a log line, such as a stack trace, is shown unless a filter is set. */
function isWanted(line: Line | undefined, { status, path, requestId }: Options): boolean {
  if (!line) return !(status || path !== undefined || requestId !== undefined)
  return (
    (!status || isOfStatus(status, String(line['status'] ?? ''))) &&
    (path === undefined || String(line['route'] ?? '').includes(path)) &&
    (requestId === undefined || line['requestId'] === requestId)
  )
}

const isOfStatus = (wanted: string, status: string) =>
  wanted.endsWith('xx') ? /^\d{3}$/.test(status) && status[0] === wanted[0] : status === wanted

/** The same on every line of a process, or a number that no person reads. They are in the file, and with --json. */
const unshown = new Set(['role', 'cell', 'version', 'traceId'])

function shown({ paint }: Formatter, line: Line): string {
  const { time = '', level = '', msg = '', method, route, status, durationMs, err, ...others } = line
  const { requestId, merchantId, transactionId, ...facts } = others
  const colour = level === 'error' || level === 'fatal' ? 'red' : level === 'warn' ? 'yellow' : 'dim'
  const request = method === undefined ? [] : [`${method} ${route} ${status} in ${durationMs} ms`]
  const details = Object.entries(facts).flatMap(([name, value]) =>
    unshown.has(name) ? [] : [`${name}: ${plain(value)}`],
  )
  const ids = Object.entries({ merchant: merchantId, transaction: transactionId, request: requestId })
  const named = ids.flatMap(([name, id]) => (id === undefined ? [] : [`${name} ${id}`]))
  const head = `${String(time).slice(11, 23)}  ${paint(colour, String(level).padEnd(5))}  ${paint('bold', String(msg))}`
  return [[head, ...request, ...details, ...named].join('  '), ...errorLines(err)].join('\n')
}

const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function errorLines(err: unknown): string[] {
  if (typeof err !== 'object' || err === null) return []
  const { name = 'Error', message = '', stack = '' } = err as Record<string, unknown>
  return String(stack || `${name}: ${message}`)
    .split('\n')
    .map((line) => `    ${line}`)
}
