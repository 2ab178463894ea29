import { ApiError, type MalipoError, NetworkError, ServiceError, TimeoutError } from './errors.ts'

const firstMs = 500
const mostMs = 8000

/** If the server asks for a longer wait, the SDK gives up; the error carries the wait. */
const waitMostMs = 10_000

/**
 * Whether a call may be retried after this error. A request that may have taken effect is retried only if a repetition is
 * harmless: reads, and requests with an Idempotency-Key.
 */
export function mayRepeat(error: unknown, isRepeatable: boolean): error is MalipoError {
  if (error instanceof ApiError)
    return error.retryable && (isRepeatable || error.status === 429) && (error.retryAfterMs ?? 0) <= waitMostMs
  if (error instanceof NetworkError) return isRepeatable || error.outcome === 'not_sent'
  return error instanceof TimeoutError && isRepeatable
}

/** Whether the attempt that failed with this error may have taken effect. */
export function leavesDoubt(error: MalipoError): boolean {
  return (
    error instanceof TimeoutError ||
    error instanceof ServiceError ||
    (error instanceof NetworkError && error.outcome === 'unknown')
  )
}

/**
 * Back-off before the next attempt: random up to a bound that doubles (full jitter), so that callers who failed together do
 * not retry together; never less than the server asked for.
 */
export function backoffMs(tries: number, error: MalipoError, random: () => number = Math.random): number {
  const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0
  return askedMs + random() * Math.min(mostMs, firstMs * 2 ** (tries - 1))
}

/** Waits. If the signal is or gets aborted, throws its reason. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}
