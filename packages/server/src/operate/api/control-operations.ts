import { Type } from 'typebox'
import { type Operation, operation } from './operation.ts'
import { Environment, MerchantId, PayoutControlsView, Reason, ThresholdView, text } from './schema.ts'

const merchant = MerchantId
const amount = Type.String({ maxLength: 30, description: 'Decimal text in major units' })
const someLimit = Type.Optional(Type.String({ maxLength: 30, description: 'Decimal text in major units, or `none`' }))

/** Limits and approval rules: every change needs a second person, whether it weakens or tightens them. */
export const controlOperations: readonly Operation[] = [
  operation({
    name: 'payoutControls.show',
    method: 'GET',
    path: '/merchants/:merchant/payout-controls',
    permission: 'merchants:read',
    summary: 'Show the payout limits and approval rules of a merchant',
    input: Type.Object({ merchant }),
    output: Type.Array(PayoutControlsView),
    run: (operator, { merchant: id }) => operator.payoutControls.show(id),
  }),
  operation({
    name: 'payoutControls.setLimits',
    method: 'PUT',
    path: '/merchants/:merchant/payout-limits',
    permission: 'limits:write',
    isSteppedUp: true,
    summary: 'Set the payout limits of a merchant in one currency',
    input: Type.Object({
      merchant,
      env: Environment,
      currency: text,
      perPayout: someLimit,
      perCredentialDay: someLimit,
      perMerchantDay: someLimit,
      perBeneficiaryDay: someLimit,
      reason: Reason,
    }),
    output: PayoutControlsView,
    control: {
      approve: 'limits:approve',
      describe: ({ merchant: id, currency, env }) => `Set the ${env} payout limits of ${id} in ${currency}`,
    },
    run: (operator, { merchant: id, ...order }) => operator.payoutControls.setLimits(id, order),
  }),
  operation({
    name: 'payoutControls.setApprovals',
    method: 'PUT',
    path: '/merchants/:merchant/approval-rules',
    permission: 'limits:write',
    isSteppedUp: true,
    summary: 'Set which payouts of a merchant need approval',
    input: Type.Object({
      merchant,
      env: Environment,
      above: someLimit,
      currency: Type.Optional(text),
      newBeneficiaries: Type.Optional(Type.Boolean()),
      bulk: Type.Optional(Type.Boolean()),
      reason: Reason,
    }),
    output: PayoutControlsView,
    control: {
      approve: 'limits:approve',
      describe: ({ merchant: id, env }) => `Set the ${env} approval rules of ${id}`,
    },
    run: (operator, { merchant: id, ...order }) => operator.payoutControls.setApprovals(id, order),
  }),
  operation({
    name: 'thresholds.list',
    method: 'GET',
    path: '/thresholds',
    permission: 'merchants:read',
    summary: 'List the amounts below which one person may move live money',
    input: Type.Object({}),
    output: Type.Array(ThresholdView),
    run: (operator) => operator.thresholds.list(),
  }),
  operation({
    name: 'thresholds.set',
    method: 'PUT',
    path: '/thresholds/:currency',
    permission: 'limits:write',
    isSteppedUp: true,
    summary: 'Set the amount below which one person may move live money',
    input: Type.Object({ currency: text, amount, reason: Reason }),
    output: ThresholdView,
    control: {
      approve: 'limits:approve',
      describe: ({ currency, amount: sum }) => `Let one person move less than ${sum} ${currency}`,
    },
    run: (operator, order) => operator.thresholds.set(order),
  }),
]
