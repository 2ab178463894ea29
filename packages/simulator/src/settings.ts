import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Range } from './core.ts'
import type { DialectVariables } from './dialect.ts'

export interface Settings {
  readonly host: string
  readonly port: number
  readonly publicUrl: string
  readonly callbackBase: string
  /** The public host of the service, when callbacks reach it by another address. */
  readonly callbackHost: string
  /** The control API does not exist without one. */
  readonly controlToken: string | undefined
  readonly settleMs: Range
  readonly seed: number
  readonly journal: string | undefined
  readonly endsWithStdin: boolean
  dialect(id: string): DialectVariables
}

export type Variables = Readonly<Record<string, string | undefined>>

const prefix = 'SIMULATOR_'

/** Reads every setting and reports all errors at once. */
export function readSettings(given: Variables): Settings {
  const variables = withOneToken(given)
  const problems: string[] = []
  const read = <Value>(name: string, fallback: string, parse: (text: string) => Value | undefined): Value => {
    const text = variables[prefix + name] || fallback
    const value = parse(text)
    if (value === undefined) problems.push(`${prefix}${name} has an invalid value: "${text}"`)
    return value as Value
  }
  const settings: Settings = {
    host: read('HOST', '127.0.0.1', (text) => text),
    port: read('PORT', '4010', parsePort),
    publicUrl: read('PUBLIC_URL', '', parseBase),
    callbackBase: read('CALLBACK_BASE', '', parseBase),
    callbackHost: read('CALLBACK_HOST', '', parseHost),
    controlToken: variables[`${prefix}CONTROL_TOKEN`] || undefined,
    settleMs: read('SETTLE_MS', '500', parseRange),
    seed: read('SEED', '1', parseWhole),
    journal: variables[`${prefix}JOURNAL`] || undefined,
    endsWithStdin: variables[`${prefix}END_WITH_STDIN`] === '1',
    dialect: (id) => withPrefix(variables, `${prefix}${id.toUpperCase()}_`),
  }
  if (problems.length > 0) throw new Error(problems.join('; '))
  return settings
}

/**
 * One token for everything that has none of its own: the secrets that Malipo's sandbox derives from MALIPO_SIMULATOR_TOKEN.
 * It may come from a file.
 */
function withOneToken(variables: Variables): Variables {
  const path = variables[`${prefix}TOKEN_FILE`]
  const token = path ? readFileSync(path, 'utf8').trim() : variables[`${prefix}TOKEN`]
  if (!token) return variables
  const names = [
    'CONTROL_TOKEN',
    'PAWAPAY_TOKEN',
    'HOUSE_TOKEN',
    'HOUSE_SECRET',
    'FLUTTERWAVE_TOKEN',
    'FLUTTERWAVE_HASH',
  ]
  const encryptionKey = createHash('sha256').update(token).digest('hex').slice(0, 24)
  return {
    ...Object.fromEntries(names.map((name) => [prefix + name, token])),
    [`${prefix}FLUTTERWAVE_ENCRYPTION_KEY`]: encryptionKey,
    ...variables,
  }
}

/** `500` or `50-150`. */
export function parseRange(text: string): Range | undefined {
  const found = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text)
  if (found === null) return undefined
  const min = Number(found[1])
  const max = Number(found[2] ?? found[1])
  return min <= max ? { min, max } : undefined
}

/** An HTTP URL without trailing slashes. An empty text stays empty. */
export function parseBase(text: string): string | undefined {
  if (text === '') return ''
  return /^https?:\/\//.test(text) && URL.canParse(text) ? text.replace(/\/+$/, '') : undefined
}

/** A name or address with its port. An empty text stays empty. */
const parseHost = (text: string) =>
  text === '' || (/^[^/?#@\\]+$/.test(text) && URL.canParse(`http://${text}`)) ? text.toLowerCase() : undefined

const parseWhole = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined)

const parsePort = (text: string) => {
  const port = parseWhole(text)
  return port === undefined || port > 65_535 ? undefined : port
}

function withPrefix(variables: Variables, start: string): DialectVariables {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) =>
      name.startsWith(start) ? [[name.slice(start.length), value]] : [],
    ),
  )
}
