import { randomBytes } from 'node:crypto'
import { type Malipo, type NextAction, TimeoutError, type TransactionDetails } from '@malipo/sdk'
import { type Command, Option } from 'commander'
import type { Desk } from './desk.ts'
import { amount, currency, span } from './options.ts'
import type { Access } from './profiles.ts'
import type { Surroundings } from './surroundings.ts'
import { duration } from './time.ts'
import { Trouble } from './trouble.ts'

/** What every payment that is made by hand can be told. */
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

/** Real money moves only where that was said. */
export function refuseUnmeant({ env, source }: Access, { live }: Pick<PaymentOptions, 'live'>): void {
  if (env === 'live' && !live)
    throw new Trouble(
      'usage',
      `The key pair of ${source} is a live one: real money would move. Add --live if that is meant.`,
    )
}

/** A payment as it stands, for those who are told of it: right after it was made, or at its end. */
interface Standing {
  readonly transactionId: string
  readonly externalReference: string
  readonly status: string
  readonly nextAction?: NextAction
}

/** Tells of a payment that was made and, where that was asked for, of its end. */
export async function followUp(
  desk: Desk,
  around: Surroundings,
  malipo: Malipo,
  made: Standing & { readonly title: string },
  options: Pick<PaymentOptions, 'wait' | 'timeout'>,
): Promise<void> {
  const { title, ...facts } = made
  if (!options.wait)
    return desk.say(facts, (paper) => [`${title} is ${paper.status(made.status)}.`, ...lines(made)].join('\n'))
  if (around.isWatched) around.complain(`${title} is ${made.status}; waiting ${duration(options.timeout)} at most.\n`)
  const end = await endOf(malipo, made.transactionId, options.timeout, around.signal)
  desk.say(end, ({ wrap }) => [wrap(end.explanation.sentence, 0), ...lines(end)].join('\n'))
  if (end.status === 'failed') throw new Trouble('refused', 'The payment failed.')
}

/** Questions that no waiting answers. */
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
    if (signal?.aborted) throw new Trouble('interrupted', `Interrupted. ${goesOn}`)
    // A call that had no answer has a request; a wait that was in vain has none.
    if (!(error instanceof TimeoutError) || error.requestId !== '') throw error
    throw new Trouble('unreachable', `${id} is still pending after ${duration(timeoutSeconds)}. ${goesOn}`)
  }
}

function lines({ transactionId, externalReference, status, nextAction }: Standing): string[] {
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
