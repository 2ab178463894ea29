import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Doubt, type DoubtOrNone, doubts } from '../payments/model/doubts.ts'
import { isFinal, type State, states } from '../payments/model/state.ts'
import { type PendingAction, type Transaction, unadjusted } from '../payments/model/store.ts'
import { failureCodes } from '../providers/failure-codes.ts'
import { loadReferenceData } from '../reference/data.ts'
import { explain } from './explain.ts'

const names = loadReferenceData()
const now = new Date('2026-11-15T12:00:00Z')
const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)
const account = { accountNumber: '0123456001', bankName: 'House Bank', expiresAt: after(3600).toISOString() }

const charge = {
  id: '019a0000-0000-7000-8000-000000000000',
  type: 'deposit',
  method: 'momo',
  destination: 'MoMo',
  country: 'KE',
  external_reference: 'order-1',
  amount: 150_050n,
  currency: 'KES',
  wallet_country: 'KE',
  wallet_currency: 'KES',
  wallet_amount: 150_050n,
  fee: 1501n,
  rate: null,
  account_name: '',
  code: 'MPESA_KE',
  created_at: now,
  expires_at: after(900),
  state: 'submitted',
  provider: 'pawapay',
  doubt: '',
  ...unadjusted,
  related_transaction_id: null,
  direction: null,
  action: null,
  failure: null,
  received: 0n,
  wake_at: after(10),
} as unknown as Transaction
const payout = {
  ...charge,
  type: 'withdrew',
  account_name: 'Amina Otieno',
  amount: 10_000n,
  wallet_amount: 10_000n,
  fee: 100n,
  expires_at: null,
} as Transaction

const running = { isPaused: false, isUnhealthy: false, isFrozen: false }
const explained = (of: Transaction, over: Partial<Transaction> = {}) => explain({ ...of, ...over }, names, now, running)
const sentence = (of: Transaction, over: Partial<Transaction> = {}) => explained(of, over).sentence
const failedFor = (code: keyof typeof failureCodes) =>
  ({ state: 'failed', wake_at: null, failure: { code, message: 'SECRET words', providerCode: 'SECRET' } }) as const

const actions: readonly (PendingAction | null)[] = [
  null,
  { kind: 'pin', attemptsLeft: 3 },
  { kind: 'otp', hint: 'SECRET hint', attemptsLeft: 1 },
  { kind: 'address', attemptsLeft: 2 },
  { kind: 'pin_prompt' },
  { kind: 'redirect', url: 'https://secret.example/SECRET' },
  { kind: 'pay_to_account', account },
]
const everyDoubt: readonly DoubtOrNone[] = ['', ...(Object.keys(doubts) as Doubt[])]
const afterwards = [{}, { adjustments: ['one'] }, { adjustments: ['one', 'two'], suspended: 5n }, { suspended: -5n }]

const bases = [charge, payout, { ...charge, method: 'card', code: '' }, { ...charge, method: 'bank-transfer' }]

/** Every record that can exist, one after another. */
function* everything(): Generator<Transaction> {
  for (const base of bases as Transaction[])
    for (const state of states) yield* isFinal(state) ? ends(base, state) : stays(base, state)
}

function* stays(base: Transaction, state: State): Generator<Transaction> {
  for (const action of actions) for (const doubt of everyDoubt) yield { ...base, state, action, doubt, failure: null }
}

function* ends(base: Transaction, state: State): Generator<Transaction> {
  const failures = Object.keys(failureCodes) as (keyof typeof failureCodes)[]
  for (const later of afterwards)
    for (const code of state === 'failed' ? failures : [undefined])
      yield {
        ...base,
        ...later,
        state,
        wake_at: null,
        ...(code ? failedFor(code) : { failure: null }),
      } as Transaction
}

