import { randomBytes } from 'node:crypto'
import { type Malipo, type NextAction, TimeoutError, type TransactionDetails } from '@malipo/sdk'
import { type Command, Option } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { amount, currency, span } from './options.ts'
import type { Access } from './profiles.ts'
import { duration } from './time.ts'

/** The options of every payment from the command line. */
export interface PaymentOptions {
  readonly amount: string
  readonly currency: string
  readonly reference?: string
  readonly scenario?: string
  readonly wait?: true
  readonly timeout: number
  readonly live?: true
}

export function withPayment(command: Command): Command {
  return command
    .requiredOption('--amount <decimal>', 'amount in major units, such as 1500 or 99.50', amount)
    .requiredOption('--currency <code>', 'currency, such as KES', currency)
    .option('--reference <text>', 'your unique reference; default: generated')
    .option('--scenario <name>', 'sandbox only: a scenario from malipo faults list')
    .option('--wait', 'wait for the final status; exit with 1 if the payment failed')
    .addOption(new Option('--timeout <time>', 'longest time to wait').argParser(span).default(120, '2m'))
    .option('--live', 'confirm that real money moves; required with a live key pair')
}

export const newReference = (prefix: string) => `${prefix}-${Date.now().toString(36)}-${randomBytes(3).toString('hex')}`

/** Real money moves only with --live. */
export function requireLiveFlag({ env, source }: Access, { live }: Pick<PaymentOptions, 'live'>): void {
  if (env === 'live' && !live)
    throw new CliError('usage', `The key pair from ${source} is live: real money would move. Add --live to confirm.`)
}

/** A payment's status, right after it was made or at its end. */
interface PaymentProgress {
  readonly transactionId: string
  readonly externalReference: string
  readonly status: string
  readonly nextAction?: NextAction
}

/** Reports a new payment and, with --wait, its end. */
export async function followUp(
  context: CommandContext,
  cli: CliEnvironment,
  malipo: Malipo,
  made: PaymentProgress & { readonly title: string },
  options: Pick<PaymentOptions, 'wait' | 'timeout'>,
): Promise<void> {
  const { title, ...facts } = made
  if (!options.wait)
    return context.print(facts, (format) => [`${title} is ${format.status(made.status)}.`, ...lines(made)].join('\n'))
  if (cli.hasErrorTerminal) cli.writeError(`${title} is ${made.status}; waiting up to ${duration(options.timeout)}.\n`)
  const end = await endOf(malipo, made.transactionId, options.timeout, cli.signal)
  context.print(end, ({ wrap }) => [wrap(end.explanation.sentence, 0), ...lines(end)].join('\n'))
  if (end.status === 'failed') throw new CliError('refused', 'The payment failed.')
}

/** Actions that need the customer: waiting longer does not help. */
const customerActions: readonly string[] = ['OTP', 'PIN', 'ADDRESS', 'REDIRECT']

async function endOf(
  malipo: Malipo,
  id: string,
  timeoutSeconds: number,
  signal: AbortSignal | undefined,
): Promise<TransactionDetails> {
  const until = ({ nextAction }: TransactionDetails) => customerActions.includes(nextAction.type)
  try {
    return await malipo.transactions.waitFor(id, { until, timeoutMs: timeoutSeconds * 1000, signal })
  } catch (error) {
    const hint = `The payment continues: malipo explain ${id}`
    if (signal?.aborted) throw new CliError('interrupted', `Interrupted. ${hint}`)
    // A call without a response has a request id; a wait that timed out has none.
    if (!(error instanceof TimeoutError) || error.requestId !== '') throw error
    throw new CliError('unreachable', `${id} is still pending after ${duration(timeoutSeconds)}. ${hint}`)
  }
}

function lines({ transactionId, externalReference, status, nextAction }: PaymentProgress): string[] {
  const { instructions = [], redirectUrl } = nextAction ?? {}
  const answer = nextAction && answers[nextAction.type]
  const next = answer ? `malipo charge authorise ${transactionId} ${answer}` : `malipo explain ${externalReference}`
  return [
    `  transaction  ${transactionId}`,
    `  reference    ${externalReference}`,
    ...instructions.map((text) => `  customer     ${text}`),
    ...(redirectUrl === undefined ? [] : [`  customer     open ${redirectUrl}`]),
    ...(status === 'pending' ? [`  next         ${next}`] : []),
  ]
}

const answers: Readonly<Record<string, string>> = {
  OTP: '--type otp --value 123456',
  PIN: '--type pin --value 1234',
  ADDRESS: `--type address --value '{"street1":"12 Marina","city":"Lagos","state":"LA","zip":"101241","country":"NG"}'`,
}
