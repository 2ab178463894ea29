import { setTimeout as pause } from 'node:timers/promises'
import type { FeedEvent, Malipo } from '@malipo/sdk'
import { Argument, type Command } from 'commander'
import type { CliEnvironment } from './cli-environment.ts'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { feedLine, newestNumber } from './feed.ts'
import { guide } from './guide.ts'
import { newReference } from './payment-options.ts'

/** A sandbox payment with test values, and its result. */
interface Trigger {
  readonly what: string
  /** The status to wait for. */
  readonly expectedStatus: 'pending' | 'successful' | 'failed'
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
  'charge.pending': { what: 'the customer has not responded yet', expectedStatus: 'pending', make: momo(phones.never) },
  'charge.successful': {
    what: 'the customer pays by mobile money',
    expectedStatus: 'successful',
    make: momo(phones.succeeds),
  },
  'charge.failed': { what: 'the customer declines', expectedStatus: 'failed', make: momo(phones.refuses) },
  'charge.expired': {
    what: 'the customer never responds',
    expectedStatus: 'failed',
    make: async (malipo, externalReference) => {
      await momo(phones.succeeds, 'expiry')(malipo, externalReference)
      await malipo.sandbox.clock.advance(hourSeconds)
    },
  },
  'card.successful': { what: 'the card is charged', expectedStatus: 'successful', make: card('4242424242424242') },
  'card.declined': { what: 'the card is declined', expectedStatus: 'failed', make: card('4000000000000002') },
  'bank-transfer.successful': {
    what: 'the customer pays by bank transfer',
    expectedStatus: 'successful',
    make: async (malipo, externalReference) => {
      await malipo.charges.bankTransfer({ amount: 2500, currency: 'NGN', email: customer.email, externalReference })
      await malipo.sandbox.simulate({ externalReference, status: 'successful' })
    },
  },
  'payout.pending': { what: 'the payout stays pending', expectedStatus: 'pending', make: payout(phones.never) },
  'payout.successful': { what: 'the payout arrives', expectedStatus: 'successful', make: payout(phones.succeeds) },
  'payout.failed': {
    what: 'the recipient does not exist; the money is returned',
    expectedStatus: 'failed',
    make: payout(phones.missing),
  },
}

const everyMs = 200
const timeoutMs = 30_000

export function addTriggerCommand(program: Command, context: CommandContext, cli: CliEnvironment): void {
  const names = Object.keys(triggers)
  guide(
    program
      .command('trigger')
      .description('Create a sandbox payment with a chosen outcome and show its events.')
      .addArgument(new Argument('<outcome>', 'the outcome').choices(names)),
    {
      note: names.map((name) => `  ${name.padEnd(26)} ${triggers[name]?.what}`).join('\n'),
      examples: ['malipo trigger charge.successful', 'malipo trigger payout.failed --json'],
    },
  ).action(async (name: string) => {
    const { make, expectedStatus } = triggers[name] as Trigger
    const externalReference = newReference('trigger')
    const events = await context.call(async (malipo) => {
      const newest = await newestNumber(malipo)
      await make(malipo, externalReference)
      return eventsOf(malipo, externalReference, newest, expectedStatus, cli.signal)
    })
    const transactionId = events.at(-1)?.data.transactionId
    context.print({ trigger: name, transactionId, externalReference, events }, (format) =>
      [...events.map((line) => feedLine(format, line)), `Next: malipo explain ${externalReference}`].join('\n'),
    )
  })
}

/** The events of a payment, once its last event has the expected status. */
async function eventsOf(
  malipo: Malipo,
  externalReference: string,
  after: number,
  expectedStatus: string,
  signal: AbortSignal | undefined,
): Promise<FeedEvent[]> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const all = await malipo.account.events({ after }, { signal }).toArray()
    const own = all.filter(({ data }) => data.externalReference === externalReference)
    if (own.at(-1)?.data.status === expectedStatus) return own
    if (performance.now() > deadline)
      throw new CliError(
        'unreachable',
        `${externalReference} is not ${expectedStatus} after ${timeoutMs / 1000} s. Check that a worker is running, and run malipo explain ${externalReference}`,
      )
    await pause(everyMs, undefined, signal && { signal })
  }
}
