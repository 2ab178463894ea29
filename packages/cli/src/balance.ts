import type { Malipo, Statement, Wallet } from '@malipo/sdk'
import type { Command } from 'commander'
import { CliError } from './cli-error.ts'
import type { CommandContext } from './command-context.ts'
import { csvLine } from './csv.ts'
import { guide } from './guide.ts'
import { country, currency, day, requireOrder } from './options.ts'
import { type Formatter, right } from './table.ts'
import { second } from './time.ts'

interface WalletOptions {
  readonly currency?: string
  readonly country?: string
}

interface StatementOptions extends WalletOptions {
  readonly from?: string
  readonly to?: string
  readonly csv?: true
}

type WalletStatement = Statement & { readonly currency: string; readonly country: string }

export function addBalanceCommands(program: Command, context: CommandContext): void {
  guide(withWallet(program.command('balance').description('Show the balance of your wallets.')), {
    note: 'AVAILABLE can be spent. PENDING is held for payouts that are still open.',
    examples: ['malipo balance', 'malipo balance --currency KES --json'],
  }).action(async (options: WalletOptions) => {
    const wallets = await context.call((malipo) => walletsOf(malipo, options))
    context.print(wallets, ({ table, money }) =>
      table(wallets, {
        WALLET: ({ currency: code, country: where }) => `${code} ${where}`,
        AVAILABLE: right(({ available, currency: code }) => money(available, code)),
        PENDING: right(({ pending, currency: code }) => money(pending, code)),
        BALANCE: right(({ balance, currency: code }) => money(balance, code)),
      }),
    )
  })

  guide(
    withWallet(
      program.command('statement').description('Show every movement of your wallets, with the balance after it.'),
    )
      .option('--from <day>', 'first day, such as 2026-11-15, in UTC; default: the first of this month', day)
      .option('--to <day>', 'last day, included', day)
      .option('--csv', 'print CSV, for a spreadsheet'),
    {
      examples: ['malipo statement --currency KES', 'malipo statement --from 2026-11-01 --csv'],
    },
  ).action(async (options: StatementOptions) => {
    const statements = await context.call((malipo) => statementsOf(malipo, options))
    context.print(statements, (format) => (options.csv ? csvOf(statements) : screen(format, statements)))
  })
}

const withWallet = (command: Command) =>
  command
    .option('--currency <code>', 'only wallets in this currency', currency)
    .option('--country <code>', 'only wallets of this country', country)

async function walletsOf(malipo: Malipo, { currency: code, country: where }: WalletOptions): Promise<Wallet[]> {
  const all = await malipo.account.balances()
  const wanted = all.filter((wallet) => (!code || wallet.currency === code) && (!where || wallet.country === where))
  if (wanted.length > 0) return wanted
  const known = [...new Set(all.map((wallet) => wallet.currency))].sort().join(', ')
  throw new CliError('refused', `No wallet matches.${known === '' ? '' : ` You have wallets in ${known}.`}`)
}

/** One statement per wallet: each wallet has its own book. */
async function statementsOf(malipo: Malipo, options: StatementOptions): Promise<WalletStatement[]> {
  const statements: WalletStatement[] = []
  const { from = firstOfMonth(new Date()), to } = options
  requireOrder(from, to)
  const days = { startDate: from, ...(to && { endDate: to }) }
  for (const { currency: code, country: where } of await walletsOf(malipo, options)) {
    const query = { currency: code, country: where, ...days }
    statements.push({ currency: code, country: where, ...(await malipo.account.statement(query)) })
  }
  return statements
}

const firstOfMonth = (now: Date) => `${now.toISOString().slice(0, 7)}-01`

function csvOf(statements: readonly WalletStatement[]): string {
  const head = ['at', 'currency', 'country', 'transactionId', 'externalReference', 'type', 'amount', 'balance']
  const lines = statements.flatMap(({ currency: code, country: where, lines: all }) =>
    all.map(({ at, transactionId, externalReference, type, amount, balance }) =>
      csvLine([at, code, where, transactionId, externalReference, type, amount, balance]),
    ),
  )
  return [csvLine(head), ...lines].join('\n')
}

function screen(format: Formatter, statements: readonly WalletStatement[]): string {
  const moved = statements.filter(({ lines }) => lines.length > 0)
  if (moved.length === 0) return 'No movements in this period.'
  const quiet = statements.length - moved.length
  const rest = quiet === 0 ? [] : [`No movements in ${quiet} other ${quiet === 1 ? 'wallet' : 'wallets'}.`]
  return [...moved.map((each) => book(format, each)), ...rest].join('\n\n')
}

function book(
  { table, money, paint }: Formatter,
  { currency: code, country: where, opening, lines, closing }: WalletStatement,
): string {
  const listing = table(lines, {
    WHEN: ({ at }) => second(at),
    TYPE: ({ type }) => type,
    REFERENCE: ({ externalReference, transactionId }) => externalReference || transactionId,
    AMOUNT: right(({ amount }) => money(amount, code)),
    BALANCE: right(({ balance }) => money(balance, code)),
  })
  const title = `${code} ${where}: opens with ${money(opening, code)}, closes with ${money(closing, code)}`
  return [paint('bold', title), listing].join('\n')
}
