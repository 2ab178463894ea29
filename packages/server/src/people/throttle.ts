import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import { countedAs } from '../platform/addresses.ts'
import { BoundedMap } from '../platform/bounded-map.ts'

/** A sign-in with a password. */
export interface Attempt {
  readonly address: string
  /** Identifies the account, whether it exists or not. */
  readonly account: string
  /** The person of this account signed in from this address before. */
  readonly isFamiliar: boolean
}

/**
 * Slows down the guessing of passwords and codes. A failure delays later attempts from its address and for its account, longer each
 * time. From an address where the person signed in before, only failures of that address for that account count: guessing elsewhere
 * does not delay the right person. Passkeys are not throttled, because they cannot be guessed.
 */
export interface SignInThrottle {
  /** How long an attempt must wait before it is checked. */
  delayMs(attempt: Attempt): number
  /** Waits that long. Refuses when the same sender waits already, or too many from one address do. */
  admit(attempt: Attempt): Promise<void>
  /** Counts a failure. With a right password and a wrong code the password is known to the sender, who may guess codes. */
  fail(attempt: Attempt, failure: { readonly isPasswordRight: boolean }): void
  succeed(attempt: Attempt): void
}

const countedMs = 15 * 60_000
const freeFailures = 5
const firstDelayMs = 250
const delayMaxMs = 30_000
const keysMax = 100_000
const waitingPerAddressMax = 8
/** Wrong codes with the right password, from anywhere, before unfamiliar addresses wait for the longest delay, one at a time. */
const wrongCodesMax = 10

export function createSignInThrottle(
  now: () => number = () => performance.now(),
  sleep: (ms: number) => Promise<unknown> = (ms) => wait(ms),
): SignInThrottle {
  const failures = createCounts(now)
  const waiting = new Map<string, number>()
  const keysOf = ({ address, account }: Attempt) => {
    const from = countedAs(address)
    return { from, ofAddress: `address ${from}`, ofAccount: `account ${account}`, ofPair: `pair ${from} ${account}` }
  }
  const isGuessed = ({ account, isFamiliar }: Attempt) =>
    !isFamiliar && failures.of(`codes ${account}`) >= wrongCodesMax
  const delayMs = (attempt: Attempt) => {
    const { ofAddress, ofAccount, ofPair } = keysOf(attempt)
    if (attempt.isFamiliar) return delayAfter(failures.of(ofPair))
    if (isGuessed(attempt)) return delayMaxMs
    return delayAfter(Math.max(failures.of(ofAddress), failures.of(ofAccount)))
  }
  return {
    delayMs,
    admit: async (attempt) => {
      const ms = delayMs(attempt)
      if (ms === 0) return
      const { from, ofPair } = keysOf(attempt)
      // Codes are guessed one at a time, from however many addresses: three of a million are right at a time.
      const alone = isGuessed(attempt) ? [`codes ${attempt.account}`] : []
      const isBusy =
        [ofPair, ...alone].some((key) => waiting.has(key)) || (waiting.get(from) ?? 0) >= waitingPerAddressMax
      if (isBusy) throw new AppError('RATE_LIMIT_EXCEEDED', tooMany(ms))
      const leave = enter(waiting, [from, ofPair, ...alone])
      await sleep(ms).finally(leave)
    },
    fail: (attempt, { isPasswordRight }) => {
      const { ofAddress, ofAccount, ofPair } = keysOf(attempt)
      for (const key of [ofAddress, ofAccount, ofPair]) failures.add(key)
      if (isPasswordRight) failures.add(`codes ${attempt.account}`)
    },
    succeed: (attempt) => failures.clear(keysOf(attempt).ofPair),
  }
}

const tooMany = (ms: number) => ({
  message: 'Too many failed sign-ins. Wait, or use a passkey.',
  headers: { 'retry-after': String(Math.ceil(ms / 1000)) },
})

function delayAfter(failures: number): number {
  return failures < freeFailures ? 0 : Math.min(delayMaxMs, firstDelayMs * 2 ** (failures - freeFailures))
}

function enter(waiting: Map<string, number>, keys: readonly string[]): () => void {
  for (const key of keys) waiting.set(key, (waiting.get(key) ?? 0) + 1)
  return () => {
    for (const key of keys) {
      const left = (waiting.get(key) ?? 0) - 1
      if (left > 0) waiting.set(key, left)
      else waiting.delete(key)
    }
  }
}

/** Counts by key. A count ends 15 minutes after its last failure. */
function createCounts(now: () => number) {
  const counts = new BoundedMap<string, { readonly count: number; readonly endsAt: number }>(keysMax)
  const of = (key: string) => {
    const known = counts.get(key)
    return known && known.endsAt > now() ? known.count : 0
  }
  return {
    of,
    add: (key: string) => void counts.set(key, { count: of(key) + 1, endsAt: now() + countedMs }),
    clear: (key: string) => void counts.delete(key),
  }
}
