import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import { type DevStack, findLastStack, findProjectStack, placeOf } from './dev-stack.ts'
import { originIn } from './options.ts'
import { didYouMean } from './suggest.ts'

/** The URL of a merchant's Malipo, and the key pair for it. */
export interface Profile {
  readonly url: string
  readonly publicKey: string
  readonly apiKey: string
}

/** The profile that a command uses, and its source. */
export interface Access extends Profile {
  readonly source: string
  readonly env: 'live' | 'sandbox'
}

type Profiles = Readonly<Record<string, Profile>>
type Stored = Readonly<Record<string, Partial<Profile> | null>>

export const variableNames = {
  url: 'MALIPO_URL',
  publicKey: 'MALIPO_PUBLIC_KEY',
  apiKey: 'MALIPO_API_KEY',
} as const satisfies Record<keyof Profile, string>

export const environmentOf = (publicKey: string) => (publicKey.startsWith('pk_live_') ? 'live' : 'sandbox')

/**
 * The named profile. Without a name, the first of these: the environment variables, the profile in `MALIPO_PROFILE`, the running
 * stack of `npm run dev` in this project, the profile `default`, the stack of `npm run dev` that was started last on this
 * machine. URL and keys come from one source, so that no source gets the keys of another.
 */
export function findAccess(cli: CliEnvironment, named: string | undefined): Access {
  if (named !== undefined) return accessOf(`profile ${named}`, profileNamed(cli, named))
  const found = fromVariables(cli)
  if (Object.keys(found).length > 0) return accessOf('the environment', completeVariables(found))
  const saved = findSaved(cli)
  if (saved) return accessOf(saved.source, saved.profile)
  throw unconfigured(Object.values(variableNames))
}

function completeVariables({ url, publicKey, apiKey }: Partial<Profile>): Profile {
  if (url && publicKey && apiKey) return { url, publicKey, apiKey }
  const missing = Object.entries({ url, publicKey, apiKey }).flatMap(([key, value]) =>
    value ? [] : [variableNames[key as keyof Profile]],
  )
  throw unconfigured(missing)
}

const unconfigured = (missing: readonly string[]) =>
  new CliError(
    'usage',
    `No key pair is configured: ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not set.\nStart a local stack with npm run dev, run malipo login, or set MALIPO_URL, MALIPO_PUBLIC_KEY and MALIPO_API_KEY${missing.length < 3 ? ' together, since all three come from one source' : ''}.`,
  )

/** The name of the profile that a command uses now; undefined if it uses variables, a stack of `npm run dev`, or nothing. */
export function currentProfile(cli: CliEnvironment, named: string | undefined): string | undefined {
  if (named !== undefined) return named
  const isFromVariables = Object.keys(fromVariables(cli)).length > 0
  return isFromVariables ? undefined : findSaved(cli)?.name
}

/** The URL of Malipo, which may be configured without a key pair. */
export function findUrl(cli: CliEnvironment, named: string | undefined): string {
  const profile = named === undefined ? findSaved(cli)?.profile : profileNamed(cli, named)
  const url = (named === undefined && fromVariables(cli).url) || profile?.url
  const found = originIn(url ?? '')
  if (found === undefined)
    throw new CliError('usage', 'No Malipo URL is configured. Run malipo login, or set MALIPO_URL.')
  return found
}

interface Saved {
  readonly profile: Profile
  readonly source: string
  /** The profile's name, if it is a profile. */
  readonly name?: string
}

/** Where the key pair comes from when no variable sets it. */
function findSaved(cli: CliEnvironment): Saved | undefined {
  const name = currentProfileName(cli)
  const profile = ownProfile(readProfiles(cli), name)
  const saved = profile && { profile, source: `profile ${name}`, name }
  if (cli.variables['MALIPO_PROFILE'] || cli.folder === undefined) return saved
  return ofStack(findProjectStack(cli)) ?? saved ?? ofStack(findLastStack(cli))
}

/** A stack of `npm run dev` is on this machine and has sandbox keys: a file that says otherwise is not its own. */
function ofStack(stack: DevStack | undefined): Saved | undefined {
  const { url = '', publicKey = '', apiKey = '' } = stack ? fromVariables(stack) : {}
  const isLocal = isLoopback(url) && publicKey.startsWith('pk_test_') && apiKey.startsWith('sk_test_')
  return stack && isLocal
    ? { profile: { url, publicKey, apiKey }, source: `npm run dev in ${placeOf(stack)}` }
    : undefined
}

export function isLoopback(url: string): boolean {
  const place = originIn(url)
  return place !== undefined && /^(127(\.\d+){3}|localhost|\[::1\])$/.test(new URL(place).hostname)
}

