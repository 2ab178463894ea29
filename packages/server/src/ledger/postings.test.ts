import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LedgerEvent, movementsOf, postingTable } from './postings.ts'

const currencies = { wallet: 'USD', payment: 'KES' }
const occurrence = {
  transaction_id: '01a1dcca-6078-7000-a51a-dfd94a99a400',
  firstNumber: 0,
  sums: {
    amount: 500n,
    cost: 400n,
    spread: 3n,
    fee: 7n,
    received: 500n,
    credited: 390n,
    taken: 480n,
    owed: 13n,
    returned: 2n,
    due: 5n,
  },
  accountOf: (role: string, currency: 'wallet' | 'payment') => `${role} ${currencies[currency]}`,
  currencies,
}

/** Each event as an accounting handbook would describe it. */
const handbook: Record<LedgerEvent, string[]> = {
  payout_accepted: ['hold 0: wallet USD → clearing USD 500', 'hold 1: wallet USD → fees USD 7'],
  payout_accepted_from_another_currency: [
    'hold 0: wallet USD → fx_position USD 400',
    'hold 1: fx_position KES → clearing KES 500',
    'hold 2: wallet USD → fx_income USD 3',
    'hold 3: wallet USD → fees USD 7',
  ],
  payout_successful: ['post 0', 'post 1', 'transfer 0: clearing KES → float KES 500'],
  payout_failed: ['void 0', 'void 1'],
  refund_accepted: ['hold 0: wallet USD → clearing USD 500', 'hold 1: wallet USD → fees USD 7'],
  refund_accepted_from_another_currency: [
    'hold 0: wallet USD → fx_position USD 400',
    'hold 1: fx_position KES → clearing KES 500',
    'hold 2: wallet USD → fx_income USD 3',
    'hold 3: wallet USD → fees USD 7',
  ],
  refund_successful: [
    'post 0',
    'post 1',
    'transfer 0: clearing KES → float KES 500',
    'transfer 1: fees USD → wallet USD 2',
  ],
  refund_failed: ['void 0', 'void 1'],
  charge_successful: ['transfer 0: float USD → wallet USD 500', 'transfer 1: wallet USD → fees USD 7'],
  charge_successful_into_another_currency: [
    'transfer 0: float KES → fx_position KES 500',
    'transfer 1: fx_position USD → wallet USD 390',
    'transfer 2: fx_position USD → fx_income USD 3',
    'transfer 3: wallet USD → fees USD 7',
  ],
  receipt_taken: ['transfer 0: float KES → suspense KES 500'],
  receipts_complete: ['transfer 0: suspense USD → wallet USD 500', 'transfer 1: wallet USD → fees USD 7'],
  receipt_reversed: ['transfer 0: suspense KES → float KES 500'],
  receipt_restored: ['transfer 0: float KES → suspense KES 500'],
  late_money_held: ['transfer 0: float KES → suspense KES 500'],
  late_money_released: ['transfer 0: suspense KES → float KES 500'],
  late_credit: ['transfer 0: float USD → wallet USD 500', 'transfer 1: wallet USD → fees USD 7'],
  late_credit_into_another_currency: [
    'transfer 0: float KES → fx_position KES 500',
    'transfer 1: fx_position USD → wallet USD 390',
    'transfer 2: fx_position USD → fx_income USD 3',
    'transfer 3: wallet USD → fees USD 7',
  ],
  charge_taken_back: [
    'transfer 0: wallet USD → float USD 480',
    'transfer 1: receivable USD → float USD 13',
    'transfer 2: fees USD → float USD 7',
  ],
  charge_taken_back_from_another_currency: [
    'transfer 0: fx_position KES → float KES 500',
    'transfer 1: wallet USD → fx_position USD 480',
    'transfer 2: receivable USD → fx_position USD 13',
    'transfer 3: fees USD → fx_position USD 7',
    'transfer 4: fx_income USD → fx_position USD 3',
  ],
  chargeback_won: ['transfer 0: float USD → wallet USD 390', 'transfer 1: wallet USD → fees USD 7'],
  chargeback_won_into_another_currency: [
    'transfer 0: float KES → fx_position KES 500',
    'transfer 1: fx_position USD → wallet USD 390',
    'transfer 2: fx_position USD → fx_income USD 3',
    'transfer 3: wallet USD → fees USD 7',
  ],
  payout_returned: ['transfer 0: float USD → wallet USD 500', 'transfer 1: fees USD → wallet USD 7'],
  payout_returned_into_another_currency: [
    'transfer 0: float KES → fx_position KES 500',
    'transfer 1: fx_position USD → wallet USD 390',
    'transfer 2: fx_income USD → wallet USD 3',
    'transfer 3: fees USD → wallet USD 7',
  ],
  refund_returned: [
    'transfer 0: float USD → wallet USD 500',
    'transfer 1: fees USD → wallet USD 7',
    'transfer 2: wallet USD → fees USD 5',
  ],
  refund_returned_into_another_currency: [
    'transfer 0: float KES → fx_position KES 500',
    'transfer 1: fx_position USD → wallet USD 390',
    'transfer 2: fx_income USD → wallet USD 3',
    'transfer 3: fees USD → wallet USD 7',
    'transfer 4: wallet USD → fees USD 5',
  ],
  conversion: [
    'transfer 0: wallet USD → fx_position USD 480',
    'transfer 1: fx_position KES → wallet KES 390',
    'transfer 2: fx_position USD → fx_income USD 3',
  ],
  debt_collected: ['transfer 0: wallet USD → receivable USD 13'],
  suspense_credited: ['transfer 0: suspense USD → wallet USD 500', 'transfer 1: wallet USD → fees USD 7'],
  suspense_debited: ['transfer 0: wallet USD → suspense USD 480', 'transfer 1: receivable USD → suspense USD 13'],
  suspense_returned: ['transfer 0: suspense KES → float KES 500'],
  suspense_written_off: ['transfer 0: suspense KES → cost KES 500'],
  suspense_loss_written_off: ['transfer 0: cost KES → suspense KES 500'],
  operator_credit: ['transfer 0: treasury USD → wallet USD 500'],
  operator_debit: ['transfer 0: wallet USD → treasury USD 500'],
  provider_fee_reported: ['transfer 0: cost KES → float KES 7'],
  wallet_funded: ['transfer 0: treasury USD → wallet USD 500'],
  float_raised: ['transfer 0: float KES → treasury KES 500'],
  float_lowered: ['transfer 0: treasury KES → float KES 500'],
}

