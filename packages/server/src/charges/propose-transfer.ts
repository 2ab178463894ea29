import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { KeyedRequest } from '../idempotency/keys.ts'
import type { Proposal } from '../payments/accept/accept.ts'
import type { Owner } from '../platform/db.ts'
import { currencyOf } from '../reference/momo.ts'
import { plainCharge } from './plain-charge.ts'

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
  return {
    ...(await plainCharge(ctx, owner, { ...body, method: 'bank-transfer', currency })),
    party: { role: 'depositor', email: body.email },
    expiresInMs: transferMs,
    sent_by: 'lane',
    keyed,
  }
}
