import type { KeyedRequest } from '../../idempotency/keys.ts'
import type { Owner } from '../../platform/db.ts'
import type { CustomerAction } from '../../providers/contract.ts'
import type { Scenario } from '../../scenarios/catalogue.ts'
import type { PayoutOrigin } from '../controls/control-batch.ts'
import type { Counterparty } from '../model/counterparty.ts'
import type { Progress, Promised } from '../model/store.ts'
import type { RefundOf } from '../refunds/accept-refunds.ts'
import type { Accounts } from '../resolve/payment-postings.ts'

/** A payment that is checked and priced, ready to be accepted. */
export interface PricedPayment
  extends Omit<
      Promised,
      'id' | 'wallet_id' | 'counterparty' | 'created_at' | 'expires_at' | 'merchant_id' | 'env' | 'scenario'
    >,
    Pick<Progress, 'fee'> {
  readonly owner: Owner
  /** Null for a conversion, which stays with its merchant. */
  readonly counterparty: Counterparty | null
  readonly provider: string
  readonly action: CustomerAction | null
  readonly expiresInMs: number | undefined
  /** The request that makes the payment sends it right after acceptance; otherwise its lane sends it. */
  readonly isSentAtOnce: boolean
  /** The quote that the payment executes. Its acceptance uses the quote up. */
  readonly quote?: string | undefined
  /** Platform accounts that receive a payout's holds, or that a conversion passes through. A charge holds nothing. */
  readonly holdsGoTo: Accounts | undefined
  /** Who made a payout, for its limits and its approval. A charge has neither. */
  readonly origin: PayoutOrigin | undefined
  /** The charge that a refund, or a payout in its place, gives back. */
  readonly refundOf?: RefundOf | undefined
  readonly keyed: KeyedRequest | undefined
  /** The sandbox scenario to inject. Another one may be armed for the payment's reference. */
  readonly scenario?: Scenario | undefined
  /** The response to store under the idempotency key; undefined when only the provider call can produce it. */
  readonly responseOf: ((transactionId: string) => object) | undefined
}
