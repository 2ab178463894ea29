import type { Operator } from '@malipo/server/operate'
import { type Command, Option } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { type Environment, environment, whole } from './options.ts'
import { type Paper, right } from './table.ts'
import { duration, second } from './time.ts'

export function addPaymentCommands(program: Command, context: CommandContext): void {
  const payments = program.command('payments').description('charges and payouts under way, and the way out of doubt')
  addList(payments, context)

  guide(
    payments
      .command('show')
      .description('everything about one payment on one screen')
      .argument('<payment>', 'txn_…, or the key its provider knows it by'),
    { examples: ['malipo payments show txn_0193…', 'malipo payments show txn_0193… --json'] },
  ).action(async (id: string) => {
    const payment = await context.operate((operator) => operator.payments.show(id))
    context.say(payment, (paper) => screen(paper, payment))
  })

  addResolve(payments, context)
  addRetry(payments, context)
}

function addRetry(payments: Command, context: CommandContext): void {
  guide(
    payments
      .command('retry')
      .description('have a payout sent again now, under the same key')
      .argument('<payment>', 'txn_…, or the key its provider knows it by')
      .requiredOption('--reason <text>', 'why; kept in the audit trail'),
    {
      note: 'Refused for what the provider works on, for charges, and for what is final.',
      examples: [
        'malipo payments retry txn_0193… --reason "pawaPay is back, incident 12"',
        'malipo --as "night shift" payments retry txn_0193… --reason "incident 12"',
      ],
    },
  ).action(async (id: string, { reason }: { reason: string }) => {
    const retried = await context.operate((operator) => operator.payments.retry(id, reason))
    const when = retried.isPaused ? `once ${retried.provider} is resumed` : 'now'
    const { provider, key } = retried
    context.say(retried, () => `${retried.id} is sent to ${provider} ${when}, under the same key ${key}.`)
  })
}

interface ListOptions {
  readonly doubt?: true
  readonly env?: Environment
  readonly provider?: string
  readonly olderThan: number
  readonly limit: number
}

function addList(payments: Command, context: CommandContext): void {
  guide(
    payments
      .command('list', { isDefault: true })
      .description('list open payments, oldest first; the same as payments alone')
      .option(
        '--doubt',
        'only those that need a person: in doubt, waiting for a reason, or final with money in suspense',
      )
      .option('--provider <name>', 'only those of one provider')
      .addOption(environment('only those in one environment'))
      .option('--older-than <minutes>', 'only those accepted so long ago', whole(0, 1_000_000), 0)
      .option('--limit <count>', 'at most so many', whole(1, 1000), 50),
    {
      examples: [
        'malipo payments list --doubt --older-than 15',
        'malipo payments list --provider pawapay --env live --limit 20',
      ],
    },
  ).action(async ({ doubt, env, provider, olderThan, limit }: ListOptions) => {
    const narrowed = { ...(env && { env }), ...(provider !== undefined && { provider }) }
    const order = { isDoubtOnly: doubt === true, olderThanMinutes: olderThan, limit, ...narrowed }
    const found = await context.operate((operator) => operator.payments.list(order))
    const none = `No payments ${doubt ? 'in doubt' : 'under way'}.`
    context.say(found, (paper) => (found.length === 0 ? none : listing(paper, found)))
  })
}

type Listed = Awaited<ReturnType<Operator['payments']['list']>>[number]

const listing = ({ table }: Paper, found: readonly Listed[]) =>
  table(found, {
    PAYMENT: ({ id }) => id,
    TYPE: ({ type }) => type,
    AMOUNT: right(({ amount, currency }) => `${amount} ${currency}`),
    STATE: ({ state }) => state,
    PROVIDER: ({ provider, env }) => `${provider} ${env}`,
    ATTEMPT: ({ attempt }) => String(attempt),
    AGE: ({ ageSeconds }) => duration(ageSeconds),
    'NEXT LOOK': ({ nextPollInSeconds }) => nextPoll(nextPollInSeconds),
    REASON: ({ reason }) => reason,
  })

function nextPoll(inSeconds: number | undefined): string {
  if (inSeconds === undefined) return 'none'
  return inSeconds >= 0 ? `in ${duration(inSeconds)}` : `due for ${duration(inSeconds)}`
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
      .command('settle')
      .description('end a payment by your word, for good: its money moves or goes back')
      .argument('<payment>', 'txn_…, or the key its provider knows it by')
      .addOption(new Option('--successful', 'the provider moved the money').conflicts('failed'))
      .addOption(new Option('--failed', 'the provider did not move the money, and never will'))
      .requiredOption('--reason <text>', 'why; kept in the audit trail')
      .requiredOption(
        '--evidence <text>',
        'what proves it, such as a line of the provider’s statement; kept there too',
      ),
    {
      note: `This cannot be undone. Settled as successful, a payout's money is gone from the merchant's wallet. Settled as failed, it is
back there and may be spent: if the provider paid after all, you paid twice.`,
      examples: [
        'malipo payments settle txn_0193… --failed --evidence "pawaPay ticket 88: never received" --reason "case 4711"',
        'malipo payments settle txn_0193… --successful --evidence "statement 2026-11-15 line 88" --reason "case 4711"',
      ],
    },
  ).action(async (id: string, options: ResolveOptions, command: Command) => {
    const { successful, failed, reason, evidence } = options
    if (!(successful || failed)) command.error('error: say --successful or --failed', { exitCode: 2 })
    const verdict = { outcome: successful ? 'successful' : 'failed', reason, evidence } as const
    const resolved = await context.operate((operator) => operator.payments.settle(id, verdict))
    const lines = [`Settled ${resolved.id} as ${resolved.state}.`, resolved.money, resolved.caution]
    context.say(resolved, () => lines.filter((line) => line !== undefined).join('\n'))
  })
}

type Shown = Awaited<ReturnType<Operator['payments']['show']>>

function screen(paper: Paper, payment: Shown): string {
  const { id, type, amount, currency, state, reason, next, events, ledger } = payment
  const when = next.at === undefined ? '' : ` Due ${second(next.at)}.`
  return [
    `${id}: ${type} of ${amount} ${currency}, ${state}${reason === '' ? '' : `, ${reason}`}`,
    '',
    facts(payment),
    '',
    `Next: ${next.what}${when}`,
    '',
    attemptsOf(paper, payment),
    '',
    paper.table(events, {
      WHEN: ({ at }) => second(at),
      CAUSE: ({ cause }) => cause,
      STATE: (event) => event.state,
      WHAT: ({ message, notifiesMerchant }) => (notifiesMerchant ? message : `(${message})`),
      DETAIL: ({ detail }) => detailOf(detail),
    }),
    'In brackets: what the merchant is not told.',
    '',
    ledger === undefined ? 'The ledger has no entries: no money was touched.' : ledger.split('\n').slice(2).join('\n'),
  ].join('\n')
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

const attemptsOf = ({ table }: Paper, { attempts }: Shown) =>
  table(attempts, {
    ATTEMPT: ({ number }) => String(number),
    PROVIDER: ({ provider }) => provider,
    'KEY AT THE PROVIDER': ({ key }) => key,
    SENT: ({ sends }) => times(sends),
    ASKED: ({ polls }) => times(polls),
    OUTCOME: ({ outcome }) => outcome,
  })

const times = (count: number) => (count === 0 ? 'never' : count === 1 ? 'once' : `${count} times`)

const detailOf = (detail: Readonly<Record<string, unknown>>) =>
  Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('; ')
