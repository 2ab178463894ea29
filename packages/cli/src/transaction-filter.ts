import type { TransactionSearch } from '@malipo/sdk'
import { type Command, Option } from 'commander'
import { amount, country, currency, day, requireOrder } from './options.ts'

/** What selects transactions in `search` and `export`. */
export interface FilterOptions {
  readonly status?: 'pending' | 'failed' | 'successful'
  readonly type?: string
  readonly method?: NonNullable<TransactionSearch['method']>
  readonly currency?: string
  readonly country?: string
  readonly min?: string
  readonly max?: string
  readonly from?: string
  readonly to?: string
}

const types: Readonly<Record<string, string>> = { charge: 'deposit', payout: 'withdrew' }

export const withFilter = (command: Command): Command =>
  command
    .addOption(
      new Option('--status <status>', 'only transactions with this status').choices([
        'pending',
        'successful',
        'failed',
      ]),
    )
    .addOption(
      new Option('--type <type>', 'only transactions of this type').choices([
        ...Object.keys(types),
        ...['refund', 'conversion', 'adjustment'],
      ]),
    )
    .addOption(
      new Option('--method <method>', 'only transactions by this method').choices([
        ...['momo', 'card', 'bank-transfer', 'bank', 'conversion'],
      ]),
    )
    .option('--currency <code>', 'only transactions in this currency', currency)
    .option('--country <code>', 'only transactions of this country', country)
    .option('--min <amount>', 'only transactions of at least this amount', amount)
    .option('--max <amount>', 'only transactions of at most this amount', amount)
    .option('--from <day>', 'first day, such as 2026-11-15, in UTC', day)
    .option('--to <day>', 'last day, included', day)

export function filterOf(options: FilterOptions, q: string | undefined): TransactionSearch {
  const { status, type, method, min, max, from, to, currency: code, country: where } = options
  if (from !== undefined) requireOrder(from, to)
  return {
    ...(q !== undefined && { q }),
    ...(status && { status }),
    ...(type && { type: types[type] ?? type }),
    ...(method && { method }),
    ...(code && { currency: code }),
    ...(where && { country: where }),
    ...(min !== undefined && { minAmount: Number(min) }),
    ...(max !== undefined && { maxAmount: Number(max) }),
    ...(from && { startDate: from }),
    ...(to && { endDate: to }),
  }
}
