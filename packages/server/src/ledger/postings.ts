import type { PlatformKind } from './accounts.ts'
import type { Movement } from './books.ts'

/** One side of a posting: the merchant's wallet, or a platform account. */
type Role = 'wallet' | PlatformKind

/** The sums an event can carry. Sums in the wallet's currency and in the payment's may differ. */
type Sum = 'amount' | 'cost' | 'spread' | 'fee' | 'received' | 'credited' | 'taken' | 'owed' | 'returned' | 'due'

interface Posting {
  readonly kind: 'hold' | 'transfer'
  readonly debit: Role
  readonly credit: Role
  readonly sum: Sum
  /** The currency of the sum. */
  readonly currency: 'wallet' | 'payment'
}

interface Event {
  /** What happens to the earlier holds. */
  readonly ends?: 'post' | 'void'
  readonly postings: readonly Posting[]
}

const hold = (debit: Role, credit: Role, sum: Sum, currency: Posting['currency'] = 'wallet'): Posting => ({
  kind: 'hold',
  debit,
  credit,
  sum,
  currency,
})
const transfer = (debit: Role, credit: Role, sum: Sum, currency: Posting['currency'] = 'wallet'): Posting => ({
  ...hold(debit, credit, sum, currency),
  kind: 'transfer',
})

/** What every event does to the books, debit first. The code posts nothing else. */
export const postingTable = {
  payout_accepted: { postings: [hold('wallet', 'clearing', 'amount'), hold('wallet', 'fees', 'fee')] },
  payout_accepted_from_another_currency: {
    postings: [
      hold('wallet', 'fx_position', 'cost'),
      hold('fx_position', 'clearing', 'amount', 'payment'),
      hold('wallet', 'fx_income', 'spread'),
      hold('wallet', 'fees', 'fee'),
    ],
  },
  payout_successful: { ends: 'post', postings: [transfer('clearing', 'float', 'amount', 'payment')] },
  payout_failed: { ends: 'void', postings: [] },
  refund_accepted: { postings: [hold('wallet', 'clearing', 'amount'), hold('wallet', 'fees', 'fee')] },
  refund_accepted_from_another_currency: {
    postings: [
      hold('wallet', 'fx_position', 'cost'),
      hold('fx_position', 'clearing', 'amount', 'payment'),
      hold('wallet', 'fx_income', 'spread'),
      hold('wallet', 'fees', 'fee'),
    ],
  },
  // `returned` is the part of the charge's fee that comes back with the refund.
  refund_successful: {
    ends: 'post',
    postings: [transfer('clearing', 'float', 'amount', 'payment'), transfer('fees', 'wallet', 'returned')],
  },
  refund_failed: { ends: 'void', postings: [] },
  charge_successful: { postings: [transfer('float', 'wallet', 'received'), transfer('wallet', 'fees', 'fee')] },
  charge_successful_into_another_currency: {
    postings: [
      transfer('float', 'fx_position', 'received', 'payment'),
      transfer('fx_position', 'wallet', 'credited'),
      transfer('fx_position', 'fx_income', 'spread'),
      transfer('wallet', 'fees', 'fee'),
    ],
  },
  receipt_taken: { postings: [transfer('float', 'suspense', 'received', 'payment')] },
  receipts_complete: { postings: [transfer('suspense', 'wallet', 'received'), transfer('wallet', 'fees', 'fee')] },
  receipt_reversed: { postings: [transfer('suspense', 'float', 'received', 'payment')] },
  receipt_restored: { postings: [transfer('float', 'suspense', 'received', 'payment')] },
  late_money_held: { postings: [transfer('float', 'suspense', 'received', 'payment')] },
  late_money_released: { postings: [transfer('suspense', 'float', 'received', 'payment')] },
  late_credit: { postings: [transfer('float', 'wallet', 'received'), transfer('wallet', 'fees', 'fee')] },
  late_credit_into_another_currency: {
    postings: [
      transfer('float', 'fx_position', 'received', 'payment'),
      transfer('fx_position', 'wallet', 'credited'),
      transfer('fx_position', 'fx_income', 'spread'),
      transfer('wallet', 'fees', 'fee'),
    ],
  },
  charge_taken_back: {
    postings: [
      transfer('wallet', 'float', 'taken'),
      transfer('receivable', 'float', 'owed'),
      transfer('fees', 'float', 'fee'),
    ],
  },
  charge_taken_back_from_another_currency: {
    postings: [
      transfer('fx_position', 'float', 'received', 'payment'),
      transfer('wallet', 'fx_position', 'taken'),
      transfer('receivable', 'fx_position', 'owed'),
      transfer('fees', 'fx_position', 'fee'),
      transfer('fx_income', 'fx_position', 'spread'),
    ],
  },
  chargeback_won: { postings: [transfer('float', 'wallet', 'credited'), transfer('wallet', 'fees', 'fee')] },
  chargeback_won_into_another_currency: {
    postings: [
      transfer('float', 'fx_position', 'received', 'payment'),
      transfer('fx_position', 'wallet', 'credited'),
      transfer('fx_position', 'fx_income', 'spread'),
      transfer('wallet', 'fees', 'fee'),
    ],
  },
  payout_returned: { postings: [transfer('float', 'wallet', 'received'), transfer('fees', 'wallet', 'fee')] },
  payout_returned_into_another_currency: {
    postings: [
      transfer('float', 'fx_position', 'received', 'payment'),
      transfer('fx_position', 'wallet', 'credited'),
      transfer('fx_income', 'wallet', 'spread'),
      transfer('fees', 'wallet', 'fee'),
    ],
  },
  // `due` is the part of the charge's fee that came back with the refund, and is due again.
  refund_returned: {
    postings: [
      transfer('float', 'wallet', 'received'),
      transfer('fees', 'wallet', 'fee'),
      transfer('wallet', 'fees', 'due'),
    ],
  },
  refund_returned_into_another_currency: {
    postings: [
      transfer('float', 'fx_position', 'received', 'payment'),
      transfer('fx_position', 'wallet', 'credited'),
      transfer('fx_income', 'wallet', 'spread'),
      transfer('fees', 'wallet', 'fee'),
      transfer('wallet', 'fees', 'due'),
    ],
  },
  conversion: {
    postings: [
      transfer('wallet', 'fx_position', 'taken'),
      transfer('fx_position', 'wallet', 'credited', 'payment'),
      transfer('fx_position', 'fx_income', 'spread'),
    ],
  },
  debt_collected: { postings: [transfer('wallet', 'receivable', 'owed')] },
  suspense_credited: { postings: [transfer('suspense', 'wallet', 'received'), transfer('wallet', 'fees', 'fee')] },
  suspense_debited: {
    postings: [transfer('wallet', 'suspense', 'taken'), transfer('receivable', 'suspense', 'owed')],
  },
  suspense_returned: { postings: [transfer('suspense', 'float', 'received', 'payment')] },
  suspense_written_off: { postings: [transfer('suspense', 'cost', 'received', 'payment')] },
  suspense_loss_written_off: { postings: [transfer('cost', 'suspense', 'received', 'payment')] },
  operator_credit: { postings: [transfer('treasury', 'wallet', 'amount')] },
  operator_debit: { postings: [transfer('wallet', 'treasury', 'amount')] },
  provider_fee_reported: { postings: [transfer('cost', 'float', 'fee', 'payment')] },
  wallet_funded: { postings: [transfer('treasury', 'wallet', 'amount')] },
  float_raised: { postings: [transfer('float', 'treasury', 'amount', 'payment')] },
  float_lowered: { postings: [transfer('treasury', 'float', 'amount', 'payment')] },
} as const satisfies Record<string, Event>

