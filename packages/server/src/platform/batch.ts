import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import { type BatchTx, CommitUnknown, type Db, sql, type WriteDb } from './db.ts'
import { reach } from './failpoints.ts'

/** What a batch decided. It counts only once its transaction is known to be committed. */
export interface Decided<Answer> {
  /** One for each item, in order. */
  readonly answers: readonly Answer[]
  /** Called when the transaction is known to be committed, before anybody is answered. */
  readonly committed?: () => void
  /** Called when it can never be known. */
  readonly abandoned?: () => void
  /** Finds what only this transaction can have written. A server that crashed may give its number to another. */
  readonly isThere?: (db: Db) => Promise<boolean>
}

export interface BatcherOptions<Item, Answer> {
  readonly db: WriteDb
  /** Decides all items, one after another, with a constant number of statements. May run more than once. */
  readonly decide: (tx: BatchTx, items: readonly Item[]) => Promise<Decided<Answer>>
  /** What an item may wait for, such as its wallet: a batch held up by one is split by this. */
  readonly keyOf: (item: Item) => string | Promise<string>
  readonly sizeMax?: number
  readonly queueMax?: number
}

export interface Batcher<Item, Answer> {
  /** Answers once the item is durable. Throws OVERLOADED when too many wait, or when the outcome cannot be known. */
  submit(item: Item): Promise<Answer>
}

interface Entry<Item, Answer> {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
  /** How often it had to make way because somebody else held its lock. */
  madeWay: number
}

const lockWaitMs = 200
const triesMax = 3
const madeWayMax = 15
const resolveMs = 5000

/**
 * Group commit: what arrives while a batch is being written forms the next one. There is no timer, so a batch is small
 * when little goes on and large under load, and one transaction carries them all.
 */
export function createBatcher<Item, Answer>(options: BatcherOptions<Item, Answer>): Batcher<Item, Answer> {
  const { sizeMax = 1000, queueMax = 10_000 } = options
  const queue: Entry<Item, Answer>[] = []
  let isWriting = false

  const write = async () => {
    isWriting = true
    while (queue.length > 0) queue.push(...(await writeBatch(options, queue.splice(0, sizeMax))))
    isWriting = false
  }
  return {
    submit: (item) => {
      if (queue.length >= queueMax) return Promise.reject(new AppError('OVERLOADED'))
      return new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject, madeWay: 0 })
        if (!isWriting) void write()
      })
    },
  }
}

/** Never throws: every entry is answered, one way or the other, or given back because its lock is held by somebody else. */
async function writeBatch<Item, Answer>(
  options: BatcherOptions<Item, Answer>,
  entries: readonly Entry<Item, Answer>[],
): Promise<Entry<Item, Answer>[]> {
  let outcome = await tryBatch(options, entries)
  for (let tries = 1; tries < triesMax && outcome.kind === 'again'; tries += 1)
    outcome = await tryBatch(options, entries)
  if (outcome.kind === 'done') return []
  const parts = await partsOf(options, entries, outcome)
  if (parts.length > 1) return writeParts(options, parts)
  if (outcome.kind === 'held up') return entries.filter(makeWay)
  rejectAll(entries, outcome.kind === 'failed' ? outcome.error : new AppError('OVERLOADED'))
  return []
}

async function writeParts<Item, Answer>(
  options: BatcherOptions<Item, Answer>,
  parts: readonly (readonly Entry<Item, Answer>[])[],
): Promise<Entry<Item, Answer>[]> {
  const heldUp: Entry<Item, Answer>[] = []
  for (const part of parts) heldUp.push(...(await writeBatch(options, part)))
  return heldUp
}

/** Goes behind what came later, so that one held wallet does not hold up the rest; after about 3 s it is turned away. */
function makeWay<Item, Answer>(entry: Entry<Item, Answer>): boolean {
  entry.madeWay += 1
  if (entry.madeWay >= madeWayMax) entry.reject(new AppError('OVERLOADED'))
  return entry.madeWay < madeWayMax
}

type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'again' }
  /** Some item's data is refused by the database: find it by halves. */
  | { readonly kind: 'poisoned' }
  /** Some item's lock is held by somebody else: let the others go on without it. */
  | { readonly kind: 'held up' }
  | { readonly kind: 'failed'; readonly error: unknown }

