import { Type } from 'typebox'
import { accountKinds } from '../ledger-accounts.ts'
import { Environment, oneOf, optionalText, text, view } from './schema.ts'

/** The forms of the pages of the ledger. */

export const AccountId = Type.String({ maxLength: 100, description: '`acc_…`' })
export const AccountKind = oneOf(accountKinds)

export const TrialBalanceView = view('TrialBalance', {
  env: Environment,
  at: text,
  isBalanced: Type.Boolean({ description: 'Whether the sum of every currency is 0' }),
  accounts: Type.Integer(),
  currencies: Type.Array(
    Type.Object({
      currency: text,
      kinds: Type.Array(
        Type.Object({
          kind: AccountKind,
          accounts: Type.Integer(),
          debits: text,
          credits: text,
          balance: Type.String({ description: 'Debits less credits' }),
          held: Type.String({ description: 'Debits that holds reserve' }),
        }),
      ),
      debits: text,
      credits: text,
      sum: Type.String({ description: 'Debits less credits' }),
      isBalanced: Type.Boolean(),
    }),
  ),
})

const AccountView = view('LedgerAccount', {
  account: text,
  kind: AccountKind,
  name: text,
  env: Environment,
  currency: text,
  country: optionalText,
  provider: optionalText,
  merchant: Type.Optional(Type.Object({ id: text, name: text })),
  debits: text,
  credits: text,
  side: { ...oneOf(['debit', 'credit']), description: 'The side that increases the balance' },
  balance: text,
  held: text,
})

export const AccountPage = view('LedgerAccountPage', {
  accounts: Type.Array(AccountView),
  next: Type.Optional(Type.String({ description: 'The `after` of the next page' })),
})

export const AccountEntries = view('LedgerEntries', {
  account: AccountView,
  entries: Type.Array(
    Type.Object({
      at: text,
      transactionId: optionalText,
      externalReference: optionalText,
      event: text,
      number: Type.Integer({ description: 'The number of the entry within its transaction' }),
      otherSide: text,
      debit: optionalText,
      credit: optionalText,
      balance: Type.String({ description: "After the entry, on the account's side" }),
    }),
    { description: 'Newest first' },
  ),
  next: Type.Optional(
    Type.String({ description: 'The `cursor` of the next page; a page may be empty and not be the last' }),
  ),
})

const CheckRun = Type.Object({
  at: text,
  isGood: Type.Boolean(),
  problem: Type.Optional(Type.String({ description: 'The difference that was found' })),
})

export const LedgerIntegrityView = view('LedgerIntegrity', {
  at: text,
  lastSeal: Type.Optional(Type.Object({ number: Type.Integer(), at: text, hash: text, isIntact: Type.Boolean() })),
  unsealedBatches: Type.Integer({ description: 'At most 10,001 are counted' }),
  chains: Type.Integer(),
  batches: Type.Integer(),
  entriesAbout: Type.Integer({ description: 'Transfers in the ledger, as the database estimates them' }),
  check: Type.Object({
    lastRun: Type.Optional(CheckRun),
    lastFullRun: Type.Optional(CheckRun),
    hasRun: Type.Boolean(),
    seal: Type.Optional(Type.Integer()),
    sealedAt: optionalText,
    uncheckedBatches: Type.Integer({ description: 'At most 10,001 are counted' }),
  }),
  audit: Type.Object({
    chains: Type.Array(
      Type.Object({ chain: Type.Integer(), entries: Type.Integer(), head: text, verified: Type.Integer() }),
    ),
  }),
})
