import { Type } from 'typebox'
import { type Stage, stageMeanings } from '../../payments/model/state.ts'
import { clearingKinds } from '../clearings.ts'
import { AnyFields, Environment, oneOf, optionalText, PostingView, ProposalView, text, view } from './schema.ts'

/** The forms of payments, callbacks and cases in the operator API. */

const AccountNumber = Type.String({ description: 'Only its last digits, unless the reader has `personal-data:read`' })

export const PaymentType = oneOf(['payout', 'charge', 'refund', 'conversion', 'adjustment'])

const stageNames = Object.keys(stageMeanings) as Stage[]

const listed = {
  id: text,
  env: Environment,
  type: PaymentType,
  amount: text,
  currency: text,
  country: text,
  method: text,
  code: Type.String({ description: 'The mobile money operator, the bank or the kind of card' }),
  state: text,
  stage: oneOf(stageNames),
  doubt: Type.String({ description: 'Why it waits or is in doubt, by name; empty otherwise' }),
  createdAt: text,
  reason: text,
  provider: text,
  attempt: Type.Integer(),
}

const listedPayment = {
  ...listed,
  merchant: Type.Object({ id: text, name: text }),
  externalReference: text,
  ageSeconds: Type.Number(),
  nextPollInSeconds: Type.Optional(Type.Number()),
}

export const PaymentPage = view('PaymentPage', {
  payments: Type.Array(Type.Object(listedPayment)),
  next: Type.Optional(Type.String({ description: 'The `after` of the next page' })),
})

export const FoundPayments = view('FoundPayments', {
  payments: Type.Array(
    Type.Object({
      ...listedPayment,
      matched: oneOf(['id', 'provider_key', 'reference', 'phone', 'account', 'receipt']),
      account: AccountNumber,
    }),
  ),
  next: Type.Optional(Type.String({ description: 'The `before` of the next page' })),
  notIndexed: Type.Array(Type.Object({ from: text, until: text }), {
    description: 'Payments accepted in these times are not found yet by number or receipt',
  }),
})

const callback = {
  id: text,
  env: Environment,
  provider: text,
  receivedAt: text,
  outcome: text,
  meaning: text,
  reason: optionalText,
  keys: Type.Array(text),
  transactionId: optionalText,
  bodyBytes: Type.Integer(),
}

export const ListedCallback = view('ListedCallback', callback)

export const PaymentView = view('Payment', {
  ...listed,
  merchant: Type.Object({ id: text, name: text, isFrozen: Type.Boolean() }),
  suspenseCase: optionalText,
  adjustments: Type.Optional(Type.Array(text)),
  adjusts: optionalText,
  externalReference: text,
  destination: text,
  guidance: Type.Optional(
    Type.Object({ meaning: text, withoutHelp: text, check: text, action: text }, { description: 'About its doubt' }),
  ),
  accountName: text,
  account: AccountNumber,
  wallet: Type.Object({ amount: text, fee: text, currency: text, country: text }),
  failure: optionalText,
  receipt: optionalText,
  updatedAt: text,
  expiresAt: optionalText,
  attempts: Type.Array(
    Type.Object({
      number: Type.Integer(),
      provider: text,
      key: text,
      sends: Type.Integer(),
      polls: Type.Integer(),
      refusals: Type.Integer({ description: 'How often in a row the provider could not accept it' }),
      sendDeadline: optionalText,
      outcome: text,
    }),
  ),
  events: Type.Array(
    Type.Object({
      at: text,
      cause: text,
      state: text,
      message: text,
      notifiesMerchant: Type.Boolean(),
      detail: AnyFields,
    }),
  ),
  ledger: Type.Optional(Type.String({ description: 'The ledger entries, drawn' })),
  entries: Type.Array(Type.Object({ number: Type.Integer(), at: text, ...PostingView.properties }), {
    description: 'The same entries; a hold and its end have the same number',
  }),
  sums: Type.Array(Type.Object({ currency: text, debits: text, credits: text }), {
    description: 'Debits and credits of what is posted, per currency',
  }),
  archivedMonth: Type.Optional(
    Type.String({
      description:
        'YYYY-MM, if entries of this month are archived: `malipo archive read` draws them, and only later ones are here',
    }),
  ),
  next: Type.Object({ what: text, at: optionalText }),
  callbacks: Type.Optional(Type.Array(ListedCallback)),
  proposals: Type.Array(ProposalView, { description: 'Open proposals about it, or about its money in suspense' }),
})

export const ResolvedPayment = view('ResolvedPayment', { id: text, state: text, money: text, caution: optionalText })

export const ResolutionView = view('Resolution', {
  outcome: oneOf(['successful', 'failed']),
  isPossible: Type.Boolean(),
  refusal: optionalText,
  money: optionalText,
  caution: optionalText,
  state: optionalText,
  postings: Type.Array(PostingView, { description: 'The ledger entries that it makes' }),
})

export const RetriedPayment = view('RetriedPayment', { id: text, provider: text, key: text, isPaused: Type.Boolean() })

export const CaseView = view('SuspenseCase', {
  id: text,
  env: Environment,
  kind: text,
  meaning: text,
  amount: text,
  currency: text,
  provider: text,
  country: text,
  merchantId: optionalText,
  transactionId: optionalText,
  providerKey: optionalText,
  openedAt: text,
  ageSeconds: Type.Number(),
  closedAt: optionalText,
  outcome: optionalText,
  clearedBy: optionalText,
})

export const ClearedCase = view('ClearedCase', {
  id: text,
  outcome: text,
  amount: text,
  currency: text,
  transactionId: text,
})

export const ClearingView = view('Clearing', {
  kind: oneOf(clearingKinds),
  isPossible: Type.Boolean(),
  refusal: optionalText,
  outcome: optionalText,
  postings: Type.Array(PostingView, { description: 'The ledger entries that it makes' }),
})

export const CallbackView = view('Callback', {
  ...callback,
  address: text,
  method: text,
  path: text,
  host: text,
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String(),
  encoding: oneOf(['utf8', 'base64']),
  isCut: Type.Boolean(),
})
