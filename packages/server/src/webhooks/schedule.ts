import type { Posted } from '../platform/gated-http.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The delay after each failed attempt: twelve attempts in about 75 hours. After the last, a retry happens only when the merchant requests a resend. */
const delaysMs = [
  5 * second,
  15 * second,
  45 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]
const retryAfterMax = 24 * hour

/** How many failures in a row pause an endpoint, and its first and longest pause. */
export const breaker = { failuresMin: 10, firstPauseMs: 30 * second, longestPauseMs: 15 * minute } as const

export const isSuccess = (posted: Posted) => posted.kind === 'responded' && posted.status >= 200 && posted.status < 300

/** The receiver responds that the endpoint is gone. */
export const isGone = (posted: Posted) => posted.kind === 'responded' && posted.status === 410

/** No automatic retry follows this attempt. */
export const isLast = (attempts: number) => attempts > delaysMs.length

/** The delay after this many attempts, plus or minus a tenth. Longer if the receiver requests it, up to a day. */
export function retryAfterMs(posted: Posted, attempts: number): number | undefined {
  const plain = delaysMs[attempts - 1]
  if (plain === undefined) return undefined
  const asked = posted.kind === 'responded' ? secondsIn(posted.retryAfter) * second : 0
  return Math.max(plain * (0.9 + 0.2 * Math.random()), Math.min(asked, retryAfterMax))
}

/** Reads seconds or an HTTP date. */
function secondsIn(text: string | undefined): number {
  if (text === undefined) return 0
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? 0 : Math.max(0, (at - Date.now()) / second)
}
