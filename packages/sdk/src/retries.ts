import { ApiError, type MalipoError, NetworkError, ServiceError, TimeoutError } from './errors.ts'

const firstMs = 500
const mostMs = 8000

/** A server that wants us to stay away for longer is obeyed by giving up: the caller is told how long. */
const waitMostMs = 10_000

/**
 * Whether a call may be made once more after this error. What may have happened is repeated only where saying it twice does
 * it once: reads, and what carries an Idempotency-Key.
 */
export function mayRepeat(error: unknown, isRepeatable: boolean): error is MalipoError {
  if (error instanceof ApiError)
    return error.retryable && (isRepeatable || error.status === 429) && (error.retryAfterMs ?? 0) <= waitMostMs
  if (error instanceof NetworkError) return isRepeatable || error.outcome === 'not_sent'
  return error instanceof TimeoutError && isRepeatable
}

/** Whether the try that ended like this may have had its effect. */
export function leavesDoubt(error: MalipoError): boolean {
  return (
    error instanceof TimeoutError ||
    error instanceof ServiceError ||
    (error instanceof NetworkError && error.outcome === 'unknown')
  )
}

/**
 * How long to wait before the next try: anything up to a bound that doubles (full jitter), so that those who failed together
 * do not come back together; and never less than the server asked for.
 */
export function backoffMs(tries: number, error: MalipoError, random: () => number = Math.random): number {
  const askedMs = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0
  return askedMs + random() * Math.min(mostMs, firstMs * 2 ** (tries - 1))
}

/** Waits, unless the signal is or gets aborted: then its reason is thrown. */
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
