import type { Malipo, Quote, QuoteRequest } from '@malipo/sdk'
import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { amount, country, currency } from './options.ts'
import { type PayeeOptions, payeeOf, requirePayee, withPayee } from './payee-options.ts'
import { newReference, type PaymentOptions, requireLiveFlag } from './payment-options.ts'
import type { Formatter } from './table.ts'

interface QuoteOptions extends PayeeOptions {
  readonly amount?: string
  readonly debitAmount?: string
  readonly currency?: string
}

interface ConvertOptions extends Pick<PaymentOptions, 'reference' | 'live'> {
  readonly from?: string
  readonly fromCountry?: string
  readonly to?: string
  readonly toCountry?: string
  readonly amount?: string
  readonly toAmount?: string
  readonly quote?: string
  readonly dryRun?: true
}

/** `quote` prices a payout. A conversion is priced by `convert --dry-run`, whose options are its own. */
export function addQuoteCommands(program: Command, context: CommandContext): void {
  guide(
    withPayee(
      program
        .command('quote')
        .description('Show what a payout costs, and keep that price for a minute.')
        .option('--amount <decimal>', 'what the beneficiary gets, in major units', amount)
        .option('--debit-amount <decimal>', 'instead: what may leave the wallet, fee included', amount)
        .option('--currency <code>', 'currency that is paid, such as KES', currency),
    ),
    {
      note: 'Holds no money. Make the payout at this price: malipo pay --quote <id> with the amount.',
      examples: [
        'malipo quote --amount 300 --currency KES --country KE --to +254712345678 --name "Juma Ali"',
        'malipo quote --debit-amount 5000 --currency NGN --country NG --destination "Bank Account" --to 0690000031 --name "Ngozi Obi" --code 044',
      ],
    },
  ).action(async (options: QuoteOptions, command: Command) => {
    requirePayee(options, command)
    if ((options.amount === undefined) === (options.debitAmount === undefined))
      command.error('error: --amount or --debit-amount is required, and not both', { exitCode: 2 })
    const quote = await context.call((malipo) => malipo.quotes.create(requestOf(options)))
    context.print(quote, ({ money }) => payoutLines(quote, money).join('\n'))
  })

  guide(
    program
      .command('convert')
      .description('Convert money between two of your wallets, at once.')
      .option('--from <code>', 'currency of the wallet that pays', currency)
      .option('--from-country <code>', 'its country, if several have that currency', country)
      .option('--to <code>', 'currency of the wallet that is credited', currency)
      .option('--to-country <code>', 'its country, if several have that currency', country)
      .option('--amount <decimal>', 'what leaves the first wallet, in major units', amount)
      .option('--to-amount <decimal>', 'instead: what the second wallet gets', amount)
      .option('--quote <id>', 'qt_…, instead of these options: convert at this price')
      .option('--reference <text>', 'your unique reference; default: generated')
      .option('--dry-run', 'only show the price, and keep it for a minute')
      .option('--live', 'confirm that real money moves; required with a live key pair'),
    {
      examples: [
        'malipo convert --from KES --to USD --to-country KE --amount 2000 --dry-run',
        'malipo convert --from USD --from-country KE --to KES --to-amount 1000 --reference treasury-7',
      ],
    },
  ).action(async (options: ConvertOptions, command: Command) => {
    requireConversion(options, command)
    if (options.dryRun) return showPrice(context, options)
    const made = await context.call((malipo, access) => {
      requireLiveFlag(access, options)
      return malipo.conversions.create(conversionOf(options))
    })
    context.print(made, ({ money }) =>
      [
        `Converted ${sum(money, made.fromAmount, made.fromCurrency)} to ${sum(money, made.toAmount, made.toCurrency)}.`,
        `  transaction  ${made.transactionId}`,
        `  reference    ${made.externalReference}`,
        `  rate         ${made.rate.pair} ${made.rate.value}`,
      ].join('\n'),
    )
  })
}

async function showPrice(context: CommandContext, options: ConvertOptions): Promise<void> {
  const quote = await context.call((malipo) => malipo.quotes.create(sidesOf(options) as QuoteRequest))
  const { fromAmount = 0, fromCurrency = '', toAmount = 0, toCurrency = '' } = quote
  context.print(quote, ({ money }) =>
    [
      `${sum(money, fromAmount, fromCurrency)} convert to ${sum(money, toAmount, toCurrency)}.`,
      ...priceLines(quote),
    ].join('\n'),
  )
}

function payoutLines(quote: Quote, money: Formatter['money']): string[] {
  const { amount: paid = 0, currency: code = '', debitAmount = 0, debitCurrency = '', fee = 0 } = quote
  return [
    `Paying ${sum(money, paid, code)} takes ${sum(money, debitAmount, debitCurrency)}, of which ${sum(money, fee, debitCurrency)} is the fee.`,
    ...priceLines(quote),
  ]
}

const sum = (money: Formatter['money'], value: number, code: string) => `${money(value, code)} ${code}`

const priceLines = ({ quoteId, expiresAt, rate }: Quote) => [
  ...(rate ? [`  rate     ${rate.pair} ${rate.value}`] : []),
  `  quote    ${quoteId}`,
  `  expires  ${expiresAt}`,
]

type PayoutRequest = Parameters<Malipo['quotes']['create']>[0]

function requestOf(options: QuoteOptions): PayoutRequest {
  const { amount: paid, debitAmount } = options
  // The server reports what the destination lacks.
  return { ...payeeOf(options), ...(paid ? { amount: paid } : { debitAmount }) } as PayoutRequest
}

function requireConversion(
  { quote, from, to, amount: leaves, toAmount, dryRun }: ConvertOptions,
  command: Command,
): void {
  const isDescribed = from && to && (leaves === undefined) !== (toAmount === undefined)
  const isByQuote = quote && !dryRun && !(from || to || leaves || toAmount)
  if (!isDescribed && !isByQuote)
    command.error('error: --from, --to and one of --amount and --to-amount are required, or --quote alone', {
      exitCode: 2,
    })
}

function sidesOf({ from, fromCountry, to, toCountry, amount: leaves, toAmount }: ConvertOptions) {
  return {
    ...(from && { fromCurrency: from }),
    ...(fromCountry && { fromCountry }),
    ...(to && { toCurrency: to }),
    ...(toCountry && { toCountry }),
    ...(leaves && { amount: leaves }),
    ...(toAmount && { toAmount }),
  }
}

function conversionOf(options: ConvertOptions): Parameters<Malipo['conversions']['create']>[0] {
  const { reference = newReference('convert'), quote } = options
  const sides = quote ? { quoteId: quote } : sidesOf(options)
  return { externalReference: reference, ...sides } as Parameters<Malipo['conversions']['create']>[0]
}