export type LedgerEvent = keyof typeof postingTable

export interface Occurrence {
  readonly transaction_id: string
  /** The number of the first posting; each next one gets the next number, even if it moves nothing. */
  readonly firstNumber: number
  readonly sums: Readonly<Partial<Record<Sum, bigint>>>
  /** The account of each role that the event names. A role in two currencies has two accounts. */
  readonly accountOf: (role: Role, currency: Posting['currency']) => string
  readonly currencies: Readonly<Record<Posting['currency'], string>>
  /** The numbers of the holds to end, if the event ends any. */
  readonly holds?: readonly number[]
}

/** The movements of an event, linked: all of them are applied or none. A zero amount moves nothing. */
export function movementsOf(event: LedgerEvent, occurrence: Occurrence): Movement[] {
  const { ends, postings }: Event = postingTable[event]
  const { transaction_id, firstNumber, sums, accountOf, currencies, holds = [] } = occurrence
  const endings = ends ? holds.map((number) => ({ kind: ends, event, transaction_id, number })) : []
  const moves = postings.flatMap(({ kind, debit, credit, sum, currency }, index) => {
    const amount = sums[sum] ?? 0n
    if (amount === 0n) return []
    const sides = { debit_account: accountOf(debit, currency), credit_account: accountOf(credit, currency) }
    return [
      { kind, event, transaction_id, number: firstNumber + index, ...sides, amount, currency: currencies[currency] },
    ]
  })
  return [...endings, ...moves]
}
