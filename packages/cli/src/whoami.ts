import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { type OperatorAccess, operatorAccess } from './operator-access.ts'
import { resultOf, type StaffRequest, sendStaffRequest } from './operator-http.ts'
import { findAccess } from './profiles.ts'
import type { Formatter } from './table.ts'

export function addWhoamiCommand(program: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(
    program.command('whoami').description('Show the current URL, merchant and key source, and the staff session.'),
    {
      note: 'Without a key pair it shows only the session of operator staff, and the reverse.',
      examples: ['malipo whoami', 'malipo whoami --json'],
    },
  ).action(async () => {
    const { profile } = program.opts<{ profile?: string }>()
    const operator = await findStaff(cli, profile)
    if (operator && !hasKeyPair(cli, profile))
      return context.print({ operator }, () => operatorLines(operator).join('\n'))
    const merchant = await describeMerchant(context)
    const facts = { ...merchant, ...(operator && { operator }) }
    context.print(facts, (format) =>
      [...merchantLines(format, merchant), ...(operator ? operatorLines(operator) : [])].join('\n'),
    )
  })
}

/** Most users are not staff. What Malipo says about a session or a machine, such as its end, is shown beside the merchant. */
async function findStaff(cli: CliEnvironment, profile: string | undefined): Promise<Staff | undefined> {
  try {
    return await describe(await operatorAccess(cli, profile))
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    return error.facts || error.exit === 'unreachable' ? { problem: error.message } : undefined
  }
}

function hasKeyPair(cli: CliEnvironment, profile: string | undefined): boolean {
  try {
    return Boolean(findAccess(cli, profile))
  } catch (error) {
    if (error instanceof CliError) return false
    throw error
  }
}

type Merchant = Awaited<ReturnType<typeof describeMerchant>>

const describeMerchant = (context: CommandContext) =>
  context.call(async (malipo, { url, env, source }) => {
    const { firstName, lastName, email, publicKey, webhookUrl } = await malipo.account.me()
    return { firstName, lastName, email, env, url, publicKey, webhookUrl, source }
  })

function merchantLines({ paint }: Formatter, merchant: Merchant): string[] {
  const { firstName, lastName, email, env, url, publicKey, webhookUrl, source } = merchant
  return [
    `${firstName} ${lastName}, ${email}, in ${paint(env === 'live' ? 'red' : 'green', env)}`,
    ...lines([
      ['at', url],
      ['public key', publicKey],
      ['webhooks', webhookUrl === '' ? 'not set; events are in the feed: malipo events' : `to ${webhookUrl}`],
      ['from', source],
    ]),
  ]
}

type Staff = Known | { readonly problem: string }

interface Known {
  readonly url: string
  readonly source: string
  /** The public key of a machine. */
  readonly machine?: string
  readonly person?: { readonly id: string; readonly name: string; readonly roles: readonly string[] }
}

/** A machine has no person to describe. */
async function describe({ url, token, source, machine }: OperatorAccess): Promise<Known> {
  if (machine !== undefined) return { url, source, machine }
  const headers = { authorization: `Bearer ${token}` }
  const request: StaffRequest = { method: 'GET', path: '/people/v1/me', headers }
  const me = resultOf<Me>(url, request, await sendStaffRequest(url, request))
  return { url, source, person: { id: me.id, name: me.name, roles: me.operator.map(({ role }) => role) } }
}

interface Me {
  readonly id: string
  readonly name: string
  readonly operator: readonly { readonly role: string }[]
}

function operatorLines(staff: Staff): string[] {
  if ('problem' in staff) return [`Operator commands do not work: ${staff.problem}`]
  const { url, source, machine, person } = staff
  const who = person ? `${person.name}, ${person.id}, ${person.roles.join(', ') || 'no role'}` : `machine ${machine}`
  return [
    `Operator commands act as ${who}`,
    ...lines([
      ['at', url],
      ['from', source],
    ]),
  ]
}

const lines = (facts: readonly (readonly [string, string])[]) =>
  facts.map(([name, value]) => `  ${name.padEnd(11)} ${value}`)
