import type { Transaction, TransactionDetails, TransactionFilter } from '@malipo/sdk'
import { type Command, Option } from 'commander'
import type { CommandContext } from './command-context.ts'
import { csvLine } from './csv.ts'
import { guide } from './guide.ts'
import { currency, day, requireOrder, whole } from './options.ts'
import { type Formatter, right } from './table.ts'
import { second } from './time.ts'

interface ListOptions {
  readonly status?: 'pending' | 'failed' | 'successful'
  readonly type?: string
  readonly currency?: string
  readonly reference?: string
  readonly from?: string
  readonly to?: string
  readonly limit: number
  readonly csv?: true
}

export function addTransactionCommands(program: Command, context: CommandContext): void {
  const transactions = program.command('transactions').description('List and show charges and payouts.')
  addList(transactions, context)

  guide(
    transactions
      .command('get')
      .description('Show one transaction and its timeline.')
      .argument('<transaction>', 'txn_…, or your reference'),
    { examples: ['malipo transactions get order-1042', 'malipo transactions get order-1042 --json'] },
  ).action(async (id: string) => {
    const found = await context.call((malipo) => malipo.transactions.get(id))
    context.print(found, (format) => screen(format, found))
  })

  guide(
    program
      .command('explain')
      .description('Explain what happened to a transaction and what happens next.')
      .argument('<transaction>', 'txn_…, or your reference'),
    { examples: ['malipo explain order-1042', 'malipo explain order-1042 --json'] },
  ).action(async (id: string) => {
    const found = await context.call((malipo) => malipo.transactions.get(id))
    const { transactionId, externalReference, status, stage, explanation, timeline } = found
    context.print({ transactionId, externalReference, status, stage, explanation, timeline }, (format) =>
      [format.wrap(explanation.sentence, 0), '', timelineOf(format, found)].join('\n'),
    )
  })
}

function addList(transactions: Command, context: CommandContext): void {
  guide(
    transactions
      .command('list', { isDefault: true })
      .description('List transactions, newest first (default command).')
      .addOption(
        new Option('--status <status>', 'only transactions with this status').choices([
          'pending',
          'successful',
          'failed',
        ]),
      )
      .addOption(new Option('--type <type>', 'only charges or only payouts').choices(['charge', 'payout']))
      .option('--currency <code>', 'only transactions in this currency', currency)
      .option('--reference <text>', 'only the transaction with your reference')
      .option('--from <day>', 'first day, such as 2026-11-15, in UTC', day)
      .option('--to <day>', 'last day, included', day)
      .option('--limit <count>', 'at most this many', whole(1, 100_000), 20)
      .option('--csv', 'print CSV, for a spreadsheet'),
    {
      examples: [
        'malipo transactions --limit 5',
        'malipo transactions list --reference order-1042',
        'malipo transactions list --type payout --limit 1000 --csv',
        'malipo transactions list --status failed --type payout --from 2026-11-01 --json',
      ],
    },
  ).action(async (options: ListOptions) => {
    if (options.from !== undefined) requireOrder(options.from, options.to)
    const filter = filterOf(options)
    const found = await context.call((malipo) => malipo.transactions.list(filter).toArray(options.limit))
    if (options.csv) return context.print(found, () => csvOf(found))
    const none =
      Object.keys(filter).length > 0
        ? 'No transactions match.'
        : 'No transactions yet. Create one: malipo trigger charge.successful'
    context.print(found, (format) => (found.length === 0 ? none : listing(format, found)))
  })
}

function filterOf({ status, type, currency: code, reference, from, to }: ListOptions): TransactionFilter {
  return {
    ...(status && { status }),
    ...(type && { type: type === 'charge' ? 'deposit' : 'withdrew' }),
    ...(code && { currency: code }),
    ...(reference && { externalReference: reference }),
    ...(from && { startDate: from }),
    ...(to && { endDate: to }),
  }
}

function csvOf(found: readonly Transaction[]): string {
  const head = ['at', 'transactionId', 'type', 'amount', 'currency', 'status', 'destination', 'accountNumber']
  const lines = found.map(({ fullTimestamp, transactionId, type, amount, currency: code, status, ...rest }) => {
    const { destination, beneficiary } = rest
    const kind = kinds[type] ?? type
    return csvLine([fullTimestamp, transactionId, kind, amount, code, status, destination, beneficiary.accountNumber])
  })
  return [csvLine(head), ...lines].join('\n')
}

const kinds: Readonly<Record<string, string>> = { deposit: 'charge', withdrew: 'payout' }

const listing = ({ table, status, money }: Formatter, found: readonly Transaction[]) =>
  table(found, {
    'WHEN (UTC)': ({ fullTimestamp }) => fullTimestamp.slice(0, 19).replace('T', ' '),
    TRANSACTION: ({ transactionId }) => transactionId,
    TYPE: ({ type }) => kinds[type] ?? type,
    AMOUNT: right(({ amount, currency: code }) => money(amount, code)),
    CUR: ({ currency: code }) => code,
    STATUS: (each) => status(each.status),
    'BY OR TO': ({ destination, beneficiary }) => [destination, beneficiary.accountNumber].filter(Boolean).join(' '),
  })

function screen(format: Formatter, found: TransactionDetails): string {
  const { transactionId, type, amount, currency: code, status, stage, failureReason, nextAction } = found
  const { senderAmount, senderCurrency, receiverAmount, receiverCurrency, fee, beneficiary, virtualAccount } = found
  const wallet = type === 'withdrew' ? senderCurrency : receiverCurrency
  const isFailed = status === 'failed' // A failed payment moves no money.
  const money = (value: number, of: string) => `${format.money(value, of)} ${of}`
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
  const title = `${transactionId}: ${kinds[type] ?? type} of ${money(amount, code)}, ${format.status(status)} (${stage})`
  return [title, '', ...shown, '', format.wrap(found.explanation.sentence, 0), '', timelineOf(format, found)].join('\n')
}

const timelineOf = ({ table }: Formatter, { timeline }: TransactionDetails) =>
  table(timeline, {
    WHEN: ({ at }) => second(at),
    STAGE: ({ stage }) => stage,
    WHAT: ({ message }) => message,
  })
