import type { Transaction, TransactionDetails } from '@malipo/sdk'
import { type Command, Option } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { currency, day, whole } from './options.ts'
import { type Paper, right } from './table.ts'
import { second } from './time.ts'

interface ListOptions {
  readonly status?: 'pending' | 'failed' | 'successful'
  readonly type?: string
  readonly currency?: string
  readonly from?: string
  readonly to?: string
  readonly limit: number
}

export function addTransactionCommands(program: Command, context: CommandContext): void {
  const transactions = program.command('transactions').description('what became of charges and payouts')
  addList(transactions, context)

  guide(
    transactions
      .command('get')
      .description('one of them, with everything that happened to it')
      .argument('<transaction>', 'txn_…, or your reference'),
    { examples: ['malipo transactions get order-1042', 'malipo transactions get order-1042 --json'] },
  ).action(async (id: string) => {
    const found = await context.call((malipo) => malipo.transactions.get(id))
    context.say(found, (paper) => screen(paper, found))
  })

  guide(
    program
      .command('explain')
      .summary('what happened, and what happens next')
      .description('what happened to a transaction, what happens next and by when, in one sentence')
      .argument('<transaction>', 'txn_…, or your reference'),
    { examples: ['malipo explain order-1042', 'malipo explain order-1042 --json'] },
  ).action(async (id: string) => {
    const found = await context.call((malipo) => malipo.transactions.get(id))
    const { transactionId, externalReference, status, stage, explanation, timeline } = found
    context.say({ transactionId, externalReference, status, stage, explanation, timeline }, (paper) =>
      [paper.wrap(explanation.sentence, 0), '', timelineOf(paper, found)].join('\n'),
    )
  })
}

function addList(transactions: Command, context: CommandContext): void {
  guide(
    transactions
      .command('list', { isDefault: true })
      .description('list them, newest first; the same as transactions alone')
      .addOption(new Option('--status <status>', 'only those').choices(['pending', 'successful', 'failed']))
      .addOption(new Option('--type <type>', 'only charges or only payouts').choices(['charge', 'payout']))
      .option('--currency <code>', 'only those in it', currency)
      .option('--from <day>', 'from this day on, such as 2026-11-15, in UTC', day)
      .option('--to <day>', 'up to this day, which is included', day)
      .option('--limit <count>', 'at most so many', whole(1, 100_000), 20),
    {
      examples: [
        'malipo transactions --limit 5',
        'malipo transactions list --status failed --type payout --from 2026-11-01 --json',
      ],
    },
  ).action(async ({ status, type, currency: code, from, to, limit }: ListOptions) => {
    const filter = {
      ...(status && { status }),
      ...(type && { type: type === 'charge' ? 'deposit' : 'withdrew' }),
      ...(code && { currency: code }),
      ...(from && { startDate: from }),
      ...(to && { endDate: to }),
    }
    const found = await context.call((malipo) => malipo.transactions.list(filter).toArray(limit))
    const none =
      Object.keys(filter).length > 0
        ? 'None of your transactions is like that.'
        : 'No transactions yet. Make one: malipo trigger charge.successful'
    context.say(found, (paper) => (found.length === 0 ? none : listing(paper, found)))
  })
}

const kinds: Readonly<Record<string, string>> = { deposit: 'charge', withdrew: 'payout' }

const listing = ({ table, status, money }: Paper, found: readonly Transaction[]) =>
  table(found, {
    'WHEN (UTC)': ({ fullTimestamp }) => fullTimestamp.slice(0, 19).replace('T', ' '),
    TRANSACTION: ({ transactionId }) => transactionId,
    TYPE: ({ type }) => kinds[type] ?? type,
    AMOUNT: right(({ amount, currency: code }) => money(amount, code)),
    CUR: ({ currency: code }) => code,
    STATUS: (each) => status(each.status),
    'BY OR TO': ({ destination, beneficiary }) => [destination, beneficiary.accountNumber].filter(Boolean).join(' '),
  })

function screen(paper: Paper, found: TransactionDetails): string {
  const { transactionId, type, amount, currency: code, status, stage, failureReason, nextAction } = found
  const { senderAmount, senderCurrency, receiverAmount, receiverCurrency, fee, beneficiary, virtualAccount } = found
  const wallet = type === 'withdrew' ? senderCurrency : receiverCurrency
  const isFailed = status === 'failed' // A failed payment moves no money.
  const money = (value: number, of: string) => `${paper.money(value, of)} ${of}`
  const { accountName, accountNumber, bankCode } = beneficiary
  const lines: [string, string | undefined][] = [
    ['reference', found.externalReference],
    ['made', second(found.fullTimestamp)],
    ['by', `${found.method}, ${found.destination}, ${found.country}`],
    ['to', [accountNumber, accountName, bankCode].filter(Boolean).join(', ') || undefined],
    ['customer', nextAction.type === 'NONE' ? undefined : (nextAction.instructions?.join(' ') ?? nextAction.type)],
    [
      'pay into',
      virtualAccount &&
        `${virtualAccount.accountNumber} at ${virtualAccount.bankName} until ${second(virtualAccount.expiresAt)}`,
    ],
    ['leaves', isFailed ? undefined : money(senderAmount, senderCurrency)],
    ['arrives', isFailed ? undefined : money(receiverAmount, receiverCurrency)],
    ['fee', isFailed ? undefined : money(fee, wallet)],
    ['failure', failureReason && `${failureReason.failureCode}: ${failureReason.failureMessage}`],
  ]
  const shown = lines.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(10)} ${value}`]))
  const title = `${transactionId}: ${kinds[type] ?? type} of ${money(amount, code)}, ${paper.status(status)} (${stage})`
  return [title, '', ...shown, '', paper.wrap(found.explanation.sentence, 0), '', timelineOf(paper, found)].join('\n')
}

const timelineOf = ({ table }: Paper, { timeline }: TransactionDetails) =>
  table(timeline, {
    WHEN: ({ at }) => second(at),
    STAGE: ({ stage }) => stage,
    WHAT: ({ message }) => message,
  })
