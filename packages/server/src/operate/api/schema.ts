import { type TProperties, Type } from 'typebox'

/** The forms of the operator API's requests and responses. */

export const oneOf = <const Values extends readonly string[]>(values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values] })

export const Environment = oneOf(['live', 'sandbox'])
/** Text of one line. Characters that end a line or turn its direction could forge what an approver or an auditor reads. */
const oneLine = { pattern: '^[^\\p{Cc}\\p{Zl}\\p{Zp}\\u202a-\\u202e\\u2066-\\u2069]*$' }
export const text = Type.String({ maxLength: 500, ...oneLine })
export const optionalText = Type.Optional(Type.String({ maxLength: 500 }))
export const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  ...oneLine,
  description: 'Why; kept in the audit trail',
})
export const Evidence = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'What proves it, such as a line of a statement; kept in the audit trail',
})
export const MerchantId = Type.String({ maxLength: 100, description: '`mer_…`' })
export const PaymentId = Type.String({
  maxLength: 100,
  description: '`txn_…`, or the key of an attempt at its provider',
})
export const Limit = (most: number) => Type.Integer({ minimum: 1, maximum: most })

export const view = <Fields extends TProperties>(name: string, fields: Fields) => Type.Object(fields, { title: name })

export const MerchantView = view('Merchant', {
  id: text,
  name: text,
  email: text,
  country: text,
  state: oneOf(['active', 'frozen']),
  createdAt: text,
})

export const MerchantCurrencies = view('MerchantCurrencies', {
  merchantId: text,
  env: Environment,
  enabled: Type.Array(text),
  disabled: Type.Array(text),
})

export const NewPair = view('NewKeyPair', {
  publicKey: text,
  apiKey: Type.String({ description: 'Shown once' }),
  env: Environment,
})

export const KeyView = view('KeyPair', {
  publicKey: text,
  env: Environment,
  scopes: Type.Array(text),
  addresses: Type.Array(text),
  state: oneOf(['active', 'revoked']),
  createdAt: text,
  tokenIssuedAt: optionalText,
})

export const Posted = view('Posted', { transactionId: text, amount: text, currency: text })

export const FeeOperation = oneOf(['charge', 'payout', 'refund'])

export const FeeRuleView = view('FeeRule', {
  id: text,
  env: Environment,
  operation: FeeOperation,
  method: text,
  currency: text,
  merchantId: optionalText,
  basisPoints: Type.Integer(),
  fixed: text,
  min: optionalText,
  max: optionalText,
  isReturned: Type.Boolean(),
  effectiveFrom: text,
  setAt: text,
  setBy: text,
  status: oneOf(['in force', 'scheduled', 'superseded']),
})

export const FeeQuote = view('FeeQuote', {
  basisPoints: Type.Integer(),
  fixed: text,
  min: optionalText,
  max: optionalText,
  isReturned: Type.Boolean(),
  amount: text,
  fee: text,
  currency: text,
})

const AccountNumber = Type.String({ description: 'Only its last digits, unless the reader has `personal-data:read`' })

const PaymentType = oneOf(['payout', 'charge', 'refund', 'conversion', 'adjustment'])

const listed = {
  id: text,
  env: Environment,
  type: PaymentType,
  amount: text,
  currency: text,
  state: text,
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
      createdAt: text,
      account: AccountNumber,
    }),
  ),
  next: Type.Optional(Type.String({ description: 'The `before` of the next page' })),
  notIndexed: Type.Array(Type.Object({ from: text, until: text }), {
    description: 'Payments accepted in these times are not found yet by number or receipt',
  }),
})

export const AnyFields = Type.Record(Type.String(), Type.Unknown())

