import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError, codeOf } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { originIn } from './options.ts'
import { pathOfProfiles, writeOwnerOnly } from './profiles.ts'

/** How operator commands reach Malipo. */
export interface OperatorAccess {
  readonly url: string
  /** Sent as `Authorization: Bearer …`. */
  readonly token: string
}

type Saved = Readonly<Record<string, OperatorAccess | undefined>>

interface Started {
  readonly deviceCode: string
  readonly userCode: string
  readonly verificationUrl: string
  readonly expiresIn: number
  readonly interval: number
}

const machineNames = { publicKey: 'MALIPO_OPERATOR_PUBLIC_KEY', apiKey: 'MALIPO_OPERATOR_API_KEY' } as const

/**
 * Signs a member of the operator's staff in: shows a code, which the person approves in a browser, waits for that, and saves the
 * session. The person's password and passkey never reach this program.
 */
export async function loginOperator(
  context: CommandContext,
  cli: CliEnvironment,
  { name, url }: { readonly name: string; readonly url: string },
): Promise<void> {
  const started = await call<Started>(url, '/people/v1/device-codes')
  context.printNote(
    ({ paint }) =>
      `Open ${started.verificationUrl} and approve this code: ${paint('bold', started.userCode)}\nWaiting…`,
  )
  cli.browse?.(started.verificationUrl)
  const { token, person } = await pollUntilApproved(cli, url, started)
  const path = saveOperator(cli, name, { url, token })
  context.print({ profile: name, url, person, path }, ({ paint }) =>
    [
      `${paint('green', 'Logged in')} to ${url} as ${person}, for 12 hours.`,
      `Saved as profile ${name} in ${path}.`,
    ].join('\n'),
  )
}

async function pollUntilApproved(cli: CliEnvironment, url: string, { deviceCode, interval, expiresIn }: Started) {
  const endsAt = Date.now() + expiresIn * 1000
  while (Date.now() < endsAt) {
    const found = await call<{ token: string; person: string }>(url, '/people/v1/device-codes/token', {
      body: { deviceCode },
      isPending: true,
    })
    if (found) return found
    await wait(interval * 1000, undefined, cli.signal && { signal: cli.signal })
  }
  throw new CliError('unauthorised', 'The code was not approved within 10 minutes. Run malipo login --operator again.')
}

/**
 * The access of operator commands: the key pair of a machine in the environment, otherwise the saved session of `malipo login
 * --operator`.
 */
export async function operatorAccess(cli: CliEnvironment, profile: string | undefined): Promise<OperatorAccess> {
  const { variables } = cli
  const [publicKey, apiKey] = [variables[machineNames.publicKey], variables[machineNames.apiKey]]
  if (profile === undefined && publicKey && apiKey) return exchange(cli, publicKey, apiKey)
  const name = profile ?? (variables['MALIPO_PROFILE'] || 'default')
  const saved = readSaved(cli)[name]
  if (saved) return saved
  throw new CliError(
    'unauthorised',
    `You are not logged in as operator staff (profile ${name}). Run malipo login --operator, or set MALIPO_URL, ${machineNames.publicKey} and ${machineNames.apiKey}.`,
  )
}

async function exchange({ variables }: CliEnvironment, publicKey: string, apiKey: string): Promise<OperatorAccess> {
  const url = originIn(variables['MALIPO_URL'] ?? '')
  if (url === undefined) throw new CliError('usage', 'No Malipo URL is configured. Set MALIPO_URL.')
  const path = '/operator/v1/auth/generate-bearer-token'
  const { token } = await call<{ token: string }>(url, path, { body: { publicKey }, headers: { 'api-key': apiKey } })
  return { url, token }
}

interface CallOptions {
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
  /** Returns undefined while the code waits for a decision. */
  readonly isPending?: true
}

function call<Result>(
  url: string,
  path: string,
  options: CallOptions & { isPending: true },
): Promise<Result | undefined>
function call<Result>(url: string, path: string, options?: CallOptions): Promise<Result>
async function call<Result>(url: string, path: string, { body, headers, isPending }: CallOptions = {}) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'user-agent': 'malipo command line', ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(15_000),
  }).catch((error: Error) => {
    throw new CliError('unreachable', `Cannot reach Malipo at ${url}: ${codeOf(error)}.`)
  })
  const result = (await response.json().catch(() => ({}))) as { message?: string; errorCode?: string }
  if (response.ok) return result as Result
  if (isPending && result.errorCode === 'DEVICE_CODE_PENDING') return undefined
  const words = result.message ?? `the server at this URL is not Malipo (HTTP ${response.status}).`
  throw new CliError(response.status === 401 || response.status === 403 ? 'unauthorised' : 'refused', words)
}

/** Sessions of staff are in their own file, so that a merchant's key pair is never sent where a session belongs. */
const pathOfOperators = (cli: CliEnvironment) => join(dirname(pathOfProfiles(cli)), 'operators.json')

function readSaved(cli: CliEnvironment): Saved {
  const path = pathOfOperators(cli)
  if (!existsSync(path)) return {}
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { profiles?: Saved }).profiles ?? {}
  } catch {
    throw new CliError('usage', `${path} is not valid JSON. Delete it and run malipo login --operator.`)
  }
}

function saveOperator(cli: CliEnvironment, name: string, access: OperatorAccess): string {
  const path = pathOfOperators(cli)
  writeOwnerOnly(path, { profiles: { ...readSaved(cli), [name]: access } })
  return path
}