/** The profile fields that environment variables set. */
export function fromVariables({ variables }: Pick<CliEnvironment, 'variables'>): Partial<Profile> {
  return Object.fromEntries(
    Object.entries(variableNames).flatMap(([key, name]) => (variables[name] ? [[key, variables[name]]] : [])),
  )
}

export const currentProfileName = ({ variables }: CliEnvironment) => variables['MALIPO_PROFILE'] || 'default'

function accessOf(source: string, profile: Profile): Access {
  const url = originIn(profile.url)
  if (url === undefined)
    throw new CliError('usage', `${profile.url} must be a URL without a path, such as http://127.0.0.1:8080.`)
  return { ...profile, url, source, env: environmentOf(profile.publicKey) }
}

function profileNamed(cli: CliEnvironment, name: string): Profile {
  const profiles = readProfiles(cli)
  const profile = ownProfile(profiles, name)
  if (profile) return profile
  const known = Object.keys(profiles)
  const hint = known.length === 0 ? ' No profiles are saved.' : ` Saved profiles: ${known.join(', ')}.`
  throw new CliError(
    'usage',
    `Profile ${name} does not exist.${didYouMean(name, known) || hint} Create it: malipo login --profile ${name}`,
  )
}

/** A name such as `constructor` is not a profile unless the file has it. */
export const ownProfile = (profiles: Profiles, name: string) =>
  Object.hasOwn(profiles, name) ? profiles[name] : undefined

export function pathOfProfiles({ variables }: CliEnvironment): string {
  const { XDG_CONFIG_HOME: configured, HOME, USERPROFILE } = variables
  const home = HOME ?? USERPROFILE
  if (!(configured || home))
    throw new CliError(
      'usage',
      'Neither HOME nor XDG_CONFIG_HOME is set, so profiles cannot be stored. Set one of them.',
    )
  return join(configured || join(home ?? '', '.config'), 'malipo', 'profiles.json')
}

export function readProfiles(cli: CliEnvironment): Profiles {
  return Object.fromEntries(
    Object.entries(readStored(cli)).filter((entry): entry is [string, Profile] => missingFields(entry[1]).length === 0),
  )
}

/** Every profile in the file, also those that lack fields. */
export function readStored(cli: CliEnvironment): Stored {
  const { HOME, USERPROFILE, XDG_CONFIG_HOME } = cli.variables
  if (!(HOME || USERPROFILE || XDG_CONFIG_HOME)) return {}
  const path = pathOfProfiles(cli)
  if (!existsSync(path)) return {}
  try {
    const stored = storedIn(readFileSync(path, 'utf8'))
    warnIfReadable(cli, path)
    return stored
  } catch (error) {
    throw new CliError('usage', `${path} cannot be read: ${(error as Error).message}\nDelete it and run malipo login.`)
  }
}

const warned = new WeakMap<CliEnvironment, Set<string>>()

/** Warns about a file with keys or sessions that others can read. A command reads a file several times, and warns about it once. */
export function warnIfReadable(cli: CliEnvironment, path: string): void {
  const paths = warned.get(cli) ?? new Set()
  warned.set(cli, paths)
  if (paths.has(path) || (statSync(path).mode & 0o077) === 0) return
  paths.add(path)
  cli.writeError(`Other users of this machine can read ${path}. Run chmod 600 on it.\n`)
}

/** The parser's own message would quote the text around the error, which may be an API key. */
function storedIn(text: string): Stored {
  let file: { readonly profiles?: unknown } | null
  try {
    file = JSON.parse(text) as typeof file
  } catch {
    throw new Error('it is not valid JSON.')
  }
  const profiles = file?.profiles
  if (typeof profiles !== 'object' || profiles === null || Array.isArray(profiles))
    throw new Error('it has no "profiles" object.')
  return profiles as Stored
}

/** The fields that a stored profile lacks; a usable profile lacks none. */
export function missingFields(profile: Stored[string]): (keyof Profile)[] {
  const names = Object.keys(variableNames) as (keyof Profile)[]
  return names.filter((key) => typeof profile?.[key] !== 'string')
}

/** Saves or deletes a profile. */
export function saveProfile(cli: CliEnvironment, name: string, profile: Profile | undefined): string {
  const { [name]: _, ...others } = readProfiles(cli)
  const path = pathOfProfiles(cli)
  writeOwnerOnly(path, { profiles: profile ? { ...others, [name]: profile } : others })
  return path
}

/** Writes a file that only its owner may read and that is never half written. */
export function writeOwnerOnly(path: string, content: object): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(`${path}.new`, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  chmodSync(`${path}.new`, 0o600)
  renameSync(`${path}.new`, path)
}
