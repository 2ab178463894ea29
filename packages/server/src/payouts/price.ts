import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import {
  type Beneficiary,
  beneficiaryOf,
  type Destination,
  type PayoutMethod,
} from '../external-accounts/beneficiary.ts'
import { find } from '../external-accounts/store.ts'
import type { KeyedRequest } from '../idempotency/keys.ts'
import { type Currency, currencies, isCurrency } from '../money/currencies.ts'
import { feeOf, keepRule } from '../money/fees.ts'
import { walletSideOf } from '../payments/accept/exchange.ts'
import type { PricedPayment } from '../payments/accept/priced-payment.ts'
import type { PayoutOrigin } from '../payments/controls/control-batch.ts'
import { requirePlaces } from '../payments/controls/maker.ts'
import { routeQueryOf } from '../payments/dispatch/operation.ts'
import type { RefundOf } from '../payments/refunds/accept-refunds.ts'
import { sharedAccounts } from '../payments/resolve/payment-postings.ts'
import type { Owner } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import type { PayoutTarget } from '../providers/contract.ts'
import { currencyOf, exactAmount, momoAmount } from '../reference/momo.ts'
import type { RateOf } from '../reference/rates.ts'
import { isWalletPlace } from '../reference/wallet-places.ts'
import { findRefundable, refuseExcess } from '../transactions/find-refundable.ts'

export interface PayoutBody {
  readonly amount: number
  readonly externalReference: string
  readonly externalAccountId?: string
  readonly currency?: string
  readonly country?: string
  readonly destination?: Destination
  readonly payoutMethod?: PayoutMethod
  readonly debitCurrency?: string
  readonly debitCountry?: string
  /** A charge that this payout refunds. */
  readonly refundOf?: string
}

/** Checks and prices a payout: beneficiary, amount, provider, wallet and fee. Moves no money yet. */
export async function pricePayout(
  ctx: Context,
  owner: Owner,
  body: PayoutBody,
  keyed: KeyedRequest | undefined,
  { origin, rateOf }: { readonly origin: PayoutOrigin; readonly rateOf: RateOf },
): Promise<Omit<PricedPayment, 'responseOf'>> {
  const beneficiary = await beneficiaryFor(ctx, owner, body)
  requirePlaces(origin, [beneficiary])
  const { country, currency, destination, code } = beneficiary
  await ctx.currencies.refuseDisabled(owner, currency)
  const [connector] = ctx.routing.providersOf(owner.env, routeQueryOf({ ...beneficiary, type: 'withdrew' }))
  const amount = amountOf(ctx, beneficiary, body.amount)
  if (!connector) throw new AppError('PAYOUT_PROVIDER_NOT_FOUND')
  const wallet = walletFor(ctx, beneficiary, body)
  requirePlaces(origin, [wallet])
  await ctx.currencies.refuseDisabled(owner, wallet.currency)
  const method = destination === 'Bank Account' ? 'bank' : 'momo'
  const currencies = { currency, wallet_currency: wallet.currency }
  const { wallet_amount, rate } = await walletSideOf('payout', { amount, ...currencies }, rateOf)
  const rule = await ctx.fees.ruleFor({ ...owner, operation: 'payout', method, currency: wallet.currency })
  return {
    owner,
    type: 'withdrew',
    method,
    destination,
    country,
    external_reference: body.externalReference,
    amount,
    ...currencies,
    wallet_country: wallet.country,
    wallet_amount,
    fee: feeOf(rule, wallet_amount),
    fee_rule: keepRule(rule),
    rate,
    account_name: beneficiary.account_name,
    code,
    counterparty: { role: 'payee', to: targetOf(beneficiary) },
    provider: connector.id,
    action: null,
    expiresInMs: undefined,
    isSentAtOnce: false,
    sent_via: 'lane',
    holdsGoTo: await sharedAccounts(ctx.accounts, { env: owner.env, ...currencies }),
    origin,
    refundOf: await refundedBy(ctx, owner, body, { amount, currency }),
    keyed,
  }
}

/** The charge that a payout gives back, in place of a refund. It counts like one. */
async function refundedBy(
  ctx: Context,
  owner: Owner,
  { refundOf }: PayoutBody,
  { amount, currency }: { readonly amount: bigint; readonly currency: Currency },
): Promise<RefundOf | undefined> {
  if (refundOf === undefined) return undefined
  const charge = await findRefundable(ctx, owner, refundOf)
  if (charge.currency !== currency)
    throw invalid([
      { field: 'refundOf', message: `refundOf is a charge in ${charge.currency}: pay it back in ${charge.currency}` },
    ])
  await refuseExcess(ctx, owner, charge, amount)
  return { charge_id: charge.id, reference: charge.external_reference, waitsItsTurn: false, reason: undefined }
}

