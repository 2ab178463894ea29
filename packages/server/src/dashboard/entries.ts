import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { archivedMonthOf } from '../ledger/archive/archived-months.ts'
import { type EntryAccount, type LedgerEntry, readEntries } from '../ledger/entries.ts'
import type { Currency } from '../money/currencies.ts'
import { numberFromMinor } from '../money/money.ts'
import { providerNames } from '../providers/registry.ts'
import { findTransaction } from '../transactions/read.ts'
import { dataOf } from './schema.ts'

const Account = Type.Object(
  {
    kind: Type.String({
      description: 'wallet, in_progress, fees, provider, exchange, suspense, debt, operator or other',
    }),
    name: Type.String({ description: 'For people, such as `Your KES wallet`' }),
    country: Type.String({ description: 'Of a wallet or a provider; otherwise empty' }),
  },
  { title: 'EntryAccount' },
)

const Entry = Type.Object(
  {
    number: Type.Integer({ description: 'Of the posting: a hold and its end have the same number' }),
    kind: Type.String({ description: '`hold`, `posted` or `released`' }),
    event: Type.String(),
    debit: Account,
    credit: Account,
    amount: Type.Number(),
    currency: Type.String(),
    at: Type.String(),
  },
  { title: 'LedgerEntry' },
)

const Sum = Type.Object(
  {
    currency: Type.String(),
    debits: Type.Number({ description: 'What is posted or held. A hold and its posting count once' }),
    credits: Type.Number(),
    held: Type.Number({ description: 'The part that is still held' }),
    difference: Type.String({ description: 'Debits less credits in minor units. Always `0`' }),
  },
  { title: 'EntrySum' },
)

const Entries = Type.Object({
  entries: Type.Array(Entry),
  sums: Type.Array(Sum),
  archivedMonth: Type.Optional(
    Type.String({
      description:
        "YYYY-MM, if the operator has archived the entries of the payment's month: then only entries that were booked later are here",
    }),
  ),
})

/** The double entries of a payment. */
export function entryRoutes(app: App, ctx: Context): void {
  app.get(
    '/transactions/:transactionId/entries',
    {
      config: { errors: ['TRANSACTION_MISSING'] },
      schema: {
        summary: "Read a transaction's double entries",
        description:
          "In posting order, without those between the operator's own accounts: its exchange margin and its costs.",
        tags: ['Transactions'],
        params: Type.Object({ transactionId: Type.String({ maxLength: 100 }) }),
        response: { 200: dataOf(Entries) },
      },
    },
    async (request) => {
      const owner = bearerOf(request)
      const transaction = await findTransaction(ctx.db.read, owner, request.params.transactionId)
      if (!transaction) throw new AppError('TRANSACTION_MISSING')
      const entries = (await readEntries(ctx.db.write, owner, transaction.id)).filter((entry) => !isOperators(entry))
      // Read after the entries: a month that is archived in between is named.
      const archivedMonth = await archivedMonthOf(ctx.db.write, transaction.id)
      const data = { entries: entries.map(present), sums: sumsOf(entries), ...(archivedMonth && { archivedMonth }) }
      return { success: true as const, data }
    },
  )
}

/** The operator's margin and costs are its own, and no money of the merchant is in them. */
function isOperators({ debit, credit }: LedgerEntry): boolean {
  const kinds = [debit.kind, credit.kind]
  const isOwn = kinds.includes('cost') || kinds.includes('fx_income')
  return isOwn && (kinds.includes('float') || kinds.includes('fx_position'))
}

const kinds = { hold: 'hold', post: 'posted', void: 'released', transfer: 'posted' } as const

function present({ number, kind, event, debit, credit, amount, currency, at }: LedgerEntry) {
  return {
    number,
    kind: kinds[kind],
    event,
    debit: presentAccount(debit, currency),
    credit: presentAccount(credit, currency),
    amount: numberFromMinor(amount, currency as Currency),
    currency,
    at: new Date(Number(at / 1000n)).toISOString(),
  }
}

/** The words of a merchant for the accounts of the ledger. */
const accountWords = {
  wallet: { kind: 'wallet', name: 'Your wallet' },
  float: { kind: 'provider', name: 'Provider' },
  fees: { kind: 'fees', name: 'Fees' },
  clearing: { kind: 'in_progress', name: 'In progress' },
  fx_position: { kind: 'exchange', name: 'Currency exchange' },
  fx_income: { kind: 'exchange', name: 'Currency exchange' },
  suspense: { kind: 'suspense', name: 'Received, not yet credited' },
  receivable: { kind: 'debt', name: 'Owed to the operator' },
  cost: { kind: 'operator', name: 'Operator' },
  treasury: { kind: 'operator', name: 'Operator' },
  other: { kind: 'other', name: 'Another account' },
} as const satisfies Record<EntryAccount['kind'], { kind: string; name: string }>

function presentAccount({ kind, country, provider }: EntryAccount, currency: string) {
  const words = accountWords[kind]
  if (kind === 'wallet') return { ...words, name: `Your ${currency} wallet`, country }
  if (kind === 'float') return { ...words, name: `Provider ${nameOfProvider(provider)}`, country }
  return { ...words, country: '' }
}

const nameOfProvider = (provider: string) => (providerNames as Readonly<Record<string, string>>)[provider] ?? provider

/** What an entry adds to what is held, and to what is held or posted. */
const effects = {
  hold: { held: 1n, all: 1n },
  post: { held: -1n, all: 0n },
  void: { held: -1n, all: -1n },
  transfer: { held: 0n, all: 1n },
} as const

/** Debits and credits are added up by account, each on its own. */
function sumsOf(entries: readonly LedgerEntry[]) {
  return [...Map.groupBy(entries, ({ currency }) => currency)].map(([currency, some]) => {
    const shown = (minor: bigint) => numberFromMinor(minor, currency as Currency)
    const held = total(some.map(({ kind, amount }) => effects[kind].held * amount))
    const debits = total(sideOf(some, 'debit'))
    const credits = total(sideOf(some, 'credit'))
    const difference = String(debits - credits)
    return { currency, debits: shown(debits), credits: shown(credits), held: shown(held), difference }
  })
}

function sideOf(entries: readonly LedgerEntry[], side: 'debit' | 'credit'): bigint[] {
  const byAccount = Map.groupBy(entries, (entry) => JSON.stringify(entry[side]))
  return [...byAccount.values()].map((some) => total(some.map(({ kind, amount }) => effects[kind].all * amount)))
}

const total = (amounts: readonly bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n)