export const PaymentView = view('Payment', {
  ...listed,
  merchant: Type.Object({ id: text, name: text, isFrozen: Type.Boolean() }),
  suspenseCase: optionalText,
  adjustments: Type.Optional(Type.Array(text)),
  adjusts: optionalText,
  externalReference: text,
  method: text,
  destination: text,
  country: text,
  code: text,
  accountName: text,
  account: AccountNumber,
  wallet: Type.Object({ amount: text, fee: text, currency: text, country: text }),
  failure: optionalText,
  receipt: optionalText,
  createdAt: text,
  updatedAt: text,
  expiresAt: optionalText,
  attempts: Type.Array(
    Type.Object({
      number: Type.Integer(),
      provider: text,
      key: text,
      sends: Type.Integer(),
      polls: Type.Integer(),
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
  next: Type.Object({ what: text, at: optionalText }),
})

export const ResolvedPayment = view('ResolvedPayment', { id: text, state: text, money: text, caution: optionalText })

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

export const FloatView = view('Float', {
  provider: text,
  env: Environment,
  country: text,
  currency: text,
  amount: text,
  mark: optionalText,
  isLow: Type.Boolean(),
})

const LaneState = oneOf(['running', 'paused'])

export const ProvidersView = view('Providers', {
  providers: Type.Array(
    Type.Object({
      provider: text,
      env: Environment,
      state: LaneState,
      pausedAt: optionalText,
      pauseReason: optionalText,
      isUnhealthy: Type.Optional(Type.Literal(true)),
      open: Type.Record(Type.String(), Type.Integer()),
      oldestOpenSeconds: Type.Optional(Type.Number()),
      inDoubt: Type.Integer(),
      suspenseCases: Type.Integer(),
      lastHour: Type.Object({ successful: Type.Integer(), failed: Type.Integer() }),
    }),
  ),
  floats: Type.Array(FloatView),
  isHourCut: Type.Boolean(),
})

export const LaneView = view('Lane', { provider: text, env: Environment, state: LaneState, woken: Type.Integer() })

export const RateView = view('Rate', {
  env: Environment,
  pair: text,
  buy: optionalText,
  sell: optionalText,
  providerBuy: optionalText,
  providerSell: optionalText,
  provider: optionalText,
  at: optionalText,
  confirmedBy: optionalText,
  isTooOld: Type.Boolean(),
  held: Type.Optional(Type.Object({ id: text, buy: text, sell: text, provider: text, at: text, jumpPercent: text })),
})

export const DecidedRate = view('DecidedRate', { id: text, env: Environment, pair: text, buy: text, sell: text })

export const PayoutControlsView = view('PayoutControls', {
  merchantId: text,
  env: Environment,
  currencies: Type.Array(
    Type.Object({
      currency: text,
      perPayout: optionalText,
      perCredentialDay: optionalText,
      perMerchantDay: optionalText,
      perBeneficiaryDay: optionalText,
      approvalAbove: optionalText,
    }),
  ),
  newBeneficiariesNeedApproval: Type.Boolean(),
  bulkNeedsApproval: Type.Boolean(),
})

export const WalletView = view('OperatorWallet', {
  env: Environment,
  currency: text,
  country: text,
  balance: text,
  available: text,
  pending: text,
  owed: text,
})

export const MerchantOverview = view('MerchantOverview', {
  ...MerchantView.properties,
  frozenAt: optionalText,
  keys: Type.Array(KeyView),
  wallets: Type.Array(WalletView),
  webhooks: Type.Array(
    Type.Object({
      env: Environment,
      endpoint: text,
      url: text,
      state: oneOf(['none', 'healthy', 'failing', 'disabled']),
      failures: Type.Integer(),
      failingSince: optionalText,
      disabledAt: optionalText,
    }),
  ),
  fees: Type.Array(FeeRuleView),
  disabledCurrencies: Type.Array(Type.Object({ env: Environment, currencies: Type.Array(text) })),
  openPayments: Type.Array(
    Type.Object({ env: Environment, state: text, payments: Type.Integer(), oldestSeconds: Type.Number() }),
  ),
  lastPayments: Type.Array(Type.Object({ env: Environment, at: text })),
})

export const ThresholdView = view('Threshold', { currency: text, amount: text })

const PostingView = Type.Object({
  event: text,
  kind: oneOf(['hold', 'post', 'void', 'transfer']),
  debit: text,
  credit: text,
  amount: text,
  currency: text,
})

export const ProposalView = view('Proposal', {
  proposalId: text,
  operation: text,
  summary: text,
  env: Type.Optional(Environment),
  merchantId: optionalText,
  amount: optionalText,
  currency: optionalText,
  postings: Type.Array(PostingView, { description: 'The ledger entries that its execution makes' }),
  change: AnyFields,
  reason: text,
  proposedBy: text,
  proposedById: Type.String({ description: '`person_…` or `machine_…`: names are not unique' }),
  createdAt: text,
  expiresAt: text,
  state: oneOf(['open', 'expired', 'executed', 'rejected', 'withdrawn', 'void']),
  decidedBy: optionalText,
  decidedById: optionalText,
  hasSecret: Type.Optional(Type.Literal(true, { description: 'A key, link or code waits to be collected' })),
  decidedAt: optionalText,
  decisionReason: optionalText,
  subject: optionalText,
})
