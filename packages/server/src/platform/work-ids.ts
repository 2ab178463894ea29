import { AsyncLocalStorage } from 'node:async_hooks'
import { showId, traceIdOfPayment } from './ids.ts'
import { outsideSteps } from './traces.ts'

/** The request, payment or delivery that a process works on, for its log lines. */
export interface WorkIds {
  /** Of the payment's trace; in a request, the caller's, when it sent one. */
  readonly traceId?: string
  readonly requestId?: string
  /** As the API shows them. */
  readonly merchantId?: string
  readonly transactionId?: string
}

const storage = new AsyncLocalStorage<WorkIds>()
const none: WorkIds = {}

export const workIds = (): WorkIds => storage.getStore() ?? none

/** Every line that is logged by the work, and by what it starts, has these ids in addition. */
export function withWorkIds<Result>(ids: WorkIds, work: () => Result): Result {
  return storage.run({ ...workIds(), ...ids }, work)
}

/** For work that serves others too: batches, polls and connections, which outlive the request that started them. */
export function withoutWorkIds<Result>(work: () => Result): Result {
  return storage.exit(() => outsideSteps(work))
}

export const idsOfPayment = (id: string) => ({
  traceId: traceIdOfPayment(id),
  transactionId: showId('transaction', id),
})

/** The trace and span of a `traceparent` header; undefined when it is not one. */
export function callerOf(
  header: string | string[] | undefined,
): { readonly traceId: string; readonly spanId: string } | undefined {
  const [, traceId, spanId] = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}/.exec(String(header ?? '')) ?? []
  const isValid = traceId !== undefined && spanId !== undefined && !/^0+$/.test(traceId) && !/^0+$/.test(spanId)
  return isValid ? { traceId, spanId } : undefined
}
