import { isCurrency } from '../../money/currencies.ts'
import { formatMinor } from '../../money/money.ts'
import { showId } from '../../platform/ids.ts'
import { type Metrics, observeBatches } from '../../platform/metrics.ts'
import { isTracing, recordPayment } from '../../platform/traces.ts'
import { isOutgoing } from './outgoing.ts'
import { kindOf } from './payment-kind.ts'
import { isFinal } from './state.ts'
import type { Transaction } from './store.ts'

type CountedFrom = ReadonlyMap<string, Date | null>

/** Called when the transaction that wrote them is known to be committed. */
export interface PaymentObserver {
  accepted(transactions: readonly Transaction[]): void
  /** `from` has the start of the time to final where it is not the acceptance; null: the time is not counted. */
  ended(transactions: readonly Transaction[], from: CountedFrom): void
}

/** Counts payments and batches, and records the trace of each payment that ends. */
export function observePayments(metrics: Metrics, batch: string) {
  const ended = (transactions: readonly Transaction[], from: CountedFrom) => {
    for (const transaction of transactions) countEnd(metrics, transaction, from.get(transaction.id))
    if (isTracing()) transactions.forEach(traceEnd)
  }
  const accepted = (transactions: readonly Transaction[]) => {
    for (const { env, type, method, provider } of transactions)
      metrics.paymentsCreated.inc({ env, type, method, provider })
    const final = transactions.filter(({ state }) => isFinal(state)) // A conversion ends when it is accepted.
    ended(final, new Map())
  }
  return {
    payments: { accepted, ended } satisfies PaymentObserver,
    batches: (env: string) => observeBatches(metrics, `${batch}_${env}`),
  }
}

function countEnd(metrics: Metrics, transaction: Transaction, from: Date | null = transaction.created_at): void {
  const { env, type, method, provider, country, state: status, failure, currency, amount } = transaction
  const labels = { env, type, method, provider, status }
  metrics.paymentsFinal.inc({ ...labels, code: failure?.code ?? '' })
  if (from !== null)
    metrics.timeToFinal.observe(labels, Math.max(0, transaction.updated_at.getTime() - from.getTime()) / 1000)
  if (status === 'successful' && isOutgoing(transaction) && isCurrency(currency))
    metrics.floatSpent.inc({ env, provider, country, currency }, Number(formatMinor(amount, currency)))
}

function traceEnd({ id, type, created_at, updated_at, ...transaction }: Transaction): void {
  const { merchant_id, env, method, provider, state, failure } = transaction
  recordPayment(id, kindOf(type), created_at, updated_at, {
    'malipo.merchant_id': showId('merchant', merchant_id),
    'malipo.env': env,
    'malipo.method': method,
    'malipo.provider': provider,
    'malipo.outcome': state,
    ...(failure && { 'malipo.failure_code': failure.code }),
  })
}