test("every record is explained in one sentence, without any of the provider's own text", () => {
  let count = 0
  for (const transaction of everything()) {
    const { sentence: text, next, by } = explain(transaction, names, now, running)
    const facts = JSON.stringify([transaction.type, transaction.state, transaction.doubt, transaction.action, text])
    assert.match(text, /^The (charge|payout) of KES [\d,.]+ .+[^.;]\.$/, facts)
    assert.doesNotMatch(text, /undefined|null|NaN|Invalid|SECRET|secret|pawapay| {2}|;;|\.\s/, facts)
    assert.ok(text.length < 420, facts)
    assert.ok(next === null || text.includes(next), facts)
    assert.ok(by === null || !Number.isNaN(Date.parse(by)), facts)
    assert.equal(next === null, isFinal(transaction.state) && !text.includes('the operator investigates'), facts)
    count += 1
  }
  assert.ok(count > 1500, `${count} records were looked at`)
})

test('an accepted payment is explained with its next step, and a payout with its hold', () => {
  assert.equal(
    sentence(charge, { state: 'accepted', action: { kind: 'pin_prompt' }, wake_at: now }),
    "The charge of KES 1,500.50 by mobile money (M-Pesa) was accepted; the prompt goes to the customer's phone now; without an outcome it expires at 12:15:00 UTC on 15 November 2026.",
  )
  assert.equal(
    sentence(payout, { state: 'accepted', wake_at: after(5) }),
    'The payout of KES 100 to Amina Otieno was accepted; it is sent to the provider at 12:00:05 UTC on 15 November 2026; its money is held.',
  )
  assert.deepEqual(explained(payout, { state: 'accepted', doubt: 'closed', wake_at: after(30) }), {
    sentence:
      'The payout of KES 100 to Amina Otieno was accepted and waits, because the provider is closed for now; we try again at 12:00:30 UTC on 15 November 2026; nothing was sent yet and its money is held.',
    next: 'we try again',
    by: '2026-11-15T12:00:30.000Z',
  })
})

test("an explanation hides the operator's problems with its provider from merchants", () => {
  for (const doubt of ['float_exhausted', 'rejected'] as const)
    assert.match(sentence(payout, { state: 'accepted', doubt }), /because the provider cannot accept it now;/)
})

test('while the provider is paused no explanation claims that something is sent or queried soon', () => {
  const paused = (of: Transaction, over: Partial<Transaction>) =>
    explain({ ...of, ...over }, names, now, { ...running, isPaused: true })

  assert.deepEqual(paused(payout, { state: 'accepted', wake_at: now }), {
    sentence:
      'The payout of KES 100 to Amina Otieno was accepted; it is sent to the provider once the operator resumes the provider, which is paused; its money is held.',
    next: 'it is sent to the provider once the operator resumes the provider, which is paused',
    by: null,
  })
  for (const state of ['sending', 'submitted', 'unknown'] as const) {
    const { sentence: text, by } = paused(payout, { state, wake_at: after(5) })
    assert.match(text, /once the operator resumes the provider, which is paused; its money stays held/)
    assert.equal(by, null)
  }
  const asked = { state: 'waiting', action: { kind: 'pin_prompt' } } as const
  assert.deepEqual(paused(charge, asked), explained(charge, asked))
  const paid = { state: 'successful', wake_at: null } as const
  assert.deepEqual(paused(payout, paid), explained(payout, paid))
})

test('a payout of a frozen merchant that was not sent is not explained as sent soon', () => {
  const frozen = (over: Partial<Transaction>, isPaused = false) =>
    explain({ ...payout, ...over }, names, now, { ...running, isPaused, isFrozen: true })

  assert.deepEqual(frozen({ state: 'accepted', wake_at: now }), {
    sentence:
      'The payout of KES 100 to Amina Otieno was accepted; it is sent to the provider once the operator unfreezes your account, which is frozen; its money is held.',
    next: 'it is sent to the provider once the operator unfreezes your account, which is frozen',
    by: null,
  })
  const again = { state: 'unknown', doubt: 'not_found' } as const
  assert.equal(frozen(again).next, 'it is sent again once the operator unfreezes your account, which is frozen')
  assert.match(
    frozen({ state: 'accepted' }, true).sentence,
    /once the operator resumes the provider, which is paused, and unfreezes your account, which is frozen; its money/,
  )
  const sent = { state: 'submitted' } as const
  assert.deepEqual(frozen(sent), explained(payout, sent), 'a payout that was sent is still queried')
})

