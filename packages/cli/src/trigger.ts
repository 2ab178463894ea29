import { setTimeout as pause } from 'node:timers/promises'
import type { FeedEvent, Malipo } from '@malipo/sdk'
import { Argument, type Command } from 'commander'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { feedLine, newestNumber } from './feed.ts'
import { guide } from './guide.ts'
import { newReference } from './payment-options.ts'
import type { CliEnvironment } from './surroundings.ts'

/** A sandbox payment with test values, and its result. */
interface Trigger {
  readonly what: string
  /** The status to wait for. */
  readonly comesTo: 'pending' | 'successful' | 'failed'
  readonly make: (malipo: Malipo, externalReference: string) => Promise<unknown>
}

const phones = { succeeds: '+254703456789', refuses: '+254703456039', missing: '+254703456089', never: '+254703456129' }
const customer = { email: 'amina@example.com', firstName: 'Amina', lastName: 'Otieno', ipAddress: '102.89.23.10' }

const momo = (phoneNumber: string, scenario?: string) => (malipo: Malipo, externalReference: string) =>
  malipo.charges.mobileMoney({ amount: 1500, currency: 'KES', phoneNumber, externalReference }, { scenario })

const card = (number: string) => (malipo: Malipo, externalReference: string) =>
  malipo.charges.card({
    ...{ amount: 1200, currency: 'NGN', externalReference, ...customer },
    cardDetails: { number, cvv: '739', expMonth: '09', expYear: '2030' },
    successRedirectUrl: 'https://shop.example/paid',
  })

const payout = (accountNumber: string) => (malipo: Malipo, externalReference: string) =>
  malipo.payouts.create({
    ...{ amount: 300, currency: 'KES', country: 'KE', externalReference },
    destination: 'MoMo',
    payoutMethod: { accountName: 'Juma Ali', accountNumber },
  })

const hourSeconds = 3600

const triggers: Readonly<Record<string, Trigger>> = {
  'charge.pending': { what: 'a customer who does not answer yet', comesTo: 'pending', make: momo(phones.never) },
  'charge.successful': { what: 'a customer who pays by phone', comesTo: 'successful', make: momo(phones.succeeds) },
  'charge.failed': { what: 'a customer who does not approve', comesTo: 'failed', make: momo(phones.refuses) },
  'charge.expired': {
    what: 'a customer who never answers',
    comesTo: 'failed',
    make: async (malipo, externalReference) => {
      await momo(phones.succeeds, 'expiry')(malipo, externalReference)
      await malipo.sandbox.clock.advance(hourSeconds)
    },
  },
  'card.successful': { what: 'a card that pays', comesTo: 'successful', make: card('4242424242424242') },
  'card.declined': { what: 'a card that is declined', comesTo: 'failed', make: card('4000000000000002') },
  'bank-transfer.successful': {
    what: 'a customer who pays by bank transfer',
    comesTo: 'successful',
    make: async (malipo, externalReference) => {
      await malipo.charges.bankTransfer({ amount: 2500, currency: 'NGN', email: customer.email, externalReference })
      await malipo.sandbox.simulate({ externalReference, status: 'successful' })
    },
  },
  'payout.pending': { what: 'a payout that takes its time', comesTo: 'pending', make: payout(phones.never) },
  'payout.successful': { what: 'a payout that arrives', comesTo: 'successful', make: payout(phones.succeeds) },
  'payout.failed': {
    what: 'a payout to nobody, its money given back',
    comesTo: 'failed',
    make: payout(phones.missing),
  },
}

const everyMs = 200
const patienceMs = 30_000

export function addTriggerCommand(program: Command, context: CommandContext, around: CliEnvironment): void {
  const names = Object.keys(triggers)
  guide(
    program
      .command('trigger')
      .summary('make something happen, by a real payment')
      .description('make something happen in the sandbox, by a real payment with test values, and show its events')
      .addArgument(new Argument('<what>', 'what shall happen').choices(names)),
    {
      note: names.map((name) => `  ${name.padEnd(26)} ${triggers[name]?.what}`).join('\n'),
      examples: ['malipo trigger charge.successful', 'malipo trigger payout.failed --json'],
    },
  ).action(async (name: string) => {
    const { make, comesTo } = triggers[name] as Trigger
    const externalReference = newReference('trigger')
    const events = await context.call(async (malipo) => {
      const newest = await newestNumber(malipo)
      await make(malipo, externalReference)
      return eventsOf(malipo, externalReference, newest, comesTo, around.signal)
    })
    const transactionId = events.at(-1)?.data.transactionId
    context.say({ trigger: name, transactionId, externalReference, events }, (paper) =>
      [...events.map((line) => feedLine(paper, line)), `Next: malipo explain ${externalReference}`].join('\n'),
    )
  })
}

/** The events of a payment, once its last event has the expected status. */
async function eventsOf(
  malipo: Malipo,
  externalReference: string,
  after: number,
  comesTo: string,
  signal: AbortSignal | undefined,
): Promise<FeedEvent[]> {
  const giveUpAt = performance.now() + patienceMs
  for (;;) {
    const all = await malipo.account.events({ after }, { signal }).toArray()
    const own = all.filter(({ data }) => data.externalReference === externalReference)
    if (own.at(-1)?.data.status === comesTo) return own
    if (performance.now() > giveUpAt)
      throw new CliError(
        'unreachable',
        `${externalReference} is not ${comesTo} after ${patienceMs / 1000} s; is a worker running? malipo explain ${externalReference}`,
      )
    await pause(everyMs, undefined, signal && { signal })
  }
}
