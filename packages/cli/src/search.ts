import type { FoundTransaction } from '@malipo/sdk'
import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { guide } from './guide.ts'
import { whole } from './options.ts'
import { type Formatter, right } from './table.ts'
import { type FilterOptions, filterOf, withFilter } from './transaction-filter.ts'

interface SearchOptions extends FilterOptions {
  readonly limit: number
}

export function addSearchCommand(program: Command, context: CommandContext): void {
  guide(
    withFilter(
      program
        .command('search')
        .description('Find transactions by a number, a name, a reference or a receipt.')
        .argument('[text]', "id, reference, phone or account number, provider's receipt, or first words of a name"),
    ).option('--limit <count>', 'at most this many', whole(1, 100_000), 20),
    {
      examples: [
        'malipo search 0703456789',
        'malipo search "Amina Otieno" --type payout',
        'malipo search --method card --status failed --from 2026-11-01 --json',
      ],
    },
  ).action(async (text: string | undefined, options: SearchOptions) => {
    const search = filterOf(options, text)
    const found = await context.call((malipo) => malipo.search.transactions(search).toArray(options.limit))
    context.print(found, (format) => (found.length === 0 ? 'No transactions match.' : listing(format, found)))
  })
}

const listing = ({ table, status, money }: Formatter, found: readonly FoundTransaction[]) =>
  table(found, {
    'WHEN (UTC)': ({ fullTimestamp }) => fullTimestamp.slice(0, 19).replace('T', ' '),
    TRANSACTION: ({ transactionId }) => transactionId,
    REFERENCE: ({ externalReference }) => externalReference,
    TYPE: ({ type }) => type,
    AMOUNT: right(({ amount, currency: code }) => money(amount, code)),
    CUR: ({ currency: code }) => code,
    STATUS: (each) => status(each.status),
    WHO: whoOf,
  })

/** The payer or the beneficiary, as a person knows them. */
function whoOf({ customer, beneficiary }: FoundTransaction): string {
  const { name, phoneNumber, accountNumber, card } = customer ?? {}
  const payer = [name, phoneNumber ?? accountNumber ?? (card && `${card.brand} ${card.last4}`)]
  const payee = [beneficiary.accountName, beneficiary.accountNumber]
  return (customer ? payer : payee).filter(Boolean).join(' ')
}
