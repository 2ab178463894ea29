import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { KeyedRequest } from '../idempotency/keys.ts'
import { feeOf, keepRule } from '../money/fees.ts'
import { walletSideOf } from '../payments/accept/exchange.ts'
import type { PricedPayment } from '../payments/accept/priced-payment.ts'
import { type PayoutMaker, placesOf, requirePlaces } from '../payments/controls/maker.ts'
import { routeQueryOf } from '../payments/dispatch/operation.ts'
import { openCounterparty } from '../payments/model/counterparty.ts'
import type { Transaction } from '../payments/model/store.ts'
import { isPaidByOthers } from '../payments/refunds/refund-facts.ts'
import { sharedAccounts } from '../payments/resolve/payment-postings.ts'
import { dayMs } from '../payments/resolve/timing.ts'
import { type Owner, sql } from '../platform/db.ts'
import type { Refunds } from '../providers/refund-contract.ts'
import { exactAmount, exactForOperator, refuseDecimals } from '../reference/momo.ts'
import { createRateOf } from '../reference/rates.ts'
import { excess, findRefundable, refundableNow } from '../transactions/find-refundable.ts'

export interface RefundBody {
  readonly externalReference: string
  readonly amount?: number
  readonly reason?: string
}

export interface RefundTerms {
  readonly maker: PayoutMaker
  readonly keyed: KeyedRequest | undefined
}

/** A refund pays to a bank what a bank transfer charge collected. */
const methods = { momo: 'momo', card: 'card', 'bank-transfer': 'bank', bank: 'bank', conversion: 'bank' } as const

const severalTransfers = 'Several transfers paid this charge, and its provider refunds only one of them.'

/** Checks and prices a refund: charge, provider, amount, wallet and fee. Moves no money yet. */
export async function priceRefund(
  ctx: Context,
  owner: Owner,
  wanted: string,
  body: RefundBody,
  { maker, keyed }: RefundTerms,
): Promise<Omit<PricedPayment, 'responseOf'>> {
  const charge = await findRefundable(ctx, owner, wanted)
  requirePlaces(maker, placesOf(charge))
  const refunds = refundsOf(ctx, charge)
  if (refunds.refundsOneTransfer && (await isPaidByOthers(ctx.db.write, charge)))
    throw new AppError('REFUND_NOT_SUPPORTED', { message: severalTransfers })
  await refuseTooOld(ctx, charge, refunds)
  const amount = await amountOf(ctx, owner, charge, body.amount)
  const { id, country, currency, destination, wallet_country, wallet_currency, account_name, code, provider } = charge
  const method = methods[charge.method]
  const currencies = { currency, wallet_currency }
  const { wallet_amount, rate } = await walletSideOf('payout', { amount, ...currencies }, createRateOf(ctx, owner))
  const rule = await ctx.fees.ruleFor({ ...owner, operation: 'refund', method, currency: wallet_currency })
  return {
    owner,
    type: 'refund',
    method,
    destination,
    country,
    external_reference: body.externalReference,
    amount,
    ...currencies,
    wallet_country,
    wallet_amount,
    fee: feeOf(rule, wallet_amount),
    fee_rule: keepRule(rule),
    rate,
    account_name,
    code,
    counterparty: openCounterparty(ctx.vault, charge),
    provider,
    action: null,
    expiresInMs: undefined,
    isSentAtOnce: false,
    sent_via: 'lane',
    holdsGoTo: await sharedAccounts(ctx.accounts, { env: owner.env, ...currencies }),
    origin: { ...maker, isBulk: false },
    refundOf: {
      charge_id: id,
      reference: charge.external_reference,
      waitsItsTurn: refunds.takesOneAtATime,
      reason: body.reason === '' ? undefined : body.reason,
    },
    keyed,
  }
}

/** The refunds of the provider that collected the charge. Money goes back the way it came. */
function refundsOf({ connectors, routing }: Context, charge: Transaction): Refunds {
  const { env, provider, method } = charge
  const routed = routing.providersOf(env, routeQueryOf({ ...charge, type: 'refund', method: methods[method] }))
  const refunds = routed.some(({ id }) => id === provider) ? connectors[env].get(provider)?.refunds : undefined
  if (!refunds) throw new AppError('REFUND_NOT_SUPPORTED')
  return refunds
}

async function refuseTooOld({ db }: Context, { created_at }: Transaction, { windowMs }: Refunds): Promise<void> {
  const [row] = await db.write.query<{ now: Date }>(sql`select record_time() as now`)
  const ageMs = (row?.now ?? new Date()).getTime() - new Date(created_at).getTime()
  if (ageMs <= windowMs) return
  const days = Math.floor(windowMs / dayMs)
  throw new AppError('REFUND_WINDOW_CLOSED', {
    details: [{ field: 'transactionId', message: `the provider refunds a charge for ${days} days` }],
  })
}

/** All that is left, unless the request names an amount. Whether that is left is decided under the lock of the charge. */
async function amountOf(
  ctx: Context,
  owner: Owner,
  charge: Transaction,
  requested: number | undefined,
): Promise<bigint> {
  const { currency } = charge
  const operator = charge.method === 'momo' ? ctx.reference.operators.get(charge.code) : undefined
  if (requested !== undefined)
    return operator ? exactForOperator(operator, requested, currency) : exactAmount(requested, currency)
  const left = await refundableNow(ctx, owner, charge)
  if (left === 0n) throw excess(charge, left)
  if (operator) refuseDecimals(operator, left, currency)
  return left
}