/** The beneficiary: an external account, or the one that the request describes. */
async function beneficiaryFor(ctx: Context, owner: Owner, body: PayoutBody): Promise<Beneficiary> {
  if (body.externalAccountId !== undefined) return storedBeneficiary(ctx, owner, body.externalAccountId, body)
  const { currency, country, destination, payoutMethod } = body
  const [first, ...rest] = (['currency', 'country', 'destination', 'payoutMethod'] as const)
    .filter((field) => body[field] === undefined)
    .map((field) => ({ field, message: `${field} is required without externalAccountId` }))
  if (first) throw invalid([first, ...rest])
  if (currency === undefined || country === undefined || !destination || !payoutMethod) throw new AppError('VALIDATION')
  currencyOf(currency)
  return beneficiaryOf(
    ctx.reference,
    { country, currency, destination, payoutMethod },
    (name) => `payoutMethod.${name}`,
  )
}

async function storedBeneficiary(ctx: Context, owner: Owner, shown: string, body: PayoutBody): Promise<Beneficiary> {
  const id = readId('external account', shown)
  const account = id === undefined ? undefined : await find(ctx.db.read, ctx.vault, owner, id)
  if (!account) throw new AppError('EXTERNAL_ACCOUNT_MISSING')
  for (const field of ['currency', 'country', 'destination'] as const) {
    if (body[field] !== undefined && body[field] !== account[field])
      throw invalid([{ field, message: `${field} is ${account[field]} in that external account; omit it` }])
  }
  if (body.payoutMethod !== undefined) refuseOtherMethod(account, body.payoutMethod)
  return account
}

function refuseOtherMethod(account: Beneficiary, method: PayoutMethod): void {
  const stored: Record<keyof PayoutMethod, string> = {
    accountName: account.account_name,
    accountNumber: account.account_number,
    code: account.code,
    branchCode: account.branch_code,
    businessNumber: account.business_number,
  }
  const plain = (text: string) => text.replace(/^\+/, '')
  for (const name of Object.keys(stored) as (keyof PayoutMethod)[]) {
    const sent = method[name]
    if (sent !== undefined && plain(sent) !== plain(stored[name])) {
      const field = `payoutMethod.${name}`
      throw invalid([{ field, message: `${field} differs from the external account; omit it` }])
    }
  }
}

function amountOf({ reference }: Context, { destination, code, currency }: Beneficiary, amount: number): bigint {
  const operator = destination === 'MoMo' ? reference.operators.get(code) : undefined
  if (!operator) return exactAmount(amount, currency)
  if (!operator.limits)
    throw new AppError('PAYOUT_PROVIDER_NOT_FOUND', { message: `${operator.name} (${code}) does not support payouts.` })
  return momoAmount(operator, 'payout', amount, currency)
}

/** The wallet that pays. In a currency other than the beneficiary's, the request must name the country if there are several. */
function walletFor(
  { reference }: Context,
  { country, currency }: Beneficiary,
  { debitCurrency = currency, debitCountry }: PayoutBody,
): { country: string; currency: Currency } {
  if (!isCurrency(debitCurrency)) throw new AppError('DEBIT_CURRENCY_NOT_SUPPORTED')
  const own = currencies[debitCurrency]
  const only = 'country' in own ? own.country : undefined
  if (debitCountry !== undefined && !isWalletPlace(reference, debitCurrency, debitCountry))
    throw invalid([{ field: 'debitCountry', message: `debitCountry ${debitCountry} has no ${debitCurrency} wallets` }])
  const scope = only ?? debitCountry ?? (debitCurrency === currency ? country : undefined)
  if (scope === undefined) throw new AppError('DEBIT_COUNTRY_REQUIRED')
  return { currency: debitCurrency, country: scope }
}

function targetOf(beneficiary: Beneficiary): PayoutTarget {
  const { destination, account_name, account_number, code, branch_code, business_number } = beneficiary
  switch (destination) {
    case 'MoMo':
      return { kind: 'momo', operator: code, phone: account_number, name: account_name }
    case 'Bank Account':
      return {
        kind: 'bank',
        bankCode: code,
        branchCode: branch_code,
        accountNumber: account_number,
        accountName: account_name,
      }
    case 'Paybill':
      return {
        kind: 'paybill',
        businessNumber: business_number,
        accountNumber: account_number,
        accountName: account_name,
      }
    case 'Till':
      return { kind: 'till', tillNumber: account_number, accountName: account_name }
  }
}
