import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import type { Command } from 'commander'
import { CliError } from '../cli-error.ts'
import type { CommandContext } from '../command-context.ts'
import { guide } from '../guide.ts'
import { webAddress } from '../options.ts'
import { createProgress } from '../progress.ts'
import { oneSecret, type SecretOptions, withSecret } from '../secret-option.ts'
import type { CliEnvironment } from '../surroundings.ts'
import type { Paper } from '../table.ts'
import { makeCases } from './cases.ts'
import { drive, type Receiver, untried, type Verdict } from './drive.ts'
import { junit } from './junit.ts'

interface Options extends SecretOptions {
  readonly endpoint: string
  readonly junit?: string
  readonly readUrl?: string
}

const knockMs = 5000

export function addConformanceCommand(program: Command, context: CommandContext, around: CliEnvironment): void {
  const command = withSecret(program.command('conformance'))
    .summary('tell what your own receiver gets wrong')
    .description('drive your own webhook receiver through what can happen, and tell what it gets wrong')
    .requiredOption('--endpoint <url>', 'where your receiver listens', webAddress)
    .option(
      '--read-url <url>',
      'where your program tells what it holds of a payment, with {reference} in it',
      webAddress,
    )
    .option('--junit <file>', 'also write the verdicts there, as CI systems read them')
  guide(command, {
    note: `It makes the deliveries itself, signed as Malipo signs them; nothing goes to Malipo. It sees what your receiver answers and,
with --read-url, what it holds afterwards; what else it does with an event it cannot see. Exits with 5 if a case fails.`,
    examples: [
      'malipo conformance --endpoint http://localhost:3000/webhooks --secret-file secret.txt',
      "malipo conformance --endpoint http://localhost:3000/webhooks --read-url 'http://localhost:3000/orders/{reference}' --junit conformance.xml",
    ],
  }).action(async (options: Options, self: Command) => {
    const { endpoint, readUrl, junit: file } = options
    const secret = await oneSecret(options, around, self)
    await knock(endpoint)
    const receiver = { endpoint, secret, readUrl, signal: around.signal }
    const verdicts = await driveAll(receiver, around)
    if (file !== undefined) await keep(file, junit(endpoint, verdicts))
    const failed = verdicts.filter(({ isPassed }) => !isPassed).length
    context.say({ endpoint, passed: verdicts.length - failed, failed, cases: verdicts }, (paper) =>
      report(paper, verdicts),
    )
    if (failed > 0) throw new CliError('checkFailed', `${failed} of ${verdicts.length} cases failed.`)
  })
}

async function driveAll(receiver: Receiver, around: CliEnvironment): Promise<Verdict[]> {
  const cases = makeCases(new Date())
  const progress = createProgress(around, cases.length, 'cases')
  const verdicts: Verdict[] = []
  for (const each of cases) {
    progress.at(verdicts.length)
    const isThere = verdicts.at(-1)?.isPassed !== false || (await isListening(receiver.endpoint))
    verdicts.push(isThere ? await drive(receiver, each) : untried(each))
    if (around.signal?.aborted) throw new CliError('interrupted', `Interrupted after ${verdicts.length} cases.`)
  }
  progress.end()
  return verdicts
}

/** A receiver that crashed in one case would fail all later cases for the wrong reason. */
const isListening = (endpoint: string) =>
  knock(endpoint).then(
    () => true,
    () => false,
  )

/** Separates a receiver that is not running from one that is wrong. */
async function knock(endpoint: string): Promise<void> {
  const { protocol, hostname, port, host } = new URL(endpoint)
  const socket = connect(Number(port) || (protocol === 'https:' ? 443 : 80), hostname.replaceAll(/[[\]]/g, ''))
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(knockMs) })
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException
    throw new CliError('unreachable', `Your receiver is not reached at ${host}: ${code ?? name}. Is it running?`)
  } finally {
    socket.destroy()
  }
}

async function keep(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text)
  } catch (error) {
    throw new CliError('usage', `${file} cannot be written: ${(error as Error).message}`)
  }
}

function report({ paint, wrap }: Paper, verdicts: readonly Verdict[]): string {
  const width = Math.max(...verdicts.map(({ name }) => name.length))
  const blocks = verdicts.map(({ name, rule, isPassed, what, mend, note }) => {
    const word = isPassed ? paint('green', 'passed') : paint('red', 'FAILED')
    const lines = [`${word}  ${name.padEnd(width)}  ${rule}`]
    if (!isPassed) lines.push(`        ${wrap(what, 8)}`)
    if (mend !== '') lines.push(`        ${wrap(`${paint('bold', 'Mend:')} ${mend}`, 8)}`)
    return [...lines, ...(note === '' ? [] : [`        ${paint('dim', note)}`])].join('\n')
  })
  const passed = verdicts.filter(({ isPassed }) => isPassed).length
  return [...blocks, '', `${passed} of ${verdicts.length} passed.`].join('\n')
}
