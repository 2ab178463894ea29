import type { Posted } from '../platform/gated-http.ts'

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** How long after each failed attempt the next is made. After the last there is none, until somebody asks for it. */
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

/** Failures in a row from which an endpoint rests, for how long at first, and at most. */
export const breakerMs = { from: 10, first: 30 * second, longest: 15 * minute } as const

export const isSuccess = (posted: Posted) => posted.kind === 'answered' && posted.status >= 200 && posted.status < 300

/** The receiver says that nobody lives there any more. */
export const isGone = (posted: Posted) => posted.kind === 'answered' && posted.status === 410

/** Nobody tries again by itself after this attempt. */
export const isLast = (attempts: number) => attempts > delaysMs.length

/** When to try again after so many attempts, give or take a tenth; later if the receiver asks for it, within a day. */
export function retryAfterMs(posted: Posted, attempts: number): number | undefined {
  const plain = delaysMs[attempts - 1]
  if (plain === undefined) return undefined
  const asked = posted.kind === 'answered' ? secondsIn(posted.retryAfter) * second : 0
  return Math.max(plain * (0.9 + 0.2 * Math.random()), Math.min(asked, retryAfterMax))
}

/** Seconds, or a date as HTTP writes it. */
function secondsIn(text: string | undefined): number {
  if (text === undefined) return 0
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const at = Date.parse(text)
  return Number.isNaN(at) ? 0 : Math.max(0, (at - Date.now()) / second)
}
