/**
 * Records every statement that a process sends through the driver, with real values. Loaded before the product by
 * `node --import`, with a folder in `STATEMENTS_FOLDER`. The product does not know of it.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { ownerStatements } from '../../packages/server/src/platform/owned-query.ts'

const folderVariable = 'STATEMENTS_FOLDER'

/** One execution of a statement. */
export interface Execution {
  readonly text: string
  /** As PostgreSQL reads them. */
  readonly values: readonly (string | null)[]
  /** The role of its connection. */
  readonly role: string
  /** The statement that names the owner of a read, and sets how it is planned, with its values. */
  readonly owner?: { readonly text: string; readonly values: readonly string[] }
  /** Where it came from, for a text that is not in the source. */
  readonly caller: string
}

const source = join(import.meta.dirname, '../../packages/server/src')

/** Settings of a process that is to be recorded. */
export const captureSettings = (folder: string) => ({
  [folderVariable]: folder,
  NODE_OPTIONS: `--import=${import.meta.url}`,
})

/** Records of one statement in a process: the first ones, and then those with more values. */
const keptMax = 4
const bytesMax = 200_000

/** Records the statements of this process from now on. */
export function capture(folder: string): void {
  Error.stackTraceLimit = 50
  const file = join(folder, `${process.pid}.ndjson`)
  const kept = new Map<string, { count: number; longest: number }>()
  const times = new Map<string, number>()
  process.on('exit', () => {
    if (existsSync(folder)) writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify([...times]))
  })
  const send = pg.Client.prototype.query as (...args: unknown[]) => unknown
  const query = function (this: pg.Client, ...args: unknown[]) {
    const sent = args[0] as { name?: string; text?: string; values?: unknown[] } | string
    if (typeof sent === 'object' && sent.name !== undefined && sent.text !== undefined) note(this, sent.text, sent)
    return send.apply(this, args)
  }
  const note = (client: pg.Client, text: string, sent: { values?: unknown[]; submit?: unknown }) => {
    times.set(text, (times.get(text) ?? 0) + 1)
    const values = (sent.values ?? []).map(literalOf)
    const length = values.reduce((sum, value) => sum + (value?.length ?? 0), 0)
    const { count, longest } = kept.get(text) ?? { count: 0, longest: -1 }
    if (length > bytesMax || (count > 0 && length <= longest) || count >= keptMax) return
    kept.set(text, { count: count + 1, longest: Math.max(length, longest) })
    const { application_name: role = '' } = (client as unknown as { connectionParameters: Record<string, string> })
      .connectionParameters
    const owner = ownerOf(sent)
    const execution: Execution = { text, values, role, ...(owner && { owner }), caller: callerOf() }
    appendFileSync(file, `${JSON.stringify(execution)}\n`)
  }
  pg.Client.prototype.query = query as typeof pg.Client.prototype.query
}

export function readExecutions(folder: string): Execution[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.ndjson'))
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line) as Execution)
}

/** How often processes that have ended executed each text. */
export function readTimes(folder: string): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json')))
    for (const [text, count] of JSON.parse(readFileSync(join(folder, name), 'utf8')) as [string, number][])
      times.set(text, (times.get(text) ?? 0) + count)
  return times
}

/** Lists arrive as literals already. */
function literalOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A read sends the naming of its owner before itself, which the first calls on its connection show. */
function ownerOf(sent: { submit?: unknown }): Execution['owner'] {
  if (typeof sent.submit !== 'function') return undefined
  let bound: { statement: string; values: string[] } | undefined
  const stop = new Error('the owner is known')
  const connection = {
    stream: { cork: () => undefined, uncork: () => undefined },
    bind: (bind: typeof bound) => {
      bound = bind
      throw stop
    },
  }
  try {
    sent.submit.call(sent, connection)
  } catch (error) {
    if (error !== stop) throw error
  }
  const naming = bound && Object.values(ownerStatements).find(({ name }) => name === bound?.statement)
  return naming && bound && { text: naming.text, values: bound.values }
}

/** The first function with a name outside the platform. */
function callerOf(): string {
  const frames = (new Error().stack ?? '').split('\n').flatMap((line) => {
    const [, name = '', url = ''] = /at (?:async )?(?:(\S+) \()?(file:\S+?):\d+:\d+/.exec(line) ?? []
    const path = relative(source, url && fileURLToPath(url))
    return url === '' || path.startsWith('..') || name === '' ? [] : [`${path} ${name}`]
  })
  return frames.find((frame) => !frame.startsWith('platform/')) ?? frames[0] ?? 'unknown'
}

const folder = process.env[folderVariable]
if (folder !== undefined) capture(folder)
