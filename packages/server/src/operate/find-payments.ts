import { openCounterparty } from '../payments/model/counterparty.ts'
import { unindexedRanges } from '../payments/model/index-older.ts'
import { numberHashes, plainHash, plainNumber, plainReceipt, searchableNumber } from '../payments/model/lookups.ts'
import { type Db, type Environment, sql, type Tx } from '../platform/db.ts'
import { attemptOfKey, readId, showId } from '../platform/ids.ts'
import type { Vault } from '../platform/seal.ts'
import { loadReferenceData } from '../reference/data.ts'
import { possiblePhones } from '../reference/phones.ts'
import { existing, merchantId } from './merchants.ts'
import { type OperatorContext, OperatorError, readScope } from './operator-context.ts'
import { type FoundRow, readSummaries } from './payment-summaries.ts'
import { type ListedPayment, listed } from './payments.ts'
import { recordNumberSearch, recordNumbersRead, shownNumber } from './personal-numbers.ts'

export interface FindOrder {
  /** What a caller knows: an id, a provider key, a reference, a phone or account number, or a provider receipt. */
  readonly query: string
  /** Only payments of this merchant. */
  readonly merchant?: string
  readonly env?: Environment
  readonly limit: number
  /** Only payments older than this one: the `next` of the page before. */
  readonly before?: string
}

/** Which value of the payment equals the query. */
type Matched = 'id' | 'provider_key' | 'reference' | 'phone' | 'account' | 'receipt'

interface FoundPayment extends ListedPayment {
  readonly matched: Matched
  /** In full for readers with `personal-data:read`, else its last digits. */
  readonly account: string
}

export interface FoundPayments {
  /** Newest first. */
  readonly payments: readonly FoundPayment[]
  /** Set when there may be more: the `before` of the next page. */
  readonly next?: string
  /** Payments accepted in these times are not found yet by number, receipt, or reference without a merchant. */
  readonly notIndexed: readonly { readonly from: string; readonly until: string }[]
}

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
/** One page looks at this many payments for each value that the query may be. */
const examinedMax = 500
const readAtOnceMax = 100
const queryMax = 200

/** Finds payments of all merchants by anything that identifies them. Recognises every kind that the query can be. */
export async function findPayments(context: OperatorContext, order: FindOrder): Promise<FoundPayments> {
  const text = readQuery(order.query)
  const before = readCursor(order.before)
  const merchant_id = order.merchant === undefined ? undefined : merchantId(order.merchant)
  await recordNumberSearch(context, text)
  const { page, next, notIndexed } = await context.db.write.snapshot(async (tx) => {
    await planOnce(tx)
    if (merchant_id !== undefined) await existing(tx, merchant_id)
    const filter = { merchant_id, env: order.env, scope: readScope(context, 'payments:read') }
    const exact = await exactCandidates(tx, text, filter)
    const hashed = await hashedCandidates(tx, hashesOf(context.vault, text, filter), before)
    const candidates = newestFirst([...exact.filter(({ id }) => id < before), ...hashed.candidates], hashed.examinedTo)
    const page = await readPage(tx, context.vault, { candidates, filter, limit: order.limit })
    return { page, next: page.stoppedAt ?? hashed.examinedTo, notIndexed: await unindexedRanges(tx) }
  })
  const found = page.found.map((each) => ({ ...each, payment: each.row, ...shownNumber(context, each.row) }))
  await recordNumbersRead(context, 'payments.find', found)
  return {
    payments: found.map(({ row, matched, account }) => ({
      ...listed(row),
      matched,
      account,
    })),
    ...(next !== undefined && { next: showId('transaction', next) }),
    notIndexed: notIndexed.map(({ from, until }) => ({ from: from.toISOString(), until: until.toISOString() })),
  }
}

/**
 * Every row is read by its full key, so one plan is right for all values, and planning for every month takes longer than reading.
 * Without sorts PostgreSQL reads the newest entries of a hash along the index and stops; else it reads all of them first.
 */
async function planOnce(tx: Tx): Promise<void> {
  await tx.query(sql`
    select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_sort', 'off', true)`)
}

function readQuery(query: string): string {
  const text = query.trim()
  if (text === '') throw new OperatorError('the query must not be empty')
  if (text.length > queryMax) throw new OperatorError(`the query must have at most ${queryMax} characters`)
  if (/\p{Cc}/u.test(text)) throw new OperatorError('the query must not contain control characters')
  return text
}

function readCursor(before: string | undefined): string {
  const id = before === undefined ? lastId : readId('transaction', before)
  if (id === undefined) throw new OperatorError(`${before} is not a payment id; use the next of the page before`)
  return id
}

interface Filter {
  readonly merchant_id: string | undefined
  readonly env: Environment | undefined
  readonly scope: string | null
}

interface Candidate {
  readonly id: string
  readonly matched: Matched
  /** Compares the payment with the query: another value may have the same hash. */
  readonly isSame: (row: FoundRow, vault: Vault) => boolean
}

const always = () => true

/** Values that lead to one payment without a hash. */
async function exactCandidates(db: Db, text: string, { merchant_id, env }: Filter): Promise<Candidate[]> {
  const id = readId('transaction', text.toLowerCase()) ?? plainId(text)
  const key = attemptOfKey(text.toLowerCase())
  const byKey = key && (await hasAttempt(db, key)) ? [key.transactionId] : []
  const byReference =
    merchant_id === undefined ? [] : await idsOfReference(db, merchant_id, env ? [env] : ['live', 'sandbox'], text)
  return [
    ...(id === undefined ? [] : [{ id, matched: 'id' as const, isSame: always }]),
    ...byKey.map((each) => ({ id: each, matched: 'provider_key' as const, isSame: always })),
    ...byReference.map((each) => ({ id: each, matched: 'reference' as const, isSame: always })),
  ]
}

