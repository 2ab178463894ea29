import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import { type BatchMark, type BatchTx, CommitUnknown, type Db, sql, type WriteDb } from './db.ts'
import { reach } from './failpoints.ts'
import { platformTiming } from './timing.ts'
import { currentStep, isTracing, nowMs, recordBatch, type Step } from './traces.ts'
import { withoutWorkIds } from './work-ids.ts'

/** What a batch decided. It is valid only once its transaction is known to be committed. */
export interface Decided<Result> {
  /** One per item, in order. */
  readonly results: readonly Result[]
  /** Called when the transaction is known to be committed, before any caller resumes. */
  readonly committed?: () => void
  /** Called when the outcome is not known in time: later work must not build on it. `committed` may still follow. */
  readonly abandoned?: () => void
}

/** Receives what became of the batches, for the metrics. */
export interface BatchObserver {
  written(items: number, seconds: number): void
  /** A try wrote nothing, or its outcome is not known yet. */
  retried(reason: 'again' | 'lock' | 'item' | 'commit_lost'): void
  refused(items: number): void
}

export interface BatcherOptions<Item, Result> {
  readonly observer?: BatchObserver | undefined
  readonly db: WriteDb
  /** Decides all items in order, with a constant number of statements. May run more than once. */
  readonly decide: (tx: BatchTx, items: readonly Item[]) => Promise<Decided<Result>>
  /** What an item may wait for, such as its wallet: a blocked batch is split by this key. */
  readonly keyOf: (item: Item) => string | Promise<string>
  readonly sizeMax?: number
  readonly queueMax?: number
  /** How the batch is named in traces, and the payment that an item wrote. */
  readonly traced?: { readonly name: string; readonly paymentOf: (item: Item, result: Result) => string | undefined }
}

export interface Batcher<Item, Result> {
  /** Resolves once the item is durable. Throws OVERLOADED when the queue is full, or when the outcome stays unknown. */
  submit(item: Item): Promise<Result>
}

interface Entry<Item, Result> {
  readonly item: Item
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
  /** How often it was postponed because another transaction held its lock. */
  madeWay: number
  /** How often its batch proved rolled back long after its COMMIT response was lost. */
  losses: number
  /** Of the submitting work; undefined without traces. */
  readonly step: Step | undefined
  readonly submittedMs: number
}

const { batchLockWaitMs, commitLookupMs, commitLookupLaterMs, commitsKeptMs } = platformTiming
const triesMax = 3
const madeWayMax = 15

/**
 * Group commit: items that arrive while a batch is written form the next one. It uses no timer, so a batch is small at low load
 * and large under load, and one transaction carries them all.
 */
export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { sizeMax = 1000, queueMax = 10_000 } = options
  const queue: Entry<Item, Result>[] = []
  let isWriting = false

  const write = async () => {
    isWriting = true
    while (queue.length > 0) queue.push(...(await writeBatch(run, queue.splice(0, sizeMax))))
    isWriting = false
  }
  const add = (entries: readonly Entry<Item, Result>[]) => {
    queue.push(...entries)
    if (!isWriting) void withoutWorkIds(write)
  }
  const run: Run<Item, Result> = { ...options, again: add }
  return {
    submit: (item) => {
      if (queue.length >= queueMax) {
        options.observer?.refused(1)
        return Promise.reject(new AppError('OVERLOADED'))
      }
      const traced = { step: currentStep(), submittedMs: isTracing() ? nowMs() : 0 }
      return new Promise((resolve, reject) => add([{ item, resolve, reject, madeWay: 0, losses: 0, ...traced }]))
    },
  }
}

interface Run<Item, Result> extends BatcherOptions<Item, Result> {
  /** Puts entries into a later batch. */
  readonly again: (entries: readonly Entry<Item, Result>[]) => void
}

/** Never throws: every entry gets its result, now or later, or is returned because another transaction holds its lock. */
async function writeBatch<Item, Result>(
  options: Run<Item, Result>,
  entries: readonly Entry<Item, Result>[],
): Promise<Entry<Item, Result>[]> {
  let outcome = await tryBatch(options, entries)
  for (let tries = 1; tries < triesMax && outcome.kind === 'again'; tries += 1)
    outcome = await tryBatch(options, entries)
  if (outcome.kind === 'done') return []
  const parts = await partsOf(options, entries, outcome)
  if (parts.length > 1) return writeParts(options, parts)
  if (outcome.kind === 'held up') return entries.filter(makeWay)
  options.observer?.refused(entries.length)
  rejectAll(entries, outcome.kind === 'failed' ? outcome.error : new AppError('OVERLOADED'))
  return []
}

