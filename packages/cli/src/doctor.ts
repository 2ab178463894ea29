import type { Finding } from '@malipo/server/operate'
import type { Command } from 'commander'
import { CliError, codeOf, reportError } from './cli-error.ts'
import { named, openMalipo } from './client.ts'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { type Access, findAccess } from './profiles.ts'
import type { CliEnvironment } from './surroundings.ts'
import type { Paper } from './table.ts'

const nodeMin = [24, 2] as const
const answerMs = 5000

export function addDoctorCommand(program: Command, context: CommandContext, around: CliEnvironment): void {
  guide(
    program
      .command('doctor')
      .summary('look whether all that is needed is there')
      .description('look whether all that is needed is there and well, and tell what to do where it is not'),
    {
      note: `With DATABASE_URL it looks at an installation: settings, database, migrations, clock, NATS, port, simulator, disk. With a key pair
it looks at the Malipo that is called. Nothing is changed. Exits with 5 if anything is not well.`,
      examples: ['malipo doctor', 'malipo doctor --json'],
    },
  ).action(async () => {
    const { profile } = program.opts<{ profile?: string }>()
    const findings = [
      node(process.versions.node),
      ...(await installation(context, around)),
      ...(await called(around, profile)),
    ]
    const bad = findings.filter(({ health }) => health === 'bad')
    context.say({ isWell: bad.length === 0, findings }, (paper) => findings.map((each) => line(paper, each)).join('\n'))
    if (bad.length > 0) throw new CliError('checkFailed', `Not well: ${bad.map(({ what }) => what).join(', ')}.`)
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
  if (!(variables['DATABASE_URL'] || variables['DATABASE_URL_FILE'])) return []
  const { examine } = await context.server()
  return examine(variables)
}

async function called(around: CliEnvironment, profile: string | undefined): Promise<Finding[]> {
  try {
    const access = findAccess(around, profile)
    return [await ready(access), await pair(access)]
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    const isInstallation = Boolean(around.variables['DATABASE_URL'])
    const message = 'there is none: commands of merchants need one'
    return [
      {
        what: 'key pair',
        health: isInstallation ? 'poor' : 'bad',
        message,
        remedy: 'malipo login, or malipo dev to begin with',
      },
    ]
  }
}

async function ready({ url }: Access): Promise<Finding> {
  const what = 'Malipo'
  const remedy = 'is it running, and is the address right? malipo dev starts one here'
  try {
    const reply = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(answerMs) })
    const { status, checks = {} } = (await reply.json().catch(() => ({}))) as Health
    if (status === 'ready') return { what, health: 'ok', message: `ready at ${url}`, remedy: '' }
    if (status === undefined) return { what, health: 'bad', message: `something else answers at ${url}`, remedy }
    const troubles = Object.entries(checks).filter(([, word]) => word !== 'ok')
    const message = troubles.map(([name, word]) => `${name} ${word}`).join(', ')
    return { what, health: 'bad', message: `${status} at ${url}: ${message}`, remedy: 'mend what it names' }
  } catch (error) {
    return { what, health: 'bad', message: `not reached at ${url}: ${codeOf(error as Error)}`, remedy }
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
    return { what, health: 'ok', message: `that of ${email} in ${access.env}, from ${access.source}`, remedy: '' }
  } catch (error) {
    const { message } = reportError(named(error, access) as Error, false)
    return { what, health: 'bad', message: `of ${access.source}: ${message}`, remedy: 'malipo login' }
  }
}

const words = { ok: ['green', 'ok'], poor: ['yellow', 'so so'], bad: ['red', 'NOT OK'] } as const

function line({ paint, wrap }: Paper, { what, health, message, remedy }: Finding): string {
  const [colour, word] = words[health]
  const rest = remedy === '' ? '' : `\n${' '.repeat(21)}${wrap(`${paint('bold', 'Do:')} ${remedy}`, 21)}`
  return `${paint(colour, word.padEnd(6))}  ${what.padEnd(11)}  ${wrap(message, 21)}${rest}`
}
