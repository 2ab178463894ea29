import { setTimeout as wait } from 'node:timers/promises'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { endSession, savedSession, saveSession } from './operator-access.ts'
import { refusalError, type StaffRequest, sendStaffRequest } from './operator-http.ts'

interface Started {
  readonly deviceCode: string
  readonly userCode: string
  readonly verificationUrl: string
  readonly expiresIn: number
  readonly interval: number
}

/**
 * Signs a member of the operator's staff in: shows a code, which the person approves in a browser, waits for that, and saves the
 * session. The person's password and passkey never reach this program.
 */
export async function loginOperator(
  context: CommandContext,
  cli: CliEnvironment,
  { name, url }: { readonly name: string; readonly url: string },
): Promise<void> {
  const started = await start(url)
  context.printNote(
    ({ paint }) =>
      `Open ${started.verificationUrl} and approve this code: ${paint('bold', started.userCode)}\nWaiting…`,
  )
  if (isWebAddress(started.verificationUrl)) cli.browse?.(started.verificationUrl)
  const { token, person } = await pollUntilApproved(cli, url, started)
  const replaced = savedSession(cli, name)
  const path = saveSession(cli, name, { url, token })
  if (replaced) await endSession(replaced)
  context.print({ profile: name, url, person, path }, ({ paint }) =>
    [
      `${paint('green', 'Logged in')} to ${url} as ${person}, for 12 hours.`,
      `Saved as profile ${name} in ${path}.`,
    ].join('\n'),
  )
}

/** The server chose the address: a browser opens nothing but a page for it. */
const isWebAddress = (address: string) => URL.canParse(address) && /^https?:$/.test(new URL(address).protocol)

async function pollUntilApproved(cli: CliEnvironment, url: string, { deviceCode, interval, expiresIn }: Started) {
  const endsAt = Date.now() + expiresIn * 1000
  while (Date.now() < endsAt) {
    const found = await poll(url, deviceCode)
    if (found) return found
    await wait(interval * 1000, undefined, cli.signal && { signal: cli.signal })
  }
  throw new CliError('unauthorised', 'The code was not approved within 10 minutes. Run malipo login --operator again.')
}

interface Approved {
  readonly token: string
  readonly person: string
}

/** Undefined while the code waits for a decision. */
async function poll(url: string, deviceCode: string): Promise<Approved | undefined> {
  const request: StaffRequest = { method: 'POST', path: '/people/v1/device-codes/token', body: { deviceCode } }
  const response = await sendStaffRequest(url, request)
  if (response.content.errorCode === 'DEVICE_CODE_PENDING') return undefined
  if (response.status !== 200) throw refusalError(url, request, response)
  return response.content as Approved
}

async function start(url: string): Promise<Started> {
  const request: StaffRequest = { method: 'POST', path: '/people/v1/device-codes' }
  const response = await sendStaffRequest(url, request)
  if (response.status !== 200) throw refusalError(url, request, response)
  return response.content as Started
}

/** Deletes the saved session of a profile and ends it at the server. Undefined if there is none. */
export async function logoutOperator(cli: CliEnvironment, name: string): Promise<{ isEnded: boolean } | undefined> {
  const session = savedSession(cli, name)
  if (!session) return undefined
  saveSession(cli, name, undefined)
  return { isEnded: await endSession(session) }
}
