import { readFileSync } from 'node:fs'
import type { Reader } from '../config-values.ts'
import { fileVariable, keyOf, pathFrom, readSettingsFile, type SettingsFile, textOf } from './settings-file.ts'

/** A row of the table of settings. */
export interface Setting<Value> {
  readonly name: string
  readonly about: string
  /** Parses the text, or throws an error that describes the expected value. */
  readonly read: Reader<Value>
  /** Used when the setting is not given. A setting without a fallback is required. */
  readonly fallback?: string
  readonly isSecret?: true
  /** Without that setting this one has no effect, so an invalid value stops nothing: a machine may set it for other programs. */
  readonly usedWith?: Setting<unknown>
}

export type Variables = Readonly<Record<string, string | undefined>>

export interface Sources {
  readonly variables: Variables
  readonly file: SettingsFile | undefined
}

export type Source = 'environment' | 'file' | 'default'

/** A setting as it was found. With a problem there is no value. */
export interface FoundSetting {
  readonly source: Source
  /** Its name where it was found: the variable, or the key in the file. */
  readonly label: string
  readonly text: string
  readonly value: unknown
  readonly problem?: string
  /** The file that holds the secret, where it is one of its own. */
  readonly secretPath?: string
}

export function openSources(variables: Variables): Sources {
  const path = variables[fileVariable]
  return { variables, file: path ? readSettingsFile(path) : undefined }
}

/** The environment wins over the file, and the file over the default. */
export function findSetting(setting: Setting<unknown>, sources: Sources): FoundSetting {
  const { problem, ...found } = findText(setting, sources)
  const isUsed = setting.usedWith === undefined || isSet(findText(setting.usedWith, sources))
  if (isUsed) return problem === undefined ? found : { ...found, problem }
  return { ...found, value: setting.read(setting.fallback ?? '') }
}

const isSet = ({ text, problem }: FoundSetting) => text !== '' || problem !== undefined

function findText(setting: Setting<unknown>, { variables, file }: Sources): FoundSetting {
  const { name, fallback, isSecret } = setting
  const inEnvironment: Layer = {
    ...{ source: 'environment', label: name, labelOfPath: `${name}_FILE` },
    direct: () => variables[name],
    path: () => (isSecret ? variables[`${name}_FILE`] : undefined) || undefined,
  }
  const layers = [inEnvironment, ...(file ? [layerOf(file, setting)] : [])]
  for (const layer of layers) {
    const found = inLayer(layer, setting)
    if (found) return found
  }
  const missing = { source: 'default', label: name, text: fallback ?? '', value: undefined } as const
  if (fallback !== undefined) return { ...missing, value: setting.read(fallback) }
  return {
    ...missing,
    problem: `${name} is required: set it, ${isSecret ? `${name}_FILE with the path of a file that holds it, ` : ''}or ${keyOf(name)} in malipo.toml`,
  }
}

/** One place that may hold a setting, or the path of a file that holds it. Each reads its text, or throws what is wrong with it. */
interface Layer {
  readonly source: Source
  readonly label: string
  readonly labelOfPath: string
  direct(): string | undefined
  path(): string | undefined
}

function layerOf(file: SettingsFile, { name, read, isSecret }: Setting<unknown>): Layer {
  const key = keyOf(name)
  const [value, path] = [file.values.get(key), isSecret && file.values.get(`${key}_file`)]
  return {
    source: 'file',
    label: `${key} in ${file.path}`,
    labelOfPath: `${key}_file`,
    direct: () => (value === undefined ? undefined : textOf(value, read.form ?? 'text')),
    path: () => (path === undefined || path === false ? undefined : pathFrom(file, textOf(path, 'text'))),
  }
}

function inLayer(layer: Layer, { read }: Setting<unknown>): FoundSetting | undefined {
  const { source, label, labelOfPath } = layer
  const found = { source, label, text: '', value: undefined }
  try {
    const [direct, path] = [layer.direct(), layer.path()]
    if (direct === undefined && path === undefined) return undefined
    if (path && direct) throw new Error(`and ${labelOfPath} are both set; remove one`)
    const text = path ? readSecret(path) : (direct ?? '')
    return { ...found, text, value: read(text), ...(path && { secretPath: path }) }
  } catch (error) {
    return { ...found, problem: `${label} ${(error as Error).message}` }
  }
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new Error(`cannot be read from ${path}: ${(error as NodeJS.ErrnoException).code}`)
  }
}

/** A URL without a user, a password or parameters is an address and no secret. */
function isConfidential(value: unknown): boolean {
  if (!value) return false
  const texts = [value].flat().flatMap((text) => String(text).split(','))
  return !texts.every(isAddress)
}

function isAddress(text: string): boolean {
  const entry = text.trim()
  if (!/^\w+:\/\//.test(entry) || !URL.canParse(entry)) return false
  const { username, password, search, hash } = new URL(entry)
  return [username, password, search, hash].every((part) => part === '')
}

/** What is wrong with the file as a whole, whichever settings are read. */
export function fileProblems({ file }: Sources, settings: readonly Setting<unknown>[]): string[] {
  if (!file) return []
  const secrets = settings.filter(({ isSecret }) => isSecret).map(({ name }) => keyOf(name))
  const open = file.isReadByOthers ? secrets.filter((key) => isConfidential(file.values.get(key))) : []
  const exposed = open.map(
    (key) =>
      `${key} in ${file.path} is secret, and every user of this machine can read the file. Run chmod o-r ${file.path}, or move the secret to a file of its own and name it in ${key}_file`,
  )
  return [...file.problems, ...exposed]
}

/** Keys of the file that are not settings: most are misspelt, and what they should set keeps its default. */
export function unknownKeys({ file }: Sources, settings: readonly Setting<unknown>[]): string[] {
  if (!file) return []
  const known = settings.flatMap(({ name, isSecret }) => [keyOf(name), ...(isSecret ? [`${keyOf(name)}_file`] : [])])
  return [...file.values.keys()].filter((key) => !known.includes(key)).map((key) => unknownKey(key, file, known))
}

function unknownKey(key: string, file: SettingsFile, known: readonly string[]): string {
  const meant = keyOf(key)
  const lead = `${key} in ${file.path} is not a setting`
  if (known.includes(meant)) return `${lead}. Write ${meant}`
  const direct = key.replace(/_file$/, '')
  if (known.includes(direct)) return `${lead}: ${direct} is not secret, so it cannot be a file. Write ${direct}`
  return `${lead}. Remove it, or correct its name: docs/reference/config.md lists every one`
}
