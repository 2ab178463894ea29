import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { KeyedRequest } from '../idempotency/keys.ts'
import { countryOf } from '../merchants/home-country.ts'
import { feeOf } from '../money/fees.ts'
import type { Owner } from '../platform/db.ts'
import { currencyOf, exactAmount } from '../reference/momo.ts'
import type { Proposal } from '../transactions/accept.ts'

/** A bank transfer charge as a merchant asks for it. */
export interface TransferChargeBody {
  readonly amount: number
  readonly currency: string
  readonly email: string
  readonly externalReference: string
}

/** The account takes money for two hours; what was sent by then is waited for a day longer. */
const transferMs = 26 * 3_600_000

/** Checks and prices a bank transfer charge. */
export async function proposeTransferCharge(
  ctx: Context,
  owner: Owner,
  body: TransferChargeBody,
  keyed: KeyedRequest | undefined,
): Promise<Omit<Proposal, 'answerOf'>> {
  const currency = currencyOf(body.currency)
  const isServed = ctx.reference.routes.some(
    (route) => route.operation === 'charge.bank-transfer' && route.currency === currency,
  )
  if (!isServed)
    throw new AppError('UNSUPPORTED_CURRENCY', { message: `Nobody can be charged by bank transfer in ${currency}.` })
  const amount = exactAmount(body.amount, currency)
  const country = await countryOf(ctx.db.read, owner, currency)
  const errand = { operation: 'charge.bank-transfer', country, currency, target: '*' } as const
  const [connector] = ctx.routing.providersOf(owner.env, errand)
  if (!connector) throw new AppError('PROVIDER_NOT_FOUND', { message: `Nobody here opens accounts in ${currency}.` })
  const rule = await ctx.fees.ruleFor({ ...owner, operation: 'charge', method: 'bank-transfer', currency })
  const fee = feeOf(rule, amount)
  return {
    owner,
    type: 'deposit',
    method: 'bank-transfer',
    destination: 'Bank Transfer',
    country,
    external_reference: body.externalReference,
    amount,
    currency,
    wallet_country: country,
    wallet_currency: currency,
    wallet_amount: amount,
    fee: fee > amount ? amount : fee,
    rate: null,
    account_name: '',
    code: '',
    party: { role: 'depositor', email: body.email },
    provider: connector.id,
    action: null,
    expiresInMs: transferMs,
    isSentAtOnce: true,
    sent_by: 'lane',
    holdsGoTo: undefined,
    keyed,
  }
}