async function writeParts<Item, Result>(
  options: Run<Item, Result>,
  parts: readonly (readonly Entry<Item, Result>[])[],
): Promise<Entry<Item, Result>[]> {
  const heldUp: Entry<Item, Result>[] = []
  for (const part of parts) heldUp.push(...(await writeBatch(options, part)))
  return heldUp
}

/** Postpones an entry behind later ones, so that one locked wallet does not block the rest; refuses it after about 3 s. */
function makeWay<Item, Result>(entry: Entry<Item, Result>): boolean {
  entry.madeWay += 1
  if (entry.madeWay >= madeWayMax) entry.reject(new AppError('OVERLOADED'))
  return entry.madeWay < madeWayMax
}

type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'again' }
  /** The database refuses some item's data, or a check of that item does: find it by halving. */
  | { readonly kind: 'poisoned' }
  /** Another transaction holds some item's lock: let the other items proceed without it. */
  | { readonly kind: 'held up' }
  | { readonly kind: 'failed'; readonly error: unknown }

const reasonOf = { again: 'again', poisoned: 'item', 'held up': 'lock' } as const

async function tryBatch<Item, Result>(
  run: Run<Item, Result>,
  entries: readonly Entry<Item, Result>[],
): Promise<Outcome> {
  const { db, decide, observer } = run
  const items = entries.map(({ item }) => item)
  const startedAt = performance.now()
  let decided: Decided<Result>
  try {
    reach('batch.begin')
    decided = await db.batch(batchLockWaitMs, (tx) => decide(tx, items))
  } catch (error) {
    if (error instanceof CommitUnknown) {
      observer?.retried('commit_lost')
      return resolveLost({ ...run, startedAt }, entries, error as CommitUnknown<Decided<Result>>)
    }
    const outcome = classify(error as Error, entries.length)
    if (outcome.kind !== 'failed') observer?.retried(reasonOf[outcome.kind])
    return outcome
  }
  observer?.written(entries.length, (performance.now() - startedAt) / 1000)
  resolveAll({ ...run, startedAt }, entries, decided)
  return { kind: 'done' }
}

/** A run, and when its last try started. */
interface Tried<Item, Result> extends Run<Item, Result> {
  readonly startedAt: number
}

function resolveAll<Item, Result>(
  tried: Tried<Item, Result>,
  entries: readonly Entry<Item, Result>[],
  decided: Decided<Result>,
): void {
  for (const [index, { resolve }] of entries.entries()) resolve(decided.results[index] as Result)
  decided.committed?.()
  if (isTracing()) recordTried(tried, entries, decided)
}

function recordTried<Item, Result>(
  { traced, startedAt }: Tried<Item, Result>,
  entries: readonly Entry<Item, Result>[],
  { results }: Decided<Result>,
): void {
  if (!traced) return
  const joined = entries.flatMap(({ item, step, submittedMs: joinedMs }, index) => {
    const payment = traced.paymentOf(item, results[index] as Result)
    return payment === undefined ? [] : [{ payment, step, joinedMs }]
  })
  const startedMs = nowMs() - (performance.now() - startedAt)
  recordBatch({ name: traced.name, startedMs, size: entries.length }, joined)
}

function rejectAll<Item, Result>(entries: readonly Entry<Item, Result>[], error: unknown): void {
  for (const { reject } of entries) reject(error)
}

/** Another batch was faster. This one runs again, and finds what the other wrote. */
export class BatchConflict extends Error {}

/** Only errors of one item's data (classes 22 and 23) or of its own checks are bisected; transient errors are retried as a whole. */
function classify(error: Error & { code?: string }, size: number): Exclude<Outcome, { readonly kind: 'done' }> {
  const { code = '' } = error
  const isRefusal = error instanceof AppError && error.key !== 'OVERLOADED'
  if (/^2[23]/.test(code) || isRefusal) return size > 1 ? { kind: 'poisoned' } : { kind: 'failed', error }
  if (code === '55P03') return { kind: 'held up' }
  return isPassing(error) ? { kind: 'again' } : { kind: 'failed', error }
}

/**
 * The database is unreachable, starting, stopping or read-only, has no connection left, or timed out: a retry may succeed. Its
 * name may also be unresolvable for a while (`EAI_AGAIN`).
 */
