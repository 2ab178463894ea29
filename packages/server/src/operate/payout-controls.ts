import { type Currency, isCurrency } from '../money/currencies.ts'
import { formatMinor, parseMinor } from '../money/money.ts'
import { type ControlsChange, changeControls } from '../payments/controls/change-controls.ts'
import {
  type CurrencyControls,
  findControls,
  type LimitName,
  noControls,
  ownerKey,
  type PayoutControls,
} from '../payments/controls/rules.ts'
import type { Environment, Owner } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { existing, merchantId } from './merchants.ts'
import { audited, type OperatorContext, OperatorError } from './operator-context.ts'

/** Limits to change, in major units of the currency; `none` removes one. The others stay. */
export interface LimitsOrder {
  readonly env: Environment
  readonly currency: string
  readonly perPayout?: string
  readonly perCredentialDay?: string
  readonly perMerchantDay?: string
  readonly perBeneficiaryDay?: string
  readonly reason: string
}

/** Approval rules to change. The others stay. */
export interface ApprovalsOrder {
  readonly env: Environment
  /** Payouts of more than this need approval, in major units of `currency`; `none` removes the rule. */
  readonly above?: string
  readonly currency?: string
  readonly newBeneficiaries?: boolean
  readonly bulk?: boolean
  readonly reason: string
}

/** Throws to refuse a change, which then has no effect. */
export type CheckChange = (before: PayoutControls, after: PayoutControls) => void

interface CurrencyControlsView {
  readonly currency: string
  readonly perPayout?: string
  readonly perCredentialDay?: string
  readonly perMerchantDay?: string
  readonly perBeneficiaryDay?: string
  /** Payouts of more than this need approval. */
  readonly approvalAbove?: string
}

/** The payout controls of a merchant in one environment. A missing limit does not exist. */
export interface PayoutControlsView {
  readonly merchantId: string
  readonly env: Environment
  readonly currencies: readonly CurrencyControlsView[]
  readonly newBeneficiariesNeedApproval: boolean
  readonly bulkNeedsApproval: boolean
}

const limits = {
  perPayout: 'per_payout',
  perCredentialDay: 'per_credential_day',
  perMerchantDay: 'per_merchant_day',
  perBeneficiaryDay: 'per_beneficiary_day',
} as const satisfies Partial<Record<keyof LimitsOrder, LimitName>>
const limitOptions = Object.keys(limits) as readonly (keyof typeof limits)[]

/** The payout limits and approval rules of a merchant, in both environments. */
export async function showPayoutControls(context: OperatorContext, shownId: string): Promise<PayoutControlsView[]> {
  const { id } = await existing(context.db.write, merchantId(shownId))
  const owners = (['live', 'sandbox'] as const).map((env): Owner => ({ merchant_id: id, env }))
  const found = await findControls(context.db.write, owners)
  return owners.map((owner) => view(owner, found.get(ownerKey(owner)) ?? noControls))
}

/** Sets, raises, lowers or removes limits. They count from now on: a day's earlier payouts count only if a limit counted them. */
export function setPayoutLimits(
  context: OperatorContext,
  shownId: string,
  order: LimitsOrder,
  check: CheckChange = () => undefined,
): Promise<PayoutControlsView> {
  const currency = knownCurrency(order.currency)
  const given = limitOptions.filter((name) => order[name] !== undefined)
  if (given.length === 0) throw new OperatorError('name at least one limit to set or remove')
  const to = Object.fromEntries(given.map((name) => [limits[name], limitOf(name, order[name] ?? '', currency)]))
  return change(context, shownId, 'limits.set', order, { byCurrency: { currency, to } }, check)
}

/** Sets or removes rules for payouts that need approval. Payouts that wait already still need it. */
export function setApprovalRules(
  context: OperatorContext,
  shownId: string,
  order: ApprovalsOrder,
  check: CheckChange = () => undefined,
): Promise<PayoutControlsView> {
  const { above, newBeneficiaries, bulk } = order
  if (above === undefined && newBeneficiaries === undefined && bulk === undefined)
    throw new OperatorError('name at least one approval rule to set or remove')
  if (above === undefined && order.currency !== undefined)
    throw new OperatorError('only above has a currency: the other rules are for payouts in every currency')
  const rules = {
    ...(bulk !== undefined && { is_for_bulk: bulk }),
    ...(newBeneficiaries !== undefined && { is_for_new_beneficiaries: newBeneficiaries }),
  }
  const to = {
    ...(Object.keys(rules).length > 0 && { rules }),
    ...(above !== undefined && { byCurrency: thresholdOf(above, order.currency) }),
  }
  return change(context, shownId, 'approvals.set', order, to, check)
}

function thresholdOf(above: string, named: string | undefined): NonNullable<ControlsChange['byCurrency']> {
  if (named === undefined) throw new OperatorError('above is an amount of money, so it needs a currency')
  const currency = knownCurrency(named)
  return { currency, to: { approval_above: limitOf('above', above, currency) } }
}

async function change(
  context: OperatorContext,
  shownId: string,
  action: string,
  { env, reason }: { readonly env: Environment; readonly reason: string },
  to: ControlsChange,
  check: CheckChange,
): Promise<PayoutControlsView> {
  const owner: Owner = { merchant_id: merchantId(shownId), env }
  return audited(context, async (tx) => {
    await existing(tx, owner.merchant_id)
    const { before, after } = await changeControls(tx, owner, to)
    check(before, after)
    const detail = { before: stateOf(before), after: stateOf(after) }
    const subject = showId('merchant', owner.merchant_id)
    return { result: view(owner, after), entry: { action, ...owner, subject, detail, reason }, ground: detail.before }
  })
}

function knownCurrency(code: string): Currency {
  if (!isCurrency(code)) throw new OperatorError(`${code} is not a currency Malipo knows`)
  return code
}

/** In minor units: more than any sum of a day. */
const limitMax = 10n ** 16n

function limitOf(name: string, text: string, currency: Currency): bigint | null {
  if (text === 'none') return null
  const minor = parseMinor(text, currency)
  if (minor === undefined || minor < 0n || minor > limitMax)
    throw new OperatorError(`${name} ${text} is not an amount of ${currency}, nor none`)
  return minor
}

function view(owner: Owner, controls: PayoutControls): PayoutControlsView {
  return { merchantId: showId('merchant', owner.merchant_id), env: owner.env, ...stateOf(controls) }
}

function stateOf({ byCurrency, is_for_bulk, is_for_new_beneficiaries }: PayoutControls) {
  return {
    currencies: [...byCurrency].map(currencyView).sort((one, other) => (one.currency < other.currency ? -1 : 1)),
    newBeneficiariesNeedApproval: is_for_new_beneficiaries,
    bulkNeedsApproval: is_for_bulk,
  }
}

function currencyView([code, controls]: readonly [string, CurrencyControls]): CurrencyControlsView {
  const currency = knownCurrency(code)
  const shown = (name: string, minor: bigint | null) => (minor === null ? {} : { [name]: formatMinor(minor, currency) })
  return {
    currency,
    ...Object.assign({}, ...limitOptions.map((name) => shown(name, controls[limits[name]]))),
    ...shown('approvalAbove', controls.approval_above),
  }
}
