import { isIP } from 'node:net'
import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'
import type { KeyedRequest } from '../idempotency/keys.ts'
import type { Currency } from '../money/currencies.ts'
import type { PricedPayment } from '../payments/accept/priced-payment.ts'
import type { GivenCard } from '../payments/dispatch/dispatch.ts'
import { timing } from '../payments/resolve/timing.ts'
import type { Owner } from '../platform/db.ts'
import type { BillingAddress, Device } from '../providers/contract.ts'
import { currencyOf } from '../reference/momo.ts'
import { type CardDetails, readCard } from './card-details.ts'
import { refuseNoPage } from './pages.ts'
import { plainCharge } from './plain-charge.ts'

export interface CardChargeBody {
  readonly amount: number
  readonly currency: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
  readonly ipAddress: string
  readonly externalReference: string
  readonly cardDetails: CardDetails
  readonly address?: BillingAddress
  readonly device3DSInfo?: Device
  readonly successRedirectUrl?: string
  readonly redirectUrl?: string
}

export interface PricedCardCharge {
  readonly priced: Omit<PricedPayment, 'responseOf'>
  readonly given: GivenCard
  /** Recognises the card within this service and is useless elsewhere. */
  readonly fingerprint: string
}

/** Banks in these currencies ask for the customer's browser. */
const withDevice: readonly Currency[] = ['USD', 'EUR', 'GBP']

/** Checks and prices a card charge. The card stays in memory; the priced payment holds only what may be stored. */
export async function priceCardCharge(
  ctx: Context,
  owner: Owner,
  body: CardChargeBody,
  keyed: KeyedRequest | undefined,
): Promise<PricedCardCharge> {
  const currency = currencyOf(body.currency)
  const { card, brand } = readCard(body.cardDetails, new Date())
  if (isIP(body.ipAddress) === 0) throw invalid([{ field: 'ipAddress', message: 'ipAddress must be an IP address' }])
  if (withDevice.includes(currency) && !body.device3DSInfo)
    throw invalid([{ field: 'device3DSInfo', message: `device3DSInfo is required for ${currency}` }])
  const returnUrl = returnUrlOf(owner, body)
  const plain = await plainCharge(ctx, owner, { ...body, method: 'card', currency })
  const { email, firstName, lastName, ipAddress } = body
  const fingerprint = ctx.vault.hash(card.number, 'card')
  const known = {
    brand,
    first6: card.number.slice(0, 6),
    last4: card.number.slice(-4),
    expiry: `${card.expMonth}/${card.expYear}`,
    fingerprint,
  }
  const priced: PricedCardCharge['priced'] = {
    ...plain,
    counterparty: { role: 'cardholder', email, firstName, lastName, ipAddress, card: known },
    expiresInMs: timing.cardExpiryMs,
    sent_via: 'request',
    keyed,
  }
  return { priced, given: givenOf(body, card, returnUrl), fingerprint }
}

function givenOf({ address, device3DSInfo }: CardChargeBody, card: GivenCard['card'], returnUrl?: string): GivenCard {
  return {
    card,
    ...(address && { address }),
    ...(device3DSInfo && { device: device3DSInfo }),
    ...(returnUrl !== undefined && { returnUrl }),
  }
}

function returnUrlOf(owner: Owner, { successRedirectUrl, redirectUrl }: CardChargeBody): string | undefined {
  refuseNoPage(owner, 'successRedirectUrl', successRedirectUrl)
  refuseNoPage(owner, 'redirectUrl', redirectUrl)
  return successRedirectUrl ?? redirectUrl
}
