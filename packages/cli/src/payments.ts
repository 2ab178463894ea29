import type { Operator } from '@malipo/server/operate'
import { type Command, Option } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { addPaymentLists } from './payment-lists.ts'
import type { Formatter } from './table.ts'
import { second } from './time.ts'

export function addPaymentCommands(program: Command, context: CommandContext): void {
  const payments = program.command('payments').description('Find, list, show, resolve and retry payments.')
  addPaymentLists(payments, context)

  guide(
    payments
      .command('show')
      .description('Show one payment: state, attempts, events and ledger entries.')
      .argument('<payment>', 'txn_…, or its key at the provider'),
    { examples: ['malipo payments show txn_0193…', 'malipo payments show txn_0193… --json'] },
  ).action(async (id: string) => {
    const payment = await context.operate((operator) => operator.payments.show(id))
    context.print(payment, (format) => screen(format, payment))
  })

  addResolve(payments, context)
  addRetry(payments, context)
}

function addRetry(payments: Command, context: CommandContext): void {
  guide(
    payments
      .command('retry')
      .description('Send a payout to the provider again now, under the same key.')
      .argument('<payment>', 'txn_…, or its key at the provider')
      .requiredOption('--reason <text>', 'why; kept in the audit trail'),
    {
      note: 'Rejected for charges, for final payments, and while the provider is processing the payout.',
      examples: [
        'malipo payments retry txn_0193… --reason "pawaPay is back, incident 12"',
        'malipo payments retry txn_0193… --reason "incident 12" --json',
      ],
    },
  ).action(async (id: string, { reason }: { reason: string }) => {
    const retried = await context.operate((operator) => operator.payments.retry(id, reason))
    const when = retried.isPaused ? `once ${retried.provider} is resumed` : 'now'
    const { provider, key } = retried
    context.print(retried, () => `Malipo sends ${retried.id} to ${provider} ${when}, under the same key ${key}.`)
  })
}

interface ResolveOptions {
  readonly successful?: true
  readonly failed?: true
  readonly reason: string
  readonly evidence: string
}

function addResolve(payments: Command, context: CommandContext): void {
  guide(
    payments
      .command('resolve')
      .description('End a payment permanently with a known outcome.')
      .argument('<payment>', 'txn_…, or its key at the provider')
      .addOption(new Option('--successful', 'the provider moved the money').conflicts('failed'))
      .addOption(new Option('--failed', 'the provider did not and will not move the money'))
      .requiredOption('--reason <text>', 'why; kept in the audit trail')
      .requiredOption(
        '--evidence <text>',
        'proof, such as a line of the provider’s statement; kept in the audit trail',
      ),
    {
      note: `This cannot be undone. --successful takes a payout's money from the merchant's wallet. --failed returns it to the wallet, where
it can be spent: if the provider paid after all, you pay twice.`,
      examples: [
        'malipo payments resolve txn_0193… --failed --evidence "pawaPay ticket 88: never received" --reason "case 4711"',
        'malipo payments resolve txn_0193… --successful --evidence "statement 2026-11-15 line 88" --reason "case 4711"',
      ],
    },
  ).action(async (id: string, options: ResolveOptions, command: Command) => {
    const { successful, failed, reason, evidence } = options
    if (!(successful || failed)) command.error('error: --successful or --failed is required', { exitCode: 2 })
    const resolution = { outcome: successful ? 'successful' : 'failed', reason, evidence } as const
    const resolved = await context.operate((operator) => operator.payments.resolve(id, resolution))
    const lines = [`Resolved ${resolved.id} as ${resolved.state}.`, resolved.money, resolved.caution]
    context.print(resolved, () => lines.filter((line) => line !== undefined).join('\n'))
  })
}

type Shown = Awaited<ReturnType<Operator['payments']['show']>>

function screen(format: Formatter, payment: Shown): string {
  const { id, type, amount, currency, state, reason, next, events } = payment
  const when = next.at === undefined ? '' : ` Due ${second(next.at)}.`
  return [
    `${id}: ${type} of ${amount} ${currency}, ${state}${reason === '' ? '' : `, ${reason}`}`,
    '',
    facts(payment),
    '',
    `Next: ${next.what}${when}`,
    '',
    attemptsOf(format, payment),
    '',
    format.table(events, {
      WHEN: ({ at }) => second(at),
      CAUSE: ({ cause }) => cause,
      STATE: (event) => event.state,
      WHAT: ({ message, notifiesMerchant }) => (notifiesMerchant ? message : `(${message})`),
      DETAIL: ({ detail }) => detailOf(detail),
    }),
    'Events in brackets are not sent to the merchant.',
    '',
    ledgerOf(payment),
  ].join('\n')
}

function ledgerOf({ id, ledger, archivedMonth }: Shown): string {
  const drawn = ledger?.split('\n').slice(2).join('\n')
  if (archivedMonth === undefined) return drawn ?? 'No ledger entries: no money moved.'
  const archived = `The ledger entries of ${archivedMonth} are archived: run malipo archive read ${id} --from FOLDER.`
  return drawn === undefined ? archived : `${archived}\nBooked later:\n${drawn}`
}

function facts(payment: Shown): string {
  const { merchant, env, type, wallet, accountName, account, code, destination, country } = payment
  const counterparty = [account, accountName, code, destination, country].filter((part) => part !== '').join(', ')
  const lines: [string, string | undefined][] = [
    ['merchant', `${merchant.name}, ${merchant.id}, ${env}${merchant.isFrozen ? ', frozen' : ''}`],
    ['reference', payment.externalReference],
    [type === 'payout' ? 'to' : 'from', counterparty],
    ['wallet', `${wallet.currency} ${wallet.country}: ${wallet.amount} and a fee of ${wallet.fee}`],
    ['provider', payment.provider],
    ['accepted', second(payment.createdAt)],
    ['changed', second(payment.updatedAt)],
    ['expires', payment.expiresAt === undefined ? undefined : second(payment.expiresAt)],
    ['adjusts', payment.adjusts],
    ['adjusted by', payment.adjustments?.join(', ')],
    ['suspense', payment.suspenseCase],
    ['failure', payment.failure],
    ['receipt', payment.receipt],
  ]
  return lines.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(11)} ${value}`])).join('\n')
}

const attemptsOf = ({ table }: Formatter, { attempts }: Shown) =>
  table(attempts, {
    ATTEMPT: ({ number }) => String(number),
    PROVIDER: ({ provider }) => provider,
    'KEY AT THE PROVIDER': ({ key }) => key,
    SENT: ({ sends }) => times(sends),
    POLLED: ({ polls }) => times(polls),
    OUTCOME: ({ outcome }) => outcome,
  })

const times = (count: number) => (count === 0 ? 'never' : count === 1 ? 'once' : `${count} times`)

const detailOf = (detail: Readonly<Record<string, unknown>>) =>
  Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('; ')
