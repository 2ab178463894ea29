import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import { countedAs } from '../platform/addresses.ts'
import { type Db, sql } from '../platform/db.ts'

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
 * does not delay the right person. Passkeys are not throttled, because they cannot be guessed. The database counts, so that all
 * processes together allow no more attempts than one.
 */
export interface SignInThrottle {
  /** How long an attempt must wait before it is checked. */
  delayMs(attempt: Attempt): Promise<number>
  /** Waits that long. Refuses when the same sender waits already, in any process, or too many from one address do in this one. */
  admit(attempt: Attempt, delayMs: number): Promise<void>
  /** Counts a failure. With a right password and a wrong code the password is known to the sender, who may guess codes. */
  fail(attempt: Attempt, failure: { readonly isPasswordRight: boolean }): Promise<void>
  succeed(attempt: Attempt): Promise<void>
}

const freeFailures = 5
const firstDelayMs = 250
const delayMaxMs = 30_000
const waitingPerAddressMax = 8
/** Wrong codes with the right password, from anywhere, before unfamiliar addresses wait for the longest delay, one at a time. */
const wrongCodesMax = 10

export function createSignInThrottle(
  db: Db,
  sleep: (ms: number) => Promise<unknown> = (ms) => wait(ms),
): SignInThrottle {
  const waiting = new Map<string, number>()
  return {
    delayMs: async (attempt) => {
      const { ofAddress, ofAccount, ofPair, ofCodes } = keysOf(attempt)
      const failures = await readFailures(db, attempt.isFamiliar ? [ofPair] : [ofAddress, ofAccount, ofCodes])
      if (attempt.isFamiliar) return delayAfter(failures(ofPair))
      if (failures(ofCodes) >= wrongCodesMax) return delayMaxMs
      return delayAfter(Math.max(failures(ofAddress), failures(ofAccount)))
    },
    admit: async (attempt, delayMs) => {
      const { from } = keysOf(attempt)
      if ((waiting.get(from) ?? 0) >= waitingPerAddressMax) throw tooMany(delayMs)
      const leave = enter(waiting, from)
      try {
        await occupyAll(db, attempt, delayMs)
        await sleep(delayMs)
      } finally {
        leave()
      }
    },
    fail: (attempt, { isPasswordRight }) => {
      const { ofAddress, ofAccount, ofPair, ofCodes } = keysOf(attempt)
      return addFailures(db, [ofAddress, ofAccount, ofPair, ...(isPasswordRight ? [ofCodes] : [])])
    },
    succeed: async (attempt) => {
      await db.query(sql`delete from sign_in_failures where key = ${keysOf(attempt).ofPair}`)
    },
  }
}

function keysOf({ address, account }: Attempt) {
  const from = countedAs(address)
  return {
    from,
    ofAddress: `address ${from}`,
    ofAccount: `account ${account}`,
    ofPair: `pair ${from} ${account}`,
    ofCodes: `codes ${account}`,
  }
}

const tooMany = (ms: number) =>
  new AppError('RATE_LIMIT_EXCEEDED', {
    message: 'Too many failed sign-ins. Wait, or use a passkey.',
    headers: { 'retry-after': String(Math.ceil(ms / 1000)) },
  })

function delayAfter(failures: number): number {
  return failures < freeFailures ? 0 : Math.min(delayMaxMs, firstDelayMs * 2 ** (failures - freeFailures))
}

function enter(waiting: Map<string, number>, key: string): () => void {
  waiting.set(key, (waiting.get(key) ?? 0) + 1)
  return () => {
    const left = (waiting.get(key) ?? 0) - 1
    if (left > 0) waiting.set(key, left)
    else waiting.delete(key)
  }
}

async function readFailures(db: Db, keys: readonly string[]): Promise<(key: string) => number> {
  const rows = await db.query<{ key: string; failures: number }>(sql`
    select key, failures
    from sign_in_failures
    where key = any(${keys}::text[])
      and ends_at > record_time()`)
  const counts = new Map(rows.map(({ key, failures }) => [key, failures]))
  return (key) => counts.get(key) ?? 0
}

/** Codes are guessed one at a time, from however many addresses: of a million codes, three are right at a time. */
async function occupyAll(db: Db, attempt: Attempt, delayMs: number): Promise<void> {
  const { ofPair, ofCodes } = keysOf(attempt)
  const isGuessed = !attempt.isFamiliar && (await readFailures(db, [ofCodes]))(ofCodes) >= wrongCodesMax
  for (const key of isGuessed ? [ofCodes, ofPair] : [ofPair])
    if (!(await occupy(db, key, delayMs))) throw tooMany(delayMs)
}

/** Takes the only place of a key until the delay is over. False while another attempt has it. */
async function occupy(db: Db, key: string, delayMs: number): Promise<boolean> {
  const taken = await db.query(sql`
    insert into sign_in_failures as f (key, failures, busy_until)
    values (${key}, 0, record_time() + make_interval(secs => ${delayMs / 1000}::float8))
    on conflict (key) do update
    set busy_until = excluded.busy_until
    where f.busy_until <= record_time()
    returning key`)
  return taken.length === 1
}

/** The keys are sorted, so that two failures at once do not wait for each other. Counts that ended are deleted. */
async function addFailures(db: Db, keys: readonly string[]): Promise<void> {
  const sorted = keys.toSorted()
  await db.query(sql`
    with old as (
      delete from sign_in_failures
      where (select pg_try_advisory_xact_lock(hashtextextended('old sign-in failures', 0)))
        and key in (
          select key
          from sign_in_failures
          where ends_at < record_time()
            and busy_until < record_time()
            and key <> all(${sorted}::text[])
          limit 100
        )
    )
    insert into sign_in_failures as f (key, failures)
    select key, 1
    from unnest(${sorted}::text[]) as k(key)
    on conflict (key) do update
    set failures = case when f.ends_at > record_time() then f.failures + 1 else 1 end,
      ends_at = excluded.ends_at`)
}
