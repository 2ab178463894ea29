import { isIP } from 'node:net'
import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import type { KeyedRequest } from '../idempotency/keys.ts'
import { countryOf } from '../merchants/home-country.ts'
import type { Currency } from '../money/currencies.ts'
import { feeOf } from '../money/fees.ts'
import type { Owner } from '../platform/db.ts'
import type { BillingAddress, Device } from '../providers/contract.ts'
import { currencyOf, exactAmount } from '../reference/momo.ts'
import type { Proposal } from '../transactions/accept.ts'
import type { GivenCard } from '../transactions/dispatch.ts'
import { type CardDetails, readCard } from './card-details.ts'
import { refuseNoPage } from './pages.ts'

/** A card charge as a merchant asks for it. */
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

export interface CardProposal {
  readonly proposal: Omit<Proposal, 'answerOf'>
  readonly given: GivenCard
  /** Recognises the card, and is of no use to anybody else. */
  readonly fingerprint: string
}

/** How long a customer has to come through every step. */
const cardMs = 3_600_000

/** Banks of these ask for the customer's browser. */
const withDevice: readonly Currency[] = ['USD', 'EUR', 'GBP']

/** Checks and prices a card charge. The card goes on in memory alone; of it only what may be kept is in the proposal. */
export async function proposeCardCharge(
  ctx: Context,
  owner: Owner,
  body: CardChargeBody,
  keyed: KeyedRequest | undefined,
): Promise<CardProposal> {
  const currency = currencyOf(body.currency)
  const amount = exactAmount(body.amount, currency)
  const { card, brand } = readCard(body.cardDetails, new Date())
  if (isIP(body.ipAddress) === 0) throw invalid([{ field: 'ipAddress', message: 'ipAddress is no IP address' }])
  if (withDevice.includes(currency) && !body.device3DSInfo)
    throw invalid([{ field: 'device3DSInfo', message: `device3DSInfo is required for ${currency}` }])
  const returnUrl = returnUrlOf(owner, body)
  const country = await countryOf(ctx.db.read, owner, currency)
  const errand = { operation: 'charge.card', country, currency, target: '*' } as const
  const [connector] = ctx.routing.providersOf(owner.env, errand)
  if (!connector) throw new AppError('PROVIDER_NOT_FOUND', { message: `Nobody here charges cards in ${currency}.` })
  const rule = await ctx.fees.ruleFor({ ...owner, operation: 'charge', method: 'card', currency })
  const fee = feeOf(rule, amount)
  const { email, firstName, lastName, ipAddress } = body
  const fingerprint = ctx.vault.hash(card.number, 'card')
  const known = {
    brand,
    first6: card.number.slice(0, 6),
    last4: card.number.slice(-4),
    expiry: `${card.expMonth}/${card.expYear}`,
    fingerprint,
  }
  const proposal = {
    owner,
    type: 'deposit',
    method: 'card',
    destination: 'Card',
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
    party: { role: 'cardholder', email, firstName, lastName, ipAddress, card: known },
    provider: connector.id,
    action: null,
    expiresInMs: cardMs,
    isSentAtOnce: true,
    sent_by: 'request',
    holdsGoTo: undefined,
    keyed,
  } as const satisfies Omit<Proposal, 'answerOf'>
  return { proposal, given: givenOf(body, card, returnUrl), fingerprint }
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
