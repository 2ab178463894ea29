import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import { find } from '../external-accounts/store.ts'
import type { KeyedRequest } from '../idempotency/keys.ts'
import { type Currency, currencies, isCurrency } from '../money/currencies.ts'
import { feeOn, keepRule } from '../money/fees.ts'
import { formatMinor } from '../money/money.ts'
import { type Sides, type WalletSide, walletSideOf } from '../payments/accept/exchange.ts'
import type { PricedPayment } from '../payments/accept/priced-payment.ts'
import type { Codes } from '../payments/dispatch/dispatch.ts'
import { timing } from '../payments/resolve/timing.ts'
import type { Owner } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import type { Operator } from '../reference/data.ts'
import { currencyOf, momoAccount, momoAmount, operatorBy } from '../reference/momo.ts'
import { createRateOf } from '../reference/rates.ts'
import { refuseNoPage } from './pages.ts'

export interface MomoChargeBody {
  readonly amount: number
  readonly currency: string
  readonly externalReference: string
  readonly phoneNumber?: string
  readonly externalAccountId?: string
  readonly momoOperatorId?: string
  readonly momoOperator?: string
  readonly otpCode?: string
  readonly walletCurrency?: string
  readonly voucherPin?: string
  readonly successRedirectUrl?: string
  readonly failureRedirectUrl?: string
}

export interface PricedMomoCharge {
  readonly priced: Omit<PricedPayment, 'responseOf'>
  readonly codes: Codes
}

/** Checks and prices a mobile money charge: payer, amount, provider, wallet and fee. */
export async function priceMomoCharge(
  ctx: Context,
  owner: Owner,
  body: MomoChargeBody,
  keyed: KeyedRequest | undefined,
): Promise<PricedMomoCharge> {
  const currency = currencyOf(body.currency)
  await ctx.currencies.refuseDisabled(owner, currency)
  const payer = await payerOf(ctx, owner, body)
  const fields = { phone: 'phoneNumber', operator: 'momoOperatorId', required: 'MOMO_OPERATOR_ID_REQUIRED' } as const
  const { phone, operator: found } = momoAccount(ctx.reference, { currency, ...payer }, fields)
  const routeQuery = { operation: 'charge.momo', country: phone.country, currency, target: found.id } as const
  const [connector] = ctx.routing.providersOf(owner.env, routeQuery)
  const operator = operatorBy(ctx.reference, found, connector?.id ?? '')
  const amount = momoAmount(operator, 'deposit', body.amount, currency)
  const codes = codesOf(operator, body)
  const urls = redirectUrls(owner, operator, body)
  const wallet_currency = walletCurrencyOf(body, currency)
  await ctx.currencies.refuseDisabled(owner, wallet_currency)
  if (!connector)
    throw new AppError('PROVIDER_NOT_FOUND', { message: `No configured provider supports ${operator.name}.` })
  const { wallet_amount, rate } = await credited(ctx, owner, { amount, currency, wallet_currency })
  const rule = await ctx.fees.ruleFor({ ...owner, operation: 'charge', method: 'momo', currency: wallet_currency })
  const own = currencies[wallet_currency]
  const priced = {
    owner,
    type: 'deposit',
    method: 'momo',
    destination: 'MoMo',
    country: phone.country,
    external_reference: body.externalReference,
    amount,
    currency,
    wallet_country: 'country' in own ? own.country : phone.country,
    wallet_currency,
    wallet_amount,
    fee: feeOn(rule, wallet_amount),
    fee_rule: keepRule(rule),
    rate,
    account_name: payer.name,
    code: operator.id,
    counterparty: { role: 'payer', operator: operator.id, phone: phone.e164, ...urls },
    provider: connector.id,
    action: operator.auth_type === 'PROVIDER_AUTH' ? { kind: 'pin_prompt' } : null,
    expiresInMs: timing.promptExpiryMs,
    isSentAtOnce: operator.auth_type !== 'PROVIDER_AUTH',
    sent_via: operator.auth_type === 'PROVIDER_AUTH' ? 'lane' : 'request',
    holdsGoTo: undefined,
    origin: undefined,
    keyed,
  } as const satisfies Omit<PricedPayment, 'responseOf'>
  return { priced, codes }
}

