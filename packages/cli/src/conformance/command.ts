import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import type { Command } from 'commander'
import type { CliEnvironment } from '../cli-environment.ts'
import { CliError } from '../cli-error.ts'
import type { CommandContext } from '../command-context.ts'
import { guide } from '../guide.ts'
import { webAddress } from '../options.ts'
import { createProgress } from '../progress.ts'
import { oneSecret, type SecretOptions, withSecret } from '../secret-option.ts'
import type { Formatter } from '../table.ts'
import { makeCases } from './cases.ts'
import { junit } from './junit.ts'
import { type CaseResult, type Receiver, runCase, skipped } from './run-case.ts'

interface Options extends SecretOptions {
  readonly endpoint: string
  readonly junit?: string
  readonly readUrl?: string
}

const connectMs = 5000

export function addConformanceCommand(program: Command, context: CommandContext, cli: CliEnvironment): void {
  const command = withSecret(program.command('conformance'))
    .description('Test your webhook receiver and list its mistakes.')
    .requiredOption('--endpoint <url>', 'URL of your receiver', webAddress)
    .option(
      '--read-url <url>',
      'URL where your program shows the status of a payment, with {reference} in it',
      webAddress,
    )
    .option('--junit <file>', 'also write the results to this file, for CI systems')
  guide(command, {
    note: `It sends the deliveries itself, signed as Malipo signs them; nothing goes to Malipo. It checks the responses of your receiver
and, with --read-url, the status it stored. Exits with 5 if a case fails.`,
    examples: [
      'malipo conformance --endpoint http://localhost:3000/webhooks --secret-file secret.txt',
      "malipo conformance --endpoint http://localhost:3000/webhooks --read-url 'http://localhost:3000/orders/{reference}' --junit conformance.xml",
    ],
  }).action(async (options: Options, self: Command) => {
    const { endpoint, readUrl, junit: file } = options
    const secret = await oneSecret(options, cli, self)
    await checkReachable(endpoint)
    const receiver = { endpoint, secret, readUrl, signal: cli.signal }
    const results = await runAll(receiver, cli)
    if (file !== undefined) await save(file, junit(endpoint, results))
    const failed = results.filter(({ isPassed }) => !isPassed).length
    context.print({ endpoint, passed: results.length - failed, failed, cases: results }, (format) =>
      report(format, results),
    )
    if (failed > 0) throw new CliError('checkFailed', `${failed} of ${results.length} cases failed.`)
  })
}

async function runAll(receiver: Receiver, cli: CliEnvironment): Promise<CaseResult[]> {
  const cases = makeCases(new Date())
  const progress = createProgress(cli, cases.length, 'cases')
  const results: CaseResult[] = []
  for (const each of cases) {
    progress.at(results.length)
    const isUp = results.at(-1)?.isPassed !== false || (await isListening(receiver.endpoint))
    results.push(isUp ? await runCase(receiver, each) : skipped(each))
    if (cli.signal?.aborted) throw new CliError('interrupted', `Interrupted after ${results.length} cases.`)
  }
  progress.end()
  return results
}

/** A receiver that crashed in one case would fail all later cases for the wrong reason. */
const isListening = (endpoint: string) =>
  checkReachable(endpoint).then(
    () => true,
    () => false,
  )

/** Separates a receiver that is not running from one that is wrong. */
async function checkReachable(endpoint: string): Promise<void> {
  const { protocol, hostname, port, host } = new URL(endpoint)
  const socket = connect(Number(port) || (protocol === 'https:' ? 443 : 80), hostname.replaceAll(/[[\]]/g, ''))
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(connectMs) })
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException
    throw new CliError(
      'unreachable',
      `Cannot reach your receiver at ${host}: ${code ?? name}. Check that it is running.`,
    )
  } finally {
    socket.destroy()
  }
}

async function save(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text)
  } catch (error) {
    throw new CliError('usage', `${file} cannot be written: ${(error as Error).message}`)
  }
}

function report({ paint, wrap }: Formatter, results: readonly CaseResult[]): string {
  const width = Math.max(...results.map(({ name }) => name.length))
  const blocks = results.map(({ name, rule, isPassed, what, fix, note }) => {
    const word = isPassed ? paint('green', 'passed') : paint('red', 'FAILED')
    const lines = [`${word}  ${name.padEnd(width)}  ${rule}`]
    if (!isPassed) lines.push(`        ${wrap(what, 8)}`)
    if (fix !== '') lines.push(`        ${wrap(`${paint('bold', 'Fix:')} ${fix}`, 8)}`)
    return [...lines, ...(note === '' ? [] : [`        ${paint('dim', note)}`])].join('\n')
  })
  const passed = results.filter(({ isPassed }) => isPassed).length
  return [...blocks, '', `${passed} of ${results.length} passed.`].join('\n')
}
