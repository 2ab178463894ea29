import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { countryOf } from '../merchants/home-country.ts'
import type { Currency } from '../money/currencies.ts'
import { feeOn, keepRule } from '../money/fees.ts'
import type { PricedPayment } from '../payments/accept/priced-payment.ts'
import type { Owner } from '../platform/db.ts'
import { exactAmount } from '../reference/momo.ts'

/** What a transaction names as the destination of a charge that is not mobile money. */
export const chargeDestinations = { card: 'Card', 'bank-transfer': 'Bank Transfer' } as const

interface ChargeInput {
  readonly amount: number
  readonly currency: Currency
  readonly externalReference: string
  readonly method: keyof typeof chargeDestinations
}

type PlainCharge = Omit<PricedPayment, 'responseOf' | 'counterparty' | 'expiresInMs' | 'sent_via' | 'keyed'>

/** Prices a charge that is credited in the currency it is paid in, and selects its provider. It is sent at once. */
export async function plainCharge(ctx: Context, owner: Owner, input: ChargeInput): Promise<PlainCharge> {
  const { method, currency } = input
  await ctx.currencies.refuseDisabled(owner, currency)
  const amount = exactAmount(input.amount, currency)
  const country = await countryOf(ctx.db.read, owner, currency)
  const routeQuery = { operation: `charge.${method}`, country, currency, target: '*' } as const
  const [connector] = ctx.routing.providersOf(owner.env, routeQuery)
  if (!connector)
    throw new AppError('PROVIDER_NOT_FOUND', { message: `No configured provider charges by ${method} in ${currency}.` })
  const rule = await ctx.fees.ruleFor({ ...owner, operation: 'charge', method, currency })
  return {
    owner,
    type: 'deposit',
    method,
    destination: chargeDestinations[method],
    country,
    external_reference: input.externalReference,
    amount,
    currency,
    wallet_country: country,
    wallet_currency: currency,
    wallet_amount: amount,
    fee: feeOn(rule, amount),
    fee_rule: keepRule(rule),
    rate: null,
    account_name: '',
    code: '',
    provider: connector.id,
    action: null,
    isSentAtOnce: true,
    holdsGoTo: undefined,
    origin: undefined,
  }
}
