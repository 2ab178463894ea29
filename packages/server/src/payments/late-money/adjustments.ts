import type { NewEvent } from '../../events/emit.ts'
import type { Movement } from '../../ledger/books.ts'
import { type LedgerEvent, movementsOf, type Occurrence } from '../../ledger/postings.ts'
import { newTransactionId, showId } from '../../platform/ids.ts'
import { isOutgoing } from '../model/outgoing.ts'
import { type Transaction, unadjusted } from '../model/store.ts'
import { merchantEventOf } from '../notify/webhook-body.ts'
import type { AdjustmentDraft } from './late-money.ts'

/** An adjustment as it is written: the transaction, and the draft that its postings come from. */
export interface Adjustment {
  readonly transaction: Transaction
  readonly draft: AdjustmentDraft
}

/** Creates the transaction of an adjustment. Its reference is its own id, which no merchant can have used. */
export function adjustmentOf(first: Transaction, draft: AdjustmentDraft, at: Date, cell: number): Adjustment {
  const id = newTransactionId(at.getTime(), cell)
  const { reason, direction, amount } = draft
  const isPayout = isOutgoing(first)
  return {
    draft,
    transaction: {
      ...first,
      ...unadjusted,
      id,
      type: 'adjustment',
      external_reference: showId('transaction', id),
      related_transaction_id: first.id,
      related_reference: first.external_reference,
      direction,
      reason,
      amount,
      // A payout returns its amount and fee as one sum. A debit charges the merchant no fee, and a returned refund the charge's.
      wallet_amount: draft.wallet_amount + (isPayout ? draft.fee : 0n),
      fee: direction === 'credit' && !isPayout ? draft.fee : (draft.feeDue ?? 0n),
      counterparty: '',
      account_name: '',
      expires_at: null,
      scenario: null,
      state: 'successful',
      attempt: 0,
      doubt: '',
      action: null,
      failure: null,
      receipt: '',
      received: 0n,
      events: 1,
      notified: 1,
      wake_at: null,
      created_at: at,
      updated_at: at,
    },
  }
}

/** Books an adjustment under its own id. The part of a debit that the wallet lacks is owed. */
export function adjustmentMovements(
  { transaction, draft }: Adjustment,
  first: Transaction,
  there: bigint,
  accountOf: Occurrence['accountOf'],
): Movement[] {
  const { id, currency, wallet_currency, wallet_id } = transaction
  const { amount: received, wallet_amount, fee, spread, feeDue = 0n } = draft
  const taken = wallet_amount < there ? wallet_amount : there
  const isAcross = currency !== wallet_currency
  const movements = movementsOf(isAcross ? across[eventOf(first, draft)] : eventOf(first, draft), {
    transaction_id: id,
    firstNumber: 0,
    sums: {
      received,
      fee,
      spread,
      due: feeDue,
      credited: wallet_amount - (isOutgoing(first) ? spread : 0n),
      taken,
      owed: wallet_amount - taken,
    },
    accountOf,
    currencies: { wallet: wallet_currency, payment: currency },
  })
  const receivable = accountOf('receivable', 'wallet')
  return movements.map((movement) =>
    movement.kind === 'transfer' && movement.debit_account === receivable
      ? { ...movement, debt: { wallet_id, account: receivable } }
      : movement,
  )
}

type AdjustmentEvent = 'late_credit' | 'charge_taken_back' | 'chargeback_won' | 'payout_returned' | 'refund_returned'

function eventOf(first: Transaction, { direction, reason }: AdjustmentDraft): AdjustmentEvent {
  if (isOutgoing(first)) return first.type === 'refund' ? 'refund_returned' : 'payout_returned'
  if (direction === 'debit') return 'charge_taken_back'
  return reason === 'chargeback_won' ? 'chargeback_won' : 'late_credit'
}

const across = {
  late_credit: 'late_credit_into_another_currency',
  charge_taken_back: 'charge_taken_back_from_another_currency',
  chargeback_won: 'chargeback_won_into_another_currency',
  payout_returned: 'payout_returned_into_another_currency',
  refund_returned: 'refund_returned_into_another_currency',
} as const satisfies Record<AdjustmentEvent, LedgerEvent>

const messages = {
  late_success: 'The charge was paid after its end; the amount is credited.',
  late_receipt: 'A transfer arrived after the end of the charge; the amount is credited.',
  payout_returned: 'The provider returned the payout; the amount is credited.',
  charge_reversed: 'The provider took the charge back; the amount is debited.',
  chargeback_won: 'The provider gave back what it had taken; the amount is credited.',
  suspense_cleared: 'The operator cleared money that was in suspense.',
  operator: 'The operator adjusted the payment.',
} as const satisfies Record<AdjustmentDraft['reason'], string>

/** The merchant's notification has its own event name, so that its status does not mislead a receiver of payments. */
export function adjustmentEvent(transaction: Transaction, cause: NewEvent['cause'], at: Date, cell: number): NewEvent {
  const { id, merchant_id, env, reason } = transaction
  return {
    transaction_id: id,
    number: 1,
    merchant_id,
    env,
    cause,
    notification: merchantEventOf(transaction, 'adjustment_created', 1, at, cell),
    state: 'successful',
    stage: 'COMPLETED',
    message: messages[reason ?? 'operator'],
    detail: {},
  }
}