function walletCurrencyOf({ walletCurrency }: MomoChargeBody, currency: Currency): Currency {
  if (walletCurrency === undefined) return currency
  if (!isCurrency(walletCurrency)) throw new AppError('WALLET_CURRENCY_NOT_SUPPORTED')
  return walletCurrency
}

/** What the wallet gets before the fee, at the current rate. Refuses a charge that converts to zero. */
async function credited(ctx: Context, owner: Owner, sides: Sides): Promise<WalletSide> {
  const side = await walletSideOf('charge', sides, createRateOf(ctx, owner))
  if (side.wallet_amount > 0n) return side
  const least = `${formatMinor(1n, sides.wallet_currency)} ${sides.wallet_currency}`
  throw new AppError('AMOUNT_OUT_OF_BOUNDS', {
    message: `The amount is worth less than ${least}, the smallest amount a ${sides.wallet_currency} wallet can be credited.`,
    details: [{ field: 'amount', message: `amount must be worth at least ${least}` }],
  })
}

interface Payer {
  readonly phone: string
  readonly operator: string
  readonly name: string
}

async function payerOf(ctx: Context, owner: Owner, body: MomoChargeBody): Promise<Payer> {
  const { phoneNumber, externalAccountId, momoOperatorId, momoOperator } = body
  if (momoOperatorId !== undefined && momoOperator !== undefined && momoOperatorId !== momoOperator)
    throw invalid([{ field: 'momoOperator', message: 'momoOperator and momoOperatorId name different operators' }])
  const operator = momoOperatorId ?? momoOperator ?? ''
  if ((phoneNumber === undefined) === (externalAccountId === undefined))
    throw invalid([{ field: 'phoneNumber', message: 'either phoneNumber or externalAccountId is required' }])
  if (phoneNumber !== undefined) return { phone: phoneNumber, operator, name: '' }
  const id = readId('external account', externalAccountId ?? '')
  const account = id === undefined ? undefined : await find(ctx.db.read, ctx.vault, owner, id)
  if (!account) throw new AppError('EXTERNAL_ACCOUNT_MISSING')
  if (account.destination !== 'MoMo')
    throw invalid([{ field: 'externalAccountId', message: 'externalAccountId must be a mobile money account' }])
  return {
    phone: account.account_number,
    operator: operator === '' ? account.code : operator,
    name: account.account_name,
  }
}

/** The codes that the customer must have before the charge, where the operator requires one. */
function codesOf(operator: Operator, { otpCode, voucherPin }: MomoChargeBody): Codes {
  if (operator.auth_type === 'PREAUTH') {
    if (otpCode !== undefined && /^\d{4,10}$/.test(otpCode)) return { otpCode }
    throw new AppError('OTP_CODE_REQUIRED', otpNeeded(operator))
  }
  if (operator.auth_type === 'VOUCHER') {
    if (voucherPin !== undefined && /^(\d{12}|\d{16})$/.test(voucherPin)) return { voucherPin }
    throw invalid([{ field: 'voucherPin', message: `voucherPin of 12 or 16 digits is required for ${operator.name}` }])
  }
  return {}
}

function otpNeeded({ name, ussd_code }: Operator) {
  const how = ussd_code === '' ? `by USSD from ${name}` : `by dialling ${ussd_code}`
  const message = `The customer must get a one-time code first, ${how}; send it as otpCode.`
  return { message, details: [{ field: 'otpCode', message: `otpCode is required: the customer gets it ${how}` }] }
}

function redirectUrls(owner: Owner, operator: Operator, body: MomoChargeBody) {
  const urls = { successUrl: body.successRedirectUrl, failureUrl: body.failureRedirectUrl }
  refuseNoPage(owner, 'successRedirectUrl', urls.successUrl)
  refuseNoPage(owner, 'failureRedirectUrl', urls.failureUrl)
  if (operator.auth_type !== 'REDIRECT') return {}
  if (urls.successUrl === undefined || urls.failureUrl === undefined)
    throw invalid([
      {
        field: 'successRedirectUrl',
        message: `successRedirectUrl and failureRedirectUrl are required for ${operator.name}`,
      },
    ])
  return { successUrl: urls.successUrl, failureUrl: urls.failureUrl }
}