for (const [event, lines] of Object.entries(handbook) as [LedgerEvent, string[]][]) {
  test(`${event.replaceAll('_', ' ')} is posted as in the handbook`, () => {
    const movements = movementsOf(event, { ...occurrence, holds: [0, 1] })

    assert.deepEqual(
      movements.map((each) =>
        'amount' in each
          ? `${each.kind} ${each.number}: ${each.debit_account} → ${each.credit_account} ${each.amount}`
          : `${each.kind} ${each.number}`,
      ),
      lines,
    )
    assert.ok(movements.every((each) => each.event === event))
  })
}

test('the handbook covers every event of the table', () => {
  assert.deepEqual(Object.keys(postingTable), Object.keys(handbook))
})

test('no posting names two wallets, because a transfer is a line of one statement', () => {
  for (const { postings } of Object.values(postingTable))
    for (const { debit, credit } of postings)
      assert.ok(!(debit === 'wallet' && credit === 'wallet') && debit !== credit)
})

test('a zero amount moves nothing, and the other postings keep their numbers', () => {
  const movements = movementsOf('payout_accepted_from_another_currency', {
    ...occurrence,
    firstNumber: 10,
    sums: { amount: 500n, cost: 400n, spread: 0n, fee: 7n },
  })

  assert.deepEqual(
    movements.map(({ number }) => number),
    [10, 11, 13],
  )
})
