import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import { type DevStack, findLastStack, findProjectStack, placeOf } from './dev-stack.ts'
import { refusalError, type StaffRequest, sendStaffRequest } from './operator-http.ts'
import { originIn } from './options.ts'
import { currentProfileName, isLoopback, pathOfProfiles, warnIfReadable, writeOwnerOnly } from './profiles.ts'

/** How operator commands reach Malipo, and where that comes from. */
export interface OperatorAccess {
  readonly url: string
  /** Sent as `Authorization: Bearer …`. */
  readonly token: string
  readonly source: string
  /** The public key, if the access is a machine's and not a person's. */
  readonly machine?: string
}

/** A session of a person, as stored. */
export type SavedSession = Pick<OperatorAccess, 'url' | 'token'>
type Saved = Readonly<Record<string, SavedSession | undefined>>

interface Machine {
  readonly url: string
  readonly publicKey: string
  readonly apiKey: string
  readonly source: string
}

const machineNames = { publicKey: 'MALIPO_OPERATOR_PUBLIC_KEY', apiKey: 'MALIPO_OPERATOR_API_KEY' } as const

/**
 * The session of the named profile. Without a name, the first of these: the key pair of a machine in the environment, the session
 * of the profile in `MALIPO_PROFILE`, the running stack of `npm run dev` in this project, the session of the profile `default`, the
 * stack that was started last on this machine. URL and keys come from one source.
 */
export async function operatorAccess(cli: CliEnvironment, profile: string | undefined): Promise<OperatorAccess> {
  const found = findSource(cli, profile)
  if (!found) throw notLoggedIn(profile ?? currentProfileName(cli))
  requireSameUrl(cli, profile, found)
  return 'token' in found ? found : exchange(found, cli.signal)
}

function findSource(cli: CliEnvironment, profile: string | undefined): OperatorAccess | Machine | undefined {
  if (profile !== undefined) return sessionOf(cli, profile)
  const machine = machineOf(cli)
  if (machine) return machine
  const saved = sessionOf(cli, currentProfileName(cli))
  if (cli.variables['MALIPO_PROFILE'] || cli.folder === undefined) return saved
  return ofStack(findProjectStack(cli)) ?? saved ?? ofStack(findLastStack(cli))
}

function sessionOf(cli: CliEnvironment, name: string): OperatorAccess | undefined {
  const session = savedSession(cli, name)
  return session && { ...session, source: `profile ${name}` }
}

function machineOf({ variables }: CliEnvironment): Machine | undefined {
  const [publicKey, apiKey] = [variables[machineNames.publicKey], variables[machineNames.apiKey]]
  if (!(publicKey || apiKey)) return undefined
  const url = originIn(variables['MALIPO_URL'] ?? '')
  if (!(publicKey && apiKey && url))
    throw new CliError(
      'usage',
      `Set MALIPO_URL, ${machineNames.publicKey} and ${machineNames.apiKey} together, since all three come from one source.`,
    )
  return { url, publicKey, apiKey, source: 'the environment' }
}

/** A stack of `npm run dev` is on this machine: a file that says otherwise is not its own. */
function ofStack(stack: DevStack | undefined): Machine | undefined {
  const {
    MALIPO_URL = '',
    [machineNames.publicKey]: publicKey = '',
    [machineNames.apiKey]: apiKey = '',
  } = stack?.variables ?? {}
  const isLocal = isLoopback(MALIPO_URL) && publicKey.startsWith('opk_') && apiKey.startsWith('osk_')
  return stack && isLocal
    ? { url: MALIPO_URL, publicKey, apiKey, source: `npm run dev in ${placeOf(stack)}` }
    : undefined
}

/** A command must not act on another Malipo than the one that the environment names. */
function requireSameUrl(
  { variables }: CliEnvironment,
  profile: string | undefined,
  found: { url: string; source: string },
) {
  const named = variables['MALIPO_URL']
  if (profile !== undefined || !named || originIn(named) === found.url) return
  throw new CliError(
    'usage',
    `MALIPO_URL is ${named}, but you are logged in as operator staff at ${found.url} (${found.source}). Run malipo login --operator, or unset MALIPO_URL.`,
  )
}

const notLoggedIn = (name: string) =>
  new CliError(
    'unauthorised',
    `You are not logged in as operator staff (profile ${name}). Run malipo login --operator, or set MALIPO_URL, ${machineNames.publicKey} and ${machineNames.apiKey}.`,
  )

async function exchange(
  { url, publicKey, apiKey, source }: Machine,
  signal: AbortSignal | undefined,
): Promise<OperatorAccess> {
  const request: StaffRequest = {
    method: 'POST',
    path: '/operator/v1/auth/generate-bearer-token',
    headers: { 'api-key': apiKey },
    body: { publicKey },
    signal,
  }
  const response = await sendStaffRequest(url, request)
  const { token } = response.content as { token?: unknown }
  if (response.status !== 200 || typeof token !== 'string') throw refusalError(url, request, response)
  return { url, token, source, machine: publicKey }
}

/** Sessions of staff are in their own file, so that a merchant's key pair is never sent where a session belongs. */
const pathOfOperators = (cli: CliEnvironment) => join(dirname(pathOfProfiles(cli)), 'operators.json')

/** The saved session of a profile, if there is one. */
export function savedSession(cli: CliEnvironment, name: string): SavedSession | undefined {
  const saved = readSaved(cli)
  return Object.hasOwn(saved, name) ? saved[name] : undefined
}

function readSaved(cli: CliEnvironment): Saved {
  const { HOME, USERPROFILE, XDG_CONFIG_HOME } = cli.variables
  if (!(HOME || USERPROFILE || XDG_CONFIG_HOME)) return {}
  const path = pathOfOperators(cli)
  if (!existsSync(path)) return {}
  warnIfReadable(cli, path)
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { profiles?: Saved }).profiles ?? {}
  } catch {
    throw new CliError('usage', `${path} is not valid JSON. Delete it and run malipo login --operator.`)
  }
}

/** Saves or deletes a session. */
export function saveSession(cli: CliEnvironment, name: string, session: SavedSession | undefined): string {
  const { [name]: _, ...others } = readSaved(cli)
  const path = pathOfOperators(cli)
  writeOwnerOnly(path, { profiles: session ? { ...others, [name]: session } : others })
  return path
}

/** Ends a session at the server. Whether that worked: a session that has ended already, or whose server is away, does not matter to the caller. */
export async function endSession({ url, token }: SavedSession): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` }
  return sendStaffRequest(url, { method: 'POST', path: '/people/v1/sign-out', headers }).then(
    ({ status }) => status === 200 || status === 401,
    () => false,
  )
}