test('while the provider does not respond, our next step is explained as possibly late', () => {
  const unhealthy = (over: Partial<Transaction>) =>
    explain({ ...payout, ...over }, names, now, { ...running, isUnhealthy: true }).sentence

  assert.equal(
    unhealthy({ state: 'accepted', wake_at: now }),
    'The payout of KES 100 to Amina Otieno was accepted; it is sent to the provider now; the provider does not respond at the moment, so this may take longer; its money is held.',
  )
  const unreached = { state: 'accepted', doubt: 'not_reached' } as const
  assert.equal(unhealthy(unreached), sentence(payout, unreached))
  const paid = { state: 'successful', wake_at: null } as const
  assert.equal(unhealthy(paid), sentence(payout, paid))
})

test('a waiting charge is explained with who must act, what to do and by when', () => {
  const waiting = (action: PendingAction, over: Partial<Transaction> = {}) =>
    explained(charge, { state: 'waiting', action, ...over })

  assert.deepEqual(waiting({ kind: 'pin_prompt' }), {
    sentence:
      'The charge of KES 1,500.50 by mobile money (M-Pesa) waits for the customer, who got a prompt on their phone; the customer approves it with their PIN by 12:15:00 UTC on 15 November 2026; otherwise it expires and nothing is taken.',
    next: 'the customer approves it with their PIN',
    by: '2026-11-15T12:15:00.000Z',
  })
  const card = { method: 'card', code: '' } as const
  assert.match(
    waiting({ kind: 'otp', attemptsLeft: 1 }, card).sentence,
    /^The charge of KES 1,500.50 by card waits for the customer, who was asked for the code that their bank sent them \(1 try left\); you send their answer to authorise with type otp by 12:15:00/,
  )
  assert.match(waiting({ kind: 'pin', attemptsLeft: 3 }, card).sentence, /the PIN of their card \(3 tries left\)/)
  assert.match(waiting({ kind: 'address' }, card).sentence, /the billing address of their card; .*with type address/)
  assert.match(waiting({ kind: 'redirect', url: 'https://x' }, card).sentence, /their bank's page \(3-D Secure\)/)
  assert.match(waiting({ kind: 'redirect', url: 'https://x' }).sentence, /the operator's page/)
})

test('an awaited transfer is explained with its account, the missing amount and both deadlines', () => {
  const over = { state: 'waiting', method: 'bank-transfer', code: '', expires_at: after(90_000) } as const
  const action = { kind: 'pay_to_account', account } as const

  assert.deepEqual(explained(charge, { ...over, action, received: 50_050n }), {
    sentence:
      'The charge of KES 1,500.50 by bank transfer waits for a bank transfer to account 0123456001 at House Bank, where KES 500.50 was received and the rest is missing; the customer transfers KES 1,000 by 13:00:00 UTC on 15 November 2026; transfers that the bank reports until 13:00:00 UTC on 16 November 2026 still count.',
    next: 'the customer transfers KES 1,000',
    by: '2026-11-15T13:00:00.000Z',
  })
  assert.match(
    explain({ ...charge, ...over, action }, names, after(4000), running).sentence,
    /which ended at 13:00:00 UTC on 15 November 2026; nothing was received yet; we query the bank again now; /,
  )
})

test('a payment in doubt is explained with its doubt, the next query and its held money', () => {
  assert.deepEqual(explained(payout, { state: 'unknown', doubt: 'no_response' }), {
    sentence:
      "The payout of KES 100 to Amina Otieno is in doubt: the provider's response was lost, and the outcome is not known yet; we query it again at 12:00:10 UTC on 15 November 2026; its money stays held until the outcome is known.",
    next: 'we query it again',
    by: '2026-11-15T12:00:10.000Z',
  })
  assert.match(sentence(payout, { state: 'unknown', doubt: 'not_found' }), /with the same key and cannot be paid twice/)
  assert.match(
    sentence(charge, { state: 'unknown', doubt: 'amount_mismatch' }),
    /another amount than requested; the operator investigates; nothing is credited until then\.$/,
  )
})

test('a success is explained with amount, fee and wallet', () => {
  assert.deepEqual(explained(charge, { state: 'successful', wake_at: null }), {
    sentence:
      'The charge of KES 1,500.50 by mobile money (M-Pesa) was paid: the customer paid KES 1,500.50, and KES 1,485.49 was credited to your KES wallet after a fee of KES 15.01.',
    next: null,
    by: null,
  })
  assert.equal(
    sentence(payout, { state: 'successful', wallet_currency: 'USD', wallet_amount: 78n, fee: 1n }),
    'The payout of KES 100 to Amina Otieno was paid out: USD 0.79 left your USD wallet for Kenya, of which USD 0.01 is the fee.',
  )
  assert.match(
    sentence(charge, { state: 'successful', method: 'bank-transfer', code: '', received: 200_000n }),
    /the customer paid KES 2,000, more than requested, and KES 1,984.99 was credited/,
  )
})

test('a failure is explained with its reason, where the money is, and what to do', () => {
  assert.equal(
    sentence(charge, failedFor('INSUFFICIENT_BALANCE')),
    'The charge of KES 1,500.50 by mobile money (M-Pesa) failed: the customer does not have enough money; nothing was credited; the customer tops up, and you charge again under a new reference.',
  )
  assert.equal(
    sentence(payout, failedFor('RECIPIENT_NOT_FOUND')),
    'The payout of KES 100 to Amina Otieno failed: the recipient has no account there; its money is back in your KES wallet; check the number with the recipient, and pay out again under a new reference.',
  )
  assert.match(sentence(charge, failedFor('EXPIRED')), /expired: it was not completed in time; nothing was credited; /)
  assert.match(sentence(payout, failedFor('MANUALLY_CANCELLED')), /was cancelled before it was sent; its money is back/)
  assert.match(sentence(payout, failedFor('REVERSED')), /was taken back by the provider; its money is back/)
  assert.match(
    sentence(charge, { ...failedFor('UNDERPAID'), received: 50_000n }),
    /only KES 500 of KES 1,500.50 was received, which the operator holds for you/,
  )
})

test('money moved after the end is explained, and whether the operator still decides about some', () => {
  const adjustments = ['0199a0b0-0000-7000-8000-000000000000']
  assert.match(
    sentence(charge, { state: 'successful', adjustments }),
    /was credited to .+; later an adjustment changed your wallet\.$/,
  )
  assert.equal(explained(charge, { state: 'successful', adjustments }).next, null)
  assert.match(
    sentence(payout, { ...failedFor('UNSPECIFIED_FAILURE'), suspended: -150_050n }),
    /; the provider moved another amount; the operator investigates\.$/,
  )
  assert.equal(explained(payout, { state: 'successful', suspended: 5n }).next, 'the operator investigates')
})

test('an adjustment is explained with what moved, why, and for which payment', () => {
  const adjustment = { ...charge, type: 'adjustment', state: 'successful', related_reference: 'order-7' } as const

  assert.equal(
    sentence(adjustment, { reason: 'late_success', direction: 'credit' }),
    'The adjustment of KES 1,500.50 is final: the customer paid after the charge had ended (order-7), and KES 1,485.49 was credited to your KES wallet after a fee of KES 15.01.',
  )
  assert.match(
    sentence(adjustment, { reason: 'charge_reversed', direction: 'debit', fee: 0n }),
    /took the charge back after it had succeeded \(order-7\), and KES 1,500\.50 was debited from your KES wallet or is owed by it\.$/,
  )
})

test('an expired charge that is still under way is explained as not to be charged again', () => {
  assert.match(sentence(charge, { state: 'unknown', doubt: 'overdue' }), /do not charge the customer again/)
})
