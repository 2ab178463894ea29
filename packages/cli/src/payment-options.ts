import { randomBytes } from 'node:crypto'
import { type Malipo, type NextAction, TimeoutError, type TransactionDetails } from '@malipo/sdk'
import { type Command, Option } from 'commander'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { amount, currency, span } from './options.ts'
import type { Access } from './profiles.ts'
import type { CliEnvironment } from './surroundings.ts'
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
    .requiredOption('--amount <decimal>', 'in major units, such as 1500 or 99.50', amount)
    .requiredOption('--currency <code>', 'such as KES', currency)
    .option('--reference <text>', 'your own name for it, used once and for ever; made up when left out')
    .option('--scenario <name>', 'in the sandbox: what shall go wrong; malipo faults list tells what can')
    .option('--wait', 'wait for its end, and exit with 1 if it failed')
    .addOption(new Option('--timeout <time>', 'how long to wait at most').argParser(span).default(120, '2m'))
    .option('--live', 'say that real money is meant; needed with a live key pair')
}

export const newReference = (prefix: string) => `${prefix}-${Date.now().toString(36)}-${randomBytes(3).toString('hex')}`

/** Real money moves only with --live. */
export function refuseUnmeant({ env, source }: Access, { live }: Pick<PaymentOptions, 'live'>): void {
  if (env === 'live' && !live)
    throw new CliError(
      'usage',
      `The key pair of ${source} is a live one: real money would move. Add --live if that is meant.`,
    )
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
  around: CliEnvironment,
  malipo: Malipo,
  made: PaymentProgress & { readonly title: string },
  options: Pick<PaymentOptions, 'wait' | 'timeout'>,
): Promise<void> {
  const { title, ...facts } = made
  if (!options.wait)
    return context.say(facts, (paper) => [`${title} is ${paper.status(made.status)}.`, ...lines(made)].join('\n'))
  if (around.isWatched) around.complain(`${title} is ${made.status}; waiting ${duration(options.timeout)} at most.\n`)
  const end = await endOf(malipo, made.transactionId, options.timeout, around.signal)
  context.say(end, ({ wrap }) => [wrap(end.explanation.sentence, 0), ...lines(end)].join('\n'))
  if (end.status === 'failed') throw new CliError('refused', 'The payment failed.')
}

/** Actions that need the customer: waiting longer does not help. */
const asking: readonly string[] = ['OTP', 'PIN', 'ADDRESS', 'REDIRECT']

async function endOf(
  malipo: Malipo,
  id: string,
  timeoutSeconds: number,
  signal: AbortSignal | undefined,
): Promise<TransactionDetails> {
  const until = ({ nextAction }: TransactionDetails) => asking.includes(nextAction.type)
  try {
    return await malipo.transactions.waitFor(id, { until, timeoutMs: timeoutSeconds * 1000, signal })
  } catch (error) {
    const goesOn = `It goes on: malipo explain ${id}`
    if (signal?.aborted) throw new CliError('interrupted', `Interrupted. ${goesOn}`)
    // A call without a response has a request id; a wait that timed out has none.
    if (!(error instanceof TimeoutError) || error.requestId !== '') throw error
    throw new CliError('unreachable', `${id} is still pending after ${duration(timeoutSeconds)}. ${goesOn}`)
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
    ...(redirectUrl === undefined ? [] : [`  customer     goes to ${redirectUrl}`]),
    ...(status === 'pending' ? [`  next         ${next}`] : []),
  ]
}

const answers: Readonly<Record<string, string>> = {
  OTP: '--type otp --value 123456',
  PIN: '--type pin --value 1234',
  ADDRESS: `--type address --value '{"street1":"12 Marina","city":"Lagos","state":"LA","zip":"101241","country":"NG"}'`,
}