/** An id as the database and the logs have it. */
function plainId(text: string): string | undefined {
  const id = text.toLowerCase()
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id) ? id : undefined
}

async function hasAttempt(db: Db, key: { transactionId: string; attempt: number }): Promise<boolean> {
  const found = await db.query(sql`
    select number from attempts where transaction_id = ${key.transactionId} and number = ${key.attempt}`)
  return found.length > 0
}

async function idsOfReference(
  db: Db,
  merchant_id: string,
  envs: readonly Environment[],
  reference: string,
): Promise<string[]> {
  const found = await Promise.all(
    envs.map((env) =>
      db.query<{ transaction_id: string }>(sql`
        select transaction_id
        from external_references
        where (merchant_id, env, reference) = (${merchant_id}, ${env}, ${reference})`),
    ),
  )
  return found.flat().map(({ transaction_id }) => transaction_id)
}

type Hashed = Omit<Candidate, 'id'> & { readonly hash: bigint }

let countries: readonly string[] | undefined

/** Everything that the query may be by its form. Most of it finds nothing. */
function hashesOf(vault: Vault, text: string, { merchant_id }: Filter): Hashed[] {
  countries ??= [...loadReferenceData().countries.keys()]
  const phones = possiblePhones(text, countries)
  const numbers = [
    ...phones.map((number) => ({ matched: 'phone' as const, number })),
    ...[plainNumber(text)]
      .filter((number) => !phones.includes(number))
      .map((number) => ({ matched: 'account' as const, number })),
  ]
  const receipt = plainReceipt(text)
  return [
    ...(merchant_id === undefined ? [referenceHash(text)] : []),
    ...numbers.flatMap(({ matched, number }) =>
      numberHashes(vault, number).map((hash) => ({ hash, matched, isSame: hasNumber(number) })),
    ),
    { hash: plainHash('receipt', receipt), matched: 'receipt', isSame: always },
    { hash: plainHash('virtual account', plainNumber(text)), matched: 'account', isSame: always },
  ]
}

const referenceHash = (text: string): Hashed => ({
  hash: plainHash('reference', text),
  matched: 'reference',
  isSame: ({ external_reference }) => external_reference === text,
})

const hasNumber = (number: string) => (row: FoundRow, vault: Vault) =>
  row.type !== 'adjustment' && searchableNumber(openCounterparty(vault, row)) === number

/** The newest payments of each hash. `examinedTo` is set when one has more: older ones are complete only down to there. */
async function hashedCandidates(
  db: Db,
  hashes: readonly Hashed[],
  before: string,
): Promise<{ candidates: Candidate[]; examinedTo: string | undefined }> {
  const rows = await db.query<{ hash: bigint; transaction_id: string }>(sql`
    select h.hash, l.transaction_id
    from unnest(${hashes.map(({ hash }) => hash)}::bigint[]) as h(hash)
    cross join lateral (
      select p.transaction_id
      from payment_lookups p
      where p.hash = h.hash
        and p.transaction_id < ${before}
      order by p.transaction_id desc
      limit ${examinedMax}
    ) as l`)
  const byHash = Map.groupBy(rows, ({ hash }) => hash)
  const cuts = [...byHash.values()].filter((found) => found.length >= examinedMax)
  const ends = cuts.map((found) => found.at(-1)?.transaction_id ?? lastId)
  return {
    candidates: hashes.flatMap(({ hash, ...rest }) =>
      (byHash.get(hash) ?? []).map(({ transaction_id }) => ({ ...rest, id: transaction_id })),
    ),
    examinedTo: ends.reduce<string | undefined>((newest, id) => (newest && newest > id ? newest : id), undefined),
  }
}

function newestFirst(candidates: readonly Candidate[], examinedTo: string | undefined): [string, Candidate[]][] {
  const known = candidates.filter(({ id }) => examinedTo === undefined || id >= examinedTo)
  const byId = [...Map.groupBy(known, ({ id }) => id)]
  return byId.sort(([left], [right]) => (left < right ? 1 : -1))
}

interface Page {
  readonly found: { readonly row: FoundRow; readonly matched: Matched }[]
  /** The last payment of a full page with more candidates behind it. */
  readonly stoppedAt: string | undefined
}

/** Reads candidates, a few at a time, until the page is full. */
async function readPage(
  db: Db,
  vault: Vault,
  wanted: { readonly candidates: readonly [string, Candidate[]][]; readonly filter: Filter; readonly limit: number },
): Promise<Page> {
  const { candidates, filter, limit } = wanted
  const byId = new Map(candidates)
  const found: Page['found'] = []
  const readAtOnce = Math.min(limit + 1, readAtOnceMax)
  for (let start = 0; start < candidates.length; start += readAtOnce) {
    const ids = candidates.slice(start, start + readAtOnce).map(([id]) => id)
    for (const row of await readSummaries(db, ids, filter)) {
      const match = byId.get(row.id)?.find(({ isSame }) => isSame(row, vault))
      if (!match) continue
      if (found.length === limit) return { found, stoppedAt: found.at(-1)?.row.id }
      found.push({ row, matched: match.matched })
    }
  }
  return { found, stoppedAt: undefined }
}
