import type { Context } from '../context.ts'
import type { Beneficiary } from '../external-accounts/beneficiary.ts'
import type { KeyedRequest } from '../idempotency/keys.ts'
import type { Currency } from '../money/currencies.ts'
import { type FeeRule, type KeptFeeRule, keepRule, readRule } from '../money/fees.ts'
import type { WalletSide } from '../payments/accept/exchange.ts'
import type { PricedPayment } from '../payments/accept/priced-payment.ts'
import type { PayoutOrigin } from '../payments/controls/control-batch.ts'
import type { RefundOf } from '../payments/refunds/accept-refunds.ts'
import { sharedAccounts } from '../payments/resolve/payment-postings.ts'
import type { Owner } from '../platform/db.ts'
import { targetOf } from './payee.ts'

/** A payout with its price, in minor units: to whom, from which wallet, and what each side pays. */
export interface Figures extends WalletSide {
  readonly beneficiary: Beneficiary
  /** The external account that the request named, as it is shown. */
  readonly externalAccountId: string | undefined
  readonly wallet: { readonly currency: Currency; readonly country: string }
  readonly provider: string
  readonly amount: bigint
  readonly fee: bigint
  readonly rule: FeeRule
}

interface Making {
  readonly external_reference: string
  readonly origin: PayoutOrigin
  readonly keyed: KeyedRequest | undefined
  readonly quote?: string | undefined
  readonly refundOf?: RefundOf | undefined
}

/** The payment that is accepted at these figures. */
export async function paymentOf(
  ctx: Pick<Context, 'accounts'>,
  owner: Owner,
  { beneficiary, wallet, provider, amount, wallet_amount, fee, rule, rate }: Figures,
  { external_reference, origin, keyed, quote, refundOf }: Making,
): Promise<Omit<PricedPayment, 'responseOf'>> {
  const { destination, country, currency, account_name, code } = beneficiary
  const sides = { currency, wallet_currency: wallet.currency }
  return {
    owner,
    type: 'withdrew',
    method: destination === 'Bank Account' ? 'bank' : 'momo',
    destination,
    country,
    external_reference,
    amount,
    ...sides,
    wallet_country: wallet.country,
    wallet_amount,
    fee,
    fee_rule: keepRule(rule),
    rate,
    account_name,
    code,
    counterparty: { role: 'payee', to: targetOf(beneficiary) },
    provider,
    action: null,
    expiresInMs: undefined,
    isSentAtOnce: false,
    sent_via: 'lane',
    holdsGoTo: await sharedAccounts(ctx.accounts, { env: owner.env, ...sides }),
    origin,
    quote,
    refundOf,
    keyed,
  }
}

/** Figures as a quote keeps them: JSON has no bigint, so amounts are text. The provider is chosen when the quote is executed. */
export interface KeptFigures extends Pick<Figures, 'beneficiary' | 'externalAccountId' | 'wallet' | 'rate'> {
  readonly amount: string
  readonly wallet_amount: string
  readonly fee: string
  readonly rule: KeptFeeRule
  /** The `debitAmount` of the request, if it named one. The quote may debit less. */
  readonly debitAmount: number | undefined
}

export function keepFigures(figures: Figures, debitAmount: number | undefined): KeptFigures {
  const { beneficiary, externalAccountId, wallet, rate, amount, wallet_amount, fee, rule } = figures
  const sums = { amount: String(amount), wallet_amount: String(wallet_amount), fee: String(fee) }
  return { beneficiary, externalAccountId, wallet, rate, ...sums, rule: keepRule(rule), debitAmount }
}

/** Reads what {@link keepFigures} kept. */
export function readFigures(kept: KeptFigures): Omit<Figures, 'provider'> {
  const { beneficiary, externalAccountId, wallet, rate, amount, wallet_amount, fee, rule } = kept
  const sums = { amount: BigInt(amount), wallet_amount: BigInt(wallet_amount), fee: BigInt(fee) }
  return { beneficiary, externalAccountId, wallet, rate, ...sums, rule: readRule(rule) }
}
