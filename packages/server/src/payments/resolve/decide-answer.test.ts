import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CustomerAction, ProviderStatus } from '../../providers/contract.ts'
import type { Attempt, KnownPayment, PendingAction, Transaction } from '../model/store.ts'
import { decide } from './decide.ts'
import type { DecisionInputs, Observation } from './decision.ts'

const now = Date.parse('2026-11-15T12:00:00Z')
const around: DecisionInputs = {
  deadAfterMs: undefined,
  movedElsewhere: 0n,
  nowMs: now,
  queriedMsAgo: 20_000,
  notFoundWindowMs: 1_800_000,
  alternatives: [],
  jitter: 0.5,
}

function charge(over: Partial<Transaction> = {}): KnownPayment {
  const transaction = {
    id: '019a0000-0000-7000-8000-000000000000',
    type: 'deposit',
    method: 'card',
    sent_via: 'request',
    amount: 2500n,
    currency: 'NGN',
    state: 'sending',
    doubt: '',
    action: null,
    expires_at: new Date(now + 3_600_000),
    received: 0n,
    ...over,
  } as Transaction
  const send_deadline = new Date(now - 60_000)
  const attempt = { transaction_id: transaction.id, number: 1, sends: 1, polls: 0, send_deadline } as Attempt
  return { transaction, attempt, receipts: [] }
}

const pin = (attemptsLeft: number): PendingAction => ({ kind: 'pin', attemptsLeft })
const waitingFor = (action: CustomerAction): ProviderStatus => ({ state: 'waiting', action })
const providerStatus = (word: ProviderStatus): Observation => ({ kind: 'reported', providerStatus: word })
const take = (payment: KnownPayment, observation: Observation, cause: 'attempt' | 'query' = 'attempt') =>
  decide(payment, { cause, observation }, around)

test('a question allows three answers, and the next question allows three of its own', () => {
  const first = take(charge(), providerStatus(waitingFor({ kind: 'pin' })))
  assert.deepEqual([first?.progress.state, first?.progress.action], ['waiting', pin(3)])
  assert.equal(first?.event?.notifiesMerchant, true)

  const next = take(charge({ action: pin(1) }), providerStatus(waitingFor({ kind: 'otp', hint: 'to 080' })))
  assert.deepEqual(next?.progress.action, { kind: 'otp', hint: 'to 080', attemptsLeft: 3 })
})

test('a wrong answer costs one of three tries, and the third fails the charge', () => {
  for (const left of [3, 2]) {
    const decision = take(charge({ action: pin(left) }), { kind: 'answer_refused', action: pin(left) })
    assert.deepEqual([decision?.progress.state, decision?.progress.action], ['waiting', pin(left - 1)])
  }
  const last = take(charge({ action: pin(1) }), { kind: 'answer_refused', action: pin(1) })
  assert.deepEqual([last?.progress.state, last?.progress.failure?.code], ['failed', 'AUTHENTICATION_FAILED'])
})

test('a repeated question after an answer costs a try; a repeated question in a query does not', () => {
  const again = take(charge({ action: pin(3) }), providerStatus(waitingFor({ kind: 'pin' })))
  assert.deepEqual(again?.progress.action, pin(2))
  const repeated = take(
    charge({ state: 'waiting', action: pin(2) }),
    providerStatus(waitingFor({ kind: 'pin' })),
    'query',
  )
  assert.deepEqual(repeated?.progress.action, pin(2))
})

test('an unsent answer costs no try, even if the provider was queried meanwhile', () => {
  for (const state of ['sending', 'unknown', 'submitted'] as const) {
    const observation: Observation = { kind: 'answer_unsent', action: pin(2), detail: 'not reached' }
    const decision = take(charge({ state, action: null }), observation)
    assert.deepEqual([decision?.progress.state, decision?.progress.action], ['waiting', pin(2)], state)
  }
})

test('an answer with unknown outcome leads to a query and is never sent again', () => {
  const lost = take(charge({ action: pin(3) }), { kind: 'unknown', detail: 'timeout' })
  assert.equal(lost?.progress.state, 'unknown')
  const absent = take(charge({ state: 'unknown', action: pin(3) }), { kind: 'not_found' }, 'query')
  assert.equal(absent?.progress.state, 'unknown')
})

test('a charge waiting for its customer is not in doubt while the provider does not know it', () => {
  const decision = take(charge({ state: 'waiting', action: pin(3) }), { kind: 'not_found' }, 'query')
  assert.deepEqual([decision?.progress.state, decision?.progress.doubt], ['waiting', ''])
})

test('a lost continuation fails the charge by name, and answers never change an ended charge', () => {
  const lost = take(charge({ action: pin(3) }), { kind: 'continuation_lost' })
  assert.equal(lost?.progress.failure?.code, 'AUTHORISATION_LOST')
  for (const state of ['successful', 'failed'] as const)
    for (const kind of ['answer_refused', 'answer_unsent'] as const)
      assert.equal(take(charge({ state }), { kind, action: pin(3), detail: '' }), undefined)
})
