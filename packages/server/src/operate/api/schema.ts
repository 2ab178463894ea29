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

export const AnyFields = Type.Record(Type.String(), Type.Unknown())

export const FloatView = view('Float', {
  provider: text,
  env: Environment,
  country: text,
  currency: text,
  amount: text,
  mark: optionalText,
  isLow: Type.Boolean(),
  outflowPerHour: Type.Optional(Type.String({ description: 'By the payouts and refunds of the last 24 hours' })),
  hoursLeft: Type.Optional(Type.Number({ description: 'How long the amount lasts at that rate' })),
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
  payoutControls: Type.Array(PayoutControlsView),
  people: Type.Optional(
    Type.Array(
      Type.Object({
        id: text,
        name: text,
        email: text,
        roles: Type.Array(
          Type.Object({
            id: text,
            role: text,
            countries: Type.Array(text),
            currencies: Type.Array(text),
            grantedBy: text,
          }),
        ),
      }),
      { description: 'Missing for readers without `people:read`' },
    ),
  ),
  disabledCurrencies: Type.Array(Type.Object({ env: Environment, currencies: Type.Array(text) })),
  openPayments: Type.Array(
    Type.Object({ env: Environment, state: text, payments: Type.Integer(), oldestSeconds: Type.Number() }),
  ),
  lastPayments: Type.Array(Type.Object({ env: Environment, at: text })),
})

export const ThresholdView = view('Threshold', { currency: text, amount: text })

export const PostingView = Type.Object({
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
