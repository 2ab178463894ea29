import { type Attempt, type KnownPayment, type Transaction, unadjusted } from '../payments/model/store.ts'
import { decide } from '../payments/resolve/decide.ts'
import { type DecisionInputs, lastQuestion, type Observation } from '../payments/resolve/decision.ts'
import type { ProviderStatus } from '../providers/contract.ts'

export const now = Date.parse('2026-11-15T12:00:00Z')
export const minuteMs = 60_000

export const around: DecisionInputs = {
  nowMs: now,
  queriedMsAgo: 20_000,
  notFoundWindowMs: 15 * minuteMs,
  deadAfterMs: undefined,
  movedElsewhere: 0n,
  alternatives: [],
  jitter: 0.5,
}

export function payment(over: Partial<Transaction> = {}, attemptOver: Partial<Attempt> = {}): KnownPayment {
  const transaction = {
    id: '019a0000-0000-7000-8000-000000000000',
    type: 'withdrew',
    attempt: 1,
    sent_via: 'lane',
    failure: null,
    amount: 2500n,
    currency: 'KES',
    state: 'sending',
    doubt: '',
    method: 'momo',
    wallet_amount: 2500n,
    fee: 25n,
    fee_rule: null,
    rate: null,
    ...unadjusted,
    action: null,
    expires_at: null,
    wake_at: null,
    received: 0n,
    events: 1,
    ...over,
  } as Transaction
  const attempt = {
    transaction_id: transaction.id,
    number: 1,
    provider: 'pawapay',
    sends: 1,
    polls: 0,
    refusals: 0,
    send_deadline: new Date(now - minuteMs),
    is_lost: false,
    is_hinted: false,
    outcome: null,
    moved: null,
    returned: 0n,
    ...attemptOver,
  } as Attempt
  return { transaction, attempt, receipts: [] }
}

export const charge = (over: Partial<Transaction> = {}) =>
  payment({ type: 'deposit', expires_at: new Date(now + minuteMs), ...over })
export const take = (of: KnownPayment, observation: Observation, over: Partial<DecisionInputs> = {}) =>
  decide(of, { cause: 'query', observation, question: lastQuestion(of) }, { ...around, ...over })
export const providerStatus = (word: ProviderStatus): Observation => ({ kind: 'reported', providerStatus: word })
export const paid = providerStatus({ state: 'successful', settled: { amount: 2500n, currency: 'KES' } })
export const refused = providerStatus({
  state: 'failed',
  failure: { code: 'RECIPIENT_NOT_FOUND', message: 'no account' },
})
