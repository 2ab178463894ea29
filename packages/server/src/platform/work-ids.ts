import { AsyncLocalStorage } from 'node:async_hooks'

/** The request, payment or delivery that a process works on, for its log lines. */
export interface WorkIds {
  /** Of W3C Trace Context, when the caller sent one. */
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
  return storage.exit(work)
}

/** The trace of a `traceparent` header; undefined when it is not one. */
export function traceIdOf(header: string | string[] | undefined): string | undefined {
  const [, id] = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(String(header ?? '')) ?? []
  return id === undefined || /^0+$/.test(id) ? undefined : id
}
