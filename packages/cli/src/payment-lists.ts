import type { Operator } from '@malipo/server/operate'
import { type Command, Option } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { type Environment, environment, whole } from './options.ts'
import { type Formatter, right } from './table.ts'
import { duration, minute } from './time.ts'

export function addPaymentLists(payments: Command, context: CommandContext): void {
  addList(payments, context)
  addFind(payments, context)
}

const states = ['accepted', 'sending', 'waiting', 'submitted', 'unknown', 'successful', 'failed'] as const

interface ListOptions {
  readonly doubt?: true
  readonly merchant?: string
  readonly env?: Environment
  readonly provider?: string
  readonly state?: (typeof states)[number]
  readonly olderThan: number
  readonly limit: number
  readonly after?: string
}

function addList(payments: Command, context: CommandContext): void {
  guide(
    payments
      .command('list', { isDefault: true })
      .description('List open payments, oldest first (default command).')
      .option('--doubt', 'only payments that need a person: in doubt, held, or final with money in suspense')
      .option('--merchant <merchant>', 'only payments of this merchant, mer_…')
      .option('--provider <name>', 'only payments of this provider')
      .addOption(environment('only payments of this environment'))
      .addOption(new Option('--state <state>', 'only payments in this state; ended ones newest first').choices(states))
      .option('--older-than <minutes>', 'only payments accepted at least this long ago', whole(0, 1_000_000), 0)
      .option('--limit <count>', 'at most this many', whole(1, 1000), 50)
      .option('--after <payment>', 'continue after this payment, the last of the page before'),
    {
      examples: [
        'malipo payments list --doubt --older-than 15',
        'malipo payments list --provider pawapay --env live --limit 20',
        'malipo payments list --merchant mer_0193… --state failed',
      ],
    },
  ).action(async ({ doubt, olderThan, ...order }: ListOptions) => {
    const page = await context.operate((operator) =>
      operator.payments.list({ ...order, isDoubtOnly: doubt === true, olderThanMinutes: olderThan }),
    )
    const none = `No payments ${doubt ? 'that need a person' : (order.state ?? 'open')}.`
    const more = page.next === undefined ? [] : [`More: add --after ${page.next}`]
    context.print(page, (format) =>
      [page.payments.length === 0 ? none : listing(format, page.payments), ...more].join('\n'),
    )
  })
}

type Listed = Awaited<ReturnType<Operator['payments']['list']>>['payments'][number]

const listing = ({ table }: Formatter, found: readonly Listed[]) =>
  table(found, {
    PAYMENT: ({ id }) => id,
    TYPE: ({ type }) => type,
    AMOUNT: right(({ amount, currency }) => `${amount} ${currency}`),
    STATE: ({ state }) => state,
    PROVIDER: ({ provider, env }) => `${provider} ${env}`,
    ATTEMPT: ({ attempt }) => String(attempt),
    AGE: ({ ageSeconds }) => duration(ageSeconds),
    'NEXT POLL': ({ nextPollInSeconds }) => nextPoll(nextPollInSeconds),
    REASON: ({ reason }) => reason,
  })

function nextPoll(inSeconds: number | undefined): string {
  if (inSeconds === undefined) return 'none'
  return inSeconds >= 0 ? `in ${duration(inSeconds)}` : `due ${duration(inSeconds)} ago`
}

interface FindOptions {
  readonly merchant?: string
  readonly env?: Environment
  readonly limit: number
  readonly before?: string
}

function addFind(payments: Command, context: CommandContext): void {
  guide(
    payments
      .command('find')
      .description('Find payments by anything that identifies them, newest first.')
      .argument('<query>', 'id, provider key, external reference, phone or account number, or provider receipt')
      .option('--merchant <merchant>', 'only payments of this merchant, mer_…')
      .addOption(environment('only payments of this environment'))
      .option('--limit <count>', 'at most this many', whole(1, 200), 20)
      .option('--before <payment>', 'only payments older than this one'),
    {
      note: 'The whole value must match, and case matters in references. Phone numbers may be written as people dial them.',
      examples: [
        'malipo payments find order-1042 --merchant mer_0193…',
        'malipo payments find "0712 345 678" --env live',
        'malipo payments find txn_0193… --json',
      ],
    },
  ).action(async (query: string, options: FindOptions) => {
    const found = await context.operate((operator) => operator.payments.find({ query, ...options }))
    context.print(found, (format) => foundScreen(format, found))
  })
}

type Found = Awaited<ReturnType<Operator['payments']['find']>>

function foundScreen({ table }: Formatter, { payments, next, notIndexed }: Found): string {
  const rows = table(payments, {
    PAYMENT: ({ id }) => id,
    MATCHED: ({ matched }) => matched.replace('_', ' '),
    MERCHANT: ({ merchant }) => `${merchant.name}, ${merchant.id}`,
    REFERENCE: ({ externalReference }) => externalReference,
    TYPE: ({ type }) => type,
    AMOUNT: right(({ amount, currency }) => `${amount} ${currency}`),
    STATE: ({ state }) => state,
    PROVIDER: ({ provider, env }) => `${provider} ${env}`,
    ACCEPTED: ({ createdAt }) => minute(createdAt),
  })
  const missing = notIndexed.map(
    ({ from, until }) =>
      `Not indexed yet: payments accepted from ${minute(from)} to ${minute(until)}. Search them by id, or by reference with --merchant.`,
  )
  const more = next === undefined ? [] : [`More: add --before ${next}`]
  return [payments.length === 0 ? 'No payments found.' : rows, ...more, ...missing].join('\n')
}