async function tryBatch<Item, Answer>(
  { db, decide }: BatcherOptions<Item, Answer>,
  entries: readonly Entry<Item, Answer>[],
): Promise<Outcome> {
  const items = entries.map(({ item }) => item)
  let decided: Decided<Answer>
  try {
    reach('batch.begin')
    decided = await db.batch(lockWaitMs, (tx) => decide(tx, items))
  } catch (error) {
    if (error instanceof CommitUnknown) return resolveLost(db, entries, error as CommitUnknown<Decided<Answer>>)
    return classify(error as Error, entries.length)
  }
  answer(entries, decided)
  return { kind: 'done' }
}

function answer<Item, Answer>(entries: readonly Entry<Item, Answer>[], decided: Decided<Answer>): void {
  for (const [index, { resolve }] of entries.entries()) resolve(decided.answers[index] as Answer)
  decided.committed?.()
}

function rejectAll<Item, Answer>(entries: readonly Entry<Item, Answer>[], error: unknown): void {
  for (const { reject } of entries) reject(error)
}

/** Only what the data itself caused (classes 22 and 23) is searched for; what the moment caused is tried again whole. */
function classify(error: Error & { code?: string }, size: number): Outcome {
  const { code = '' } = error
  if (/^2[23]/.test(code)) return size > 1 ? { kind: 'poisoned' } : { kind: 'failed', error }
  if (code === '55P03') return { kind: 'held up' }
  return isPassing(error) ? { kind: 'again' } : { kind: 'failed', error }
}

/** The database cannot be reached, is starting or stopping, has no connection left, or kept us waiting: later may be better. */
export function isPassing({ code = '', message }: { readonly code?: string; readonly message: string }): boolean {
  return (
    /^(08|25P03|40|53|57|58)/.test(code) ||
    /^E[A-Z]+$/.test(code) ||
    /Connection terminated|not queryable|timeout/.test(message)
  )
}

/** The batch in the parts it should be tried in: whole, by what its items wait for, or by halves. */
async function partsOf<Item, Answer>(
  { keyOf }: BatcherOptions<Item, Answer>,
  entries: readonly Entry<Item, Answer>[],
  { kind }: Outcome,
): Promise<(readonly Entry<Item, Answer>[])[]> {
  if (kind === 'held up') {
    const keys = await Promise.all(entries.map(async ({ item }) => keyOf(item))).catch(() => [])
    return [...Map.groupBy(entries, (_, index) => keys[index]).values()]
  }
  const middle = Math.ceil(entries.length / 2)
  return kind === 'poisoned' ? [entries.slice(0, middle), entries.slice(middle)] : [entries]
}

/** Asks the database what became of a commit whose answer got lost, and believes nothing but its word. */
async function resolveLost<Item, Answer>(
  db: Db,
  entries: readonly Entry<Item, Answer>[],
  lost: CommitUnknown<Decided<Answer>>,
): Promise<Outcome> {
  const fate = await fateOf(db, lost)
  if (fate === 'committed') {
    answer(entries, lost.result)
    return { kind: 'done' }
  }
  if (fate === 'aborted') return { kind: 'again' }
  lost.result.abandoned?.()
  return { kind: 'failed', error: new AppError('OVERLOADED') }
}

async function fateOf<Answer>(
  db: Db,
  { xid, result }: CommitUnknown<Decided<Answer>>,
): Promise<'committed' | 'aborted' | 'unknown'> {
  const deadline = performance.now() + resolveMs
  while (performance.now() < deadline) {
    const status = await statusOf(db, xid).catch(() => undefined)
    const isThere =
      status === 'committed' ? await (result.isThere?.(db) ?? Promise.resolve(true)).catch(() => undefined) : undefined
    if (isThere) return 'committed'
    if (status === 'aborted' || isThere === false) return 'aborted'
    await pause(20)
  }
  return 'unknown'
}

async function statusOf(db: Db, xid: bigint): Promise<string | undefined> {
  const [row] = await db.query<{ status: string }>(sql`select pg_xact_status(${String(xid)}::xid8) as status`)
  return row?.status
}
