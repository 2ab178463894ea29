import type { Finding } from '@malipo/server/operate'
import type { Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError, codeOf, reportError } from './cli-error.ts'
import { connectionError, openMalipo } from './client.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { type Access, findAccess } from './profiles.ts'
import type { Formatter } from './table.ts'

const nodeMin = [24, 2] as const
const timeoutMs = 5000

export function addDoctorCommand(program: Command, context: CommandContext, cli: CliEnvironment): void {
  guide(program.command('doctor').description('Check the installation and suggest fixes.'), {
    note: `With DATABASE_URL or MALIPO_CONFIG it checks an installation: its settings, the durability of PostgreSQL and NATS, what the
database holds, backups, and more: docs/operating/doctor.md lists every check. With a key pair it checks the Malipo at its URL. It
changes nothing. Exits with 5 if a check fails.`,
    examples: ['malipo doctor', 'malipo doctor --json'],
  }).action(async () => {
    const { profile } = program.opts<{ profile?: string }>()
    const findings = [
      node(process.versions.node),
      ...(await installation(context, cli)),
      ...(await access(cli, profile)),
    ]
    const bad = findings.filter(({ health }) => health === 'bad')
    context.print({ isHealthy: bad.length === 0, findings }, (format) =>
      findings.map((each) => findingLine(format, each)).join('\n'),
    )
    if (bad.length > 0) throw new CliError('checkFailed', `Failed: ${bad.map(({ what }) => what).join(', ')}.`)
  })
}

function node(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNew = major === nodeMin[0] && minor >= nodeMin[1]
  const what = { what: 'Node', message: `version ${version}` }
  return isNew
    ? { ...what, health: 'ok', remedy: '' }
    : { ...what, health: 'bad', remedy: `use Node ${nodeMin[0]}, ${nodeMin.join('.')} or later` }
}

/** Checks the operator's machine; a merchant's machine has no database. */
async function installation(context: CommandContext, { variables }: CliEnvironment): Promise<Finding[]> {
  if (!isInstallation(variables)) return []
  const { examine } = await context.server()
  return examine(variables)
}

const isInstallation = (variables: CliEnvironment['variables']) =>
  ['DATABASE_URL', 'DATABASE_URL_FILE', 'MALIPO_CONFIG'].some((name) => Boolean(variables[name]))

async function access(cli: CliEnvironment, profile: string | undefined): Promise<Finding[]> {
  try {
    const found = findAccess(cli, profile)
    return [await ready(found), await pair(found)]
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    const found = { what: 'key pair', message: 'not configured; merchant commands need one' }
    if (isInstallation(cli.variables)) return [{ ...found, health: 'ok', remedy: '' }]
    return [{ ...found, health: 'bad', remedy: 'run malipo login, or malipo dev for a local stack' }]
  }
}

async function ready({ url }: Access): Promise<Finding> {
  const what = 'Malipo'
  const remedy = 'check that it is running and that the URL is right; malipo dev starts one here'
  try {
    const reply = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(timeoutMs) })
    const { status, checks = {} } = (await reply.json().catch(() => ({}))) as Health
    if (status === 'ready') return { what, health: 'ok', message: `ready at ${url}`, remedy: '' }
    if (status === undefined) return { what, health: 'bad', message: `the server at ${url} is not Malipo`, remedy }
    const failing = Object.entries(checks).filter(([, word]) => word !== 'ok')
    const message = failing.map(([name, word]) => `${name} ${word}`).join(', ')
    return { what, health: 'bad', message: `${status} at ${url}: ${message}`, remedy: 'fix the named problem' }
  } catch (error) {
    return { what, health: 'bad', message: `cannot reach ${url}: ${codeOf(error as Error)}`, remedy }
  }
}

interface Health {
  readonly status?: string
  readonly checks?: Readonly<Record<string, string>>
}

async function pair(access: Access): Promise<Finding> {
  const what = 'key pair'
  try {
    const { email } = await openMalipo(access).account.me()
    return { what, health: 'ok', message: `${email} in ${access.env}, from ${access.source}`, remedy: '' }
  } catch (error) {
    const { message } = reportError(connectionError(error, access) as Error, false)
    return { what, health: 'bad', message: `from ${access.source}: ${message}`, remedy: 'run malipo login' }
  }
}

const nameWidth = 19
const indent = 6 + 2 + nameWidth + 2
const words = { ok: ['green', 'ok'], poor: ['yellow', 'WARN'], bad: ['red', 'FAIL'] } as const

/** What was found, what it means and what to do. */
export function findingLine(
  { paint, wrap }: Formatter,
  { what, health, message, meaning = '', remedy }: Finding,
): string {
  const [colour, word] = words[health]
  const rest = remedy === '' ? '' : `\n${' '.repeat(indent)}${wrap(`${paint('bold', 'Do:')} ${remedy}`, indent)}`
  const sentence = meaning === '' ? message : `${message}. ${meaning}`
  return `${paint(colour, word.padEnd(6))}  ${what.padEnd(nameWidth)}  ${wrap(sentence, indent)}${rest}`
}