export function isPassing(error: Error & { readonly code?: string }): boolean {
  const { code = '', message } = error
  return (
    error instanceof BatchConflict ||
    /^(08|25006|25P03|40|53|57|58)/.test(code) ||
    /^E(AI_)?[A-Z]+$/.test(code) ||
    /Connection terminated|not queryable|timeout/.test(message)
  )
}

/** Splits the batch for the next try: whole, by lock key, or in halves. */
async function partsOf<Item, Result>(
  { keyOf }: BatcherOptions<Item, Result>,
  entries: readonly Entry<Item, Result>[],
  { kind }: Outcome,
): Promise<(readonly Entry<Item, Result>[])[]> {
  if (kind === 'held up') {
    const keys = await Promise.all(entries.map(async ({ item }) => keyOf(item))).catch(() => [])
    return [...Map.groupBy(entries, (_, index) => keys[index]).values()]
  }
  const middle = Math.ceil(entries.length / 2)
  return kind === 'poisoned' ? [entries.slice(0, middle), entries.slice(middle)] : [entries]
}

/**
 * Asks the database for the outcome of a commit whose response was lost, and trusts nothing else. Later batches wait for that
 * only briefly, so that items are normally decided in order; while the database is unavailable they do not queue behind it.
 */
async function resolveLost<Item, Result>(
  run: Tried<Item, Result>,
  entries: readonly Entry<Item, Result>[],
  lost: CommitUnknown<Decided<Result>>,
): Promise<Outcome> {
  const fate = await fateOf(run.db, lost.mark, commitLookupMs)
  if (fate === 'aborted') return { kind: 'again' }
  if (fate === 'committed') {
    resolveAll(run, entries, lost.result)
    return { kind: 'done' }
  }
  lost.result.abandoned?.()
  void resolveLater(run, entries, lost)
  return { kind: 'done' }
}

async function resolveLater<Item, Result>(
  tried: Tried<Item, Result>,
  entries: readonly Entry<Item, Result>[],
  lost: CommitUnknown<Decided<Result>>,
): Promise<void> {
  const fate = await fateOf(tried.db, lost.mark, commitLookupLaterMs)
  if (fate === 'committed') resolveAll(tried, entries, lost.result)
  else if (fate === 'aborted') tried.again(entries.filter(mayTryAgain))
  else rejectAll(entries, new AppError('OVERLOADED'))
}

function mayTryAgain<Item, Result>(entry: Entry<Item, Result>): boolean {
  entry.losses += 1
  if (entry.losses >= triesMax) entry.reject(new AppError('OVERLOADED'))
  return entry.losses < triesMax
}

async function fateOf(db: WriteDb, mark: BatchMark, withinMs: number): Promise<'committed' | 'aborted' | 'unknown'> {
  const patience = new AbortController()
  const over = pause(withinMs, undefined, { signal: patience.signal }).catch(() => undefined)
  const deadline = performance.now() + withinMs
  try {
    while (performance.now() < deadline) {
      const looked = db.confirmed((tx) => findCommit(tx, mark)).catch(() => undefined)
      const found = await Promise.race([looked, over])
      if (found?.is_there) return 'committed'
      if (found?.has_ended && found.is_kept) return 'aborted'
      await pause(20)
    }
    return 'unknown'
  } finally {
    patience.abort()
  }
}

interface FoundCommit {
  readonly is_there: boolean
  readonly has_ended: boolean
  /** A missing row means something only while rows of its age are kept. */
  readonly is_kept: boolean
}

/**
 * One statement and so one snapshot: a batch that has ended in it and left no row was rolled back. Other writes, before or after,
 * do not change the result. An existing row may be on this server alone, as after a crash before the standby had it: the caller
 * must confirm it.
 */
async function findCommit(db: Db, { batch, token, atUs }: BatchMark): Promise<FoundCommit | undefined> {
  const [found] = await db.query<FoundCommit>(sql`
    select exists (select from batch_commits where batch = ${batch} and token = ${token}) as is_there,
      batch_has_ended(${batch}) as has_ended,
      extract(epoch from record_time()) * 1000000 - ${atUs}::bigint < ${(commitsKeptMs / 2) * 1000}::bigint as is_kept`)
  return found
}

/** Removes the oldest rows, never the newest: batches keep their order, so the remaining rows have no gap. */
export async function forgetCommits(db: Db): Promise<void> {
  await db.query(sql`
    delete from batch_commits
    where batch < (
      select batch
      from batch_commits
      where at > record_time() - ${`${commitsKeptMs} milliseconds`}::interval
      order by batch
      limit 1
    )`)
}
