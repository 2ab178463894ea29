import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { KeyedRequest } from '../idempotency/keys.ts'
import type { PricedPayment } from '../payments/accept/priced-payment.ts'
import { timing } from '../payments/resolve/timing.ts'
import type { Owner } from '../platform/db.ts'
import { currencyOf } from '../reference/momo.ts'
import { plainCharge } from './plain-charge.ts'

export interface TransferChargeBody {
  readonly amount: number
  readonly currency: string
  readonly email: string
  readonly externalReference: string
}

export async function priceTransferCharge(
  ctx: Context,
  owner: Owner,
  body: TransferChargeBody,
  keyed: KeyedRequest | undefined,
): Promise<Omit<PricedPayment, 'responseOf'>> {
  const currency = currencyOf(body.currency)
  const isServed = ctx.reference.routes.some(
    (route) => route.operation === 'charge.bank-transfer' && route.currency === currency,
  )
  if (!isServed)
    throw new AppError('UNSUPPORTED_CURRENCY', { message: `Bank transfer charges are not supported in ${currency}.` })
  return {
    ...(await plainCharge(ctx, owner, { ...body, method: 'bank-transfer', currency })),
    counterparty: { role: 'depositor', email: body.email },
    expiresInMs: timing.transferExpiryMs,
    sent_via: 'lane',
    keyed,
  }
}
