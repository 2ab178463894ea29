import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import type { FileForm } from '../config-values.ts'

/**
 * The variable that names the file of settings. Without it no file is read: a folder in which a command happens to run must not
 * choose its database.
 */
export const fileVariable = 'MALIPO_CONFIG'

/** What malipo.toml holds, before any value is read. */
export interface SettingsFile {
  readonly path: string
  /** By the name of the setting in the file, as `keyOf` writes it. */
  readonly values: ReadonlyMap<string, unknown>
  readonly problems: readonly string[]
  /** Whether users other than its owner and group can read it. */
  readonly isReadByOthers: boolean
}

/** `MALIPO_RATE_LIMIT_LIVE` is `rate_limit_live`, and so is `live` in the table `[rate_limit]`. */
export const keyOf = (name: string): string => name.replace(/^MALIPO_/, '').toLowerCase()

/** Never throws: a file that cannot be used is a problem like any other, and no problem repeats what the file holds. */
export function readSettingsFile(path: string): SettingsFile {
  const nothing = { path, values: new Map(), isReadByOthers: false }
  try {
    const { text, mode } = readWithMode(path)
    const others = process.getuid === undefined ? 0 : mode & 0o007
    const { values, problems } = flatten(parse(text))
    const isWritable = (others & 0o002) !== 0
    const open = isWritable ? [`${path} can be changed by every user of this machine. Run chmod o-w ${path}`] : []
    return {
      path,
      values,
      problems: [...open, ...problems.map(({ key, what }) => `${key} in ${path} ${what}`)],
      isReadByOthers: (others & 0o004) !== 0,
    }
  } catch (error) {
    return { ...nothing, problems: [`${path} ${whyUnusable(error as Error)}`] }
  }
}

/** Of the open file, so that text and mode are of the same file. */
function readWithMode(path: string): { text: string; mode: number } {
  const file = openSync(path, 'r')
  try {
    return { text: readFileSync(file, 'utf8'), mode: fstatSync(file).mode }
  } finally {
    closeSync(file)
  }
}

/** The parser's own message shows the line, which may hold a secret. */
function whyUnusable(error: Error & { code?: string }): string {
  if (!(error instanceof TomlError)) return `cannot be read: ${error.code ?? error.message}. ${fileVariable} names it`
  const what = /redefine/.test(error.message) ? 'sets this key or table a second time' : 'is not TOML here'
  return `${what}: line ${error.line}, column ${error.column}. Write key = "text", key = 5 or key = ["a", "b"], each key once`
}

/** The keys of tables are joined by `_`: a table is only another way to write a name. */
function flatten(document: Readonly<Record<string, unknown>>) {
  const values = new Map<string, unknown>()
  const problems: { readonly key: string; readonly what: string }[] = []
  const add = (table: Readonly<Record<string, unknown>>, parents: readonly string[]): void => {
    for (const [name, value] of Object.entries(table)) {
      const key = [...parents, name].join('_')
      if (isTable(value)) add(value, [...parents, name])
      else if (values.has(key)) problems.push({ key, what: 'is set twice, once in a table. Remove one' })
      else values.set(key, value)
    }
  }
  add(document, [])
  return { values, problems }
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** The same text that the environment would hold. Throws an error that describes the expected type. */
export function textOf(value: unknown, form: FileForm): string {
  if (typeof value === 'string' && form !== 'whole number') return value
  if (Number.isInteger(value) && form.startsWith('whole number')) return String(value)
  if (form === 'list' && Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(',')
  throw new Error(`must be ${formWords[form]}`)
}

const formWords: Readonly<Record<FileForm, string>> = {
  text: 'text in quotes',
  'whole number': 'a whole number without quotes',
  'whole number or text': 'a whole number without quotes, or text in quotes',
  list: 'a list of texts such as ["a", "b"]',
}

/** A path in the file starts at the folder of the file. */
export const pathFrom = (file: SettingsFile, path: string): string => resolve(dirname(file.path), path)
