import { createReadStream, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import type { Desk } from './desk.ts'
import { guide } from './guide.ts'
import type { Surroundings } from './surroundings.ts'
import type { Paper } from './table.ts'
import { Trouble } from './trouble.ts'

interface Options {
  readonly status?: RegExp
  readonly path?: string
  readonly requestId?: string
  readonly follow?: true
}

/** A line of the service's log, as much of it as is shown. */
type Line = Readonly<Record<string, unknown>>

const everyMs = 200
/** Where `npm run dev` has its logs, unless MALIPO_FOLDER says otherwise. */
const devFolder = join(import.meta.dirname, '../../../.malipo')

export function addLogsCommand(program: Command, desk: Desk, around: Surroundings): void {
  guide(
    program
      .command('logs')
      .summary("print the service's log readably")
      .description("print the service's log so that a person can read it")
      .argument('[file]', 'what the service wrote; - is what is piped in; left out, that of npm run dev')
      .option('--status <status>', 'only answers with this status, such as 422 or 5xx', statusPattern)
      .option('--path <part>', 'only requests whose path contains this')
      .option('--request-id <id>', 'only what belongs to one request')
      .option('--follow', 'go on as it grows, until Ctrl-C'),
    {
      note: 'With --json the lines come as they were written. A success is logged only where MALIPO_LOG_LEVEL is debug.',
      examples: ['malipo logs service.log --status 4xx', 'cat service.log | malipo logs - --path /fiat/payout'],
    },
  ).action(async (file: string | undefined, options: Options) => {
    const isPiped = file === '-' || (file === undefined && around.input !== undefined)
    for await (const text of linesOf(isPiped ? piped(around) : partsOf(file ?? devLog(around), options, around))) {
      const line = parsed(text)
      if (isWanted(line, options)) desk.tell(line ?? { message: text }, (paper) => (line ? shown(paper, line) : text))
    }
  })
}

function statusPattern(text: string): RegExp {
  if (!/^[1-5](\d\d|xx)$/i.test(text)) throw new InvalidArgumentError('It must be a status such as 422, 4xx or 5xx.')
  return new RegExp(`^${text.toLowerCase().replaceAll('x', '\\d')}$`)
}

/** Whole lines, however they were cut on their way; at the end what is left without a line break. */
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

function piped({ input }: Surroundings): AsyncIterable<string | Uint8Array> {
  if (!input) throw new Trouble('usage', 'Nothing is piped in: malipo logs FILE, or … | malipo logs -.')
  return input
}

/** All of a file; then, where it is followed, what is added, from its start again when it was begun anew. */
async function* partsOf(file: string, { follow }: Options, { signal }: Surroundings) {
  let from = 0
  do {
    const size = sizeOf(file)
    if (size < from) from = 0
    if (size > from) {
      yield* createReadStream(file, { start: from, end: size - 1 }) as AsyncIterable<Uint8Array>
      from = size
    } else if (follow) await pause(everyMs, undefined, signal && { signal }).catch(() => undefined)
  } while (follow && !signal?.aborted)
}

function devLog({ variables }: Surroundings): string {
  const file = join(variables['MALIPO_FOLDER'] || devFolder, 'api.log')
  if (existsSync(file)) return file
  throw new Trouble('usage', 'No log was named, and npm run dev has none here: malipo logs FILE.')
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size
  } catch (error) {
    throw new Trouble('usage', `${file} cannot be read: ${(error as Error).message}`)
  }
}

function parsed(text: string): Line | undefined {
  try {
    const line: unknown = JSON.parse(text)
    return typeof line === 'object' && line !== null ? (line as Line) : undefined
  } catch {
    return undefined
  }
}

/** What is no log line, such as the trace of a crash, is shown unless something is looked for. */
function isWanted(line: Line | undefined, { status, path, requestId }: Options): boolean {
  if (!line) return !(status || path !== undefined || requestId !== undefined)
  return (
    (!status || status.test(String(line['status'] ?? ''))) &&
    (path === undefined || String(line['route'] ?? '').includes(path)) &&
    (requestId === undefined || line['requestId'] === requestId)
  )
}

function shown({ paint }: Paper, line: Line): string {
  const { time = '', level = '', msg = '', method, route, status, durationMs, requestId, err, ...others } = line
  const colour = level === 'error' || level === 'fatal' ? 'red' : level === 'warn' ? 'yellow' : 'dim'
  const request = method === undefined ? [] : [`${method} ${route} ${status} in ${durationMs} ms`]
  const facts = Object.entries(others).map(([name, value]) => `${name}: ${plain(value)}`)
  const id = requestId === undefined ? [] : [`request ${requestId}`]
  const head = `${String(time).slice(11, 23)}  ${paint(colour, String(level).padEnd(5))}  ${paint('bold', String(msg))}`
  return [[head, ...request, ...facts, ...id].join('  '), ...errorLines(err)].join('\n')
}

const plain = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function errorLines(err: unknown): string[] {
  if (typeof err !== 'object' || err === null) return []
  const { name = 'Error', message = '', stack = '' } = err as Record<string, unknown>
  return String(stack || `${name}: ${message}`)
    .split('\n')
    .map((line) => `    ${line}`)
}
