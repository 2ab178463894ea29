import { type LedgerEvent, postingTable } from '../ledger/postings.ts'

/** The purpose of a statement line. */
export const lineKinds = ['payment', 'fee', 'exchange', 'refund', 'adjustment', 'funding', 'archived'] as const
/** The event of a line that sums up archived months. */
export const archivedLines = 'archived'
type LineKind = (typeof lineKinds)[number]

/** The kind of an event's wallet line; lines to or from fees and exchange income always have those kinds. */
const kinds: Readonly<Partial<Record<LedgerEvent, LineKind>>> = {
  wallet_funded: 'funding',
  conversion: 'exchange',
  late_credit: 'adjustment',
  late_credit_into_another_currency: 'adjustment',
  charge_taken_back: 'adjustment',
  charge_taken_back_from_another_currency: 'adjustment',
  chargeback_won: 'adjustment',
  chargeback_won_into_another_currency: 'adjustment',
  payout_returned: 'adjustment',
  payout_returned_into_another_currency: 'adjustment',
  refund_returned: 'adjustment',
  refund_returned_into_another_currency: 'adjustment',
  debt_collected: 'adjustment',
  suspense_credited: 'adjustment',
  suspense_debited: 'adjustment',
  operator_credit: 'adjustment',
  operator_debit: 'adjustment',
}

/** The number of an event's first posting within its transaction. */
const firstNumbers: Readonly<Partial<Record<LedgerEvent, number>>> = {
  charge_successful: 4,
  charge_successful_into_another_currency: 4,
  receipts_complete: 4,
  debt_collected: 30,
}

/** The lines of a payout or a refund are its holds, posted when it succeeded: by the number of each hold. */
const heldLines: readonly LineKind[] = ['payment', 'fee', 'exchange', 'fee']
/** Above the numbers of holds: the fee of a refunded charge that comes back. */
const returnedFee = 5

export function kindOfLine(event: string, number: number): LineKind {
  if (event === archivedLines) return 'archived'
  if (event === 'payout_successful') return heldLine(number, 'payment')
  if (event === 'refund_successful') return heldLine(number, 'refund')
  if (!isEvent(event)) return 'payment'
  const posting = postingTable[event].postings[number - (firstNumbers[event] ?? 0)]
  const others: readonly string[] = posting ? [posting.debit, posting.credit] : []
  if (others.includes('fees')) return 'fee'
  return others.includes('fx_income') ? 'exchange' : (kinds[event] ?? 'payment')
}

function heldLine(number: number, own: LineKind): LineKind {
  const kind = number === returnedFee ? 'fee' : (heldLines[number] ?? own)
  return kind === 'payment' ? own : kind
}

const isEvent = (event: string): event is LedgerEvent => Object.hasOwn(postingTable, event)
