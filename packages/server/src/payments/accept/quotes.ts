import { AppError, type ErrorKey } from '../../errors.ts'
import { type Db, type Owner, type ReadDb, sql, type Tx, type WriteDb } from '../../platform/db.ts'
import { newId, readId, showId } from '../../platform/ids.ts'
import { nameMerchants } from '../../platform/named-merchants.ts'
import type { Vault } from '../../platform/seal.ts'

export type QuoteKind = 'payout' | 'conversion'

const termsContext = (id: string) => `quotes.terms ${id}`

/** What a quote is kept with. */
interface NewQuote {
  readonly kind: QuoteKind
  /** Anything that JSON can hold. It is sealed. */
  readonly terms: object
  readonly lifeMs: number
  /** The quote does not outlive this time, which is that of its rate. */
  readonly endsBy: Date | undefined
}

interface QuoteKeeper {
  readonly db: { readonly write: WriteDb; readonly read: ReadDb }
  readonly vault: Vault
  readonly config: { readonly cell: number }
}

/** Keeps a quote. Holds no money and takes no reference. */
export async function keepQuote(
  { db, vault, config }: QuoteKeeper,
  { merchant_id, env }: Owner,
  { kind, terms, lifeMs, endsBy }: NewQuote,
): Promise<{ readonly quoteId: string; readonly expiresAt: Date }> {
  const id = newId(Date.now(), config.cell)
  const sealed = vault.seal(JSON.stringify(terms), termsContext(id))
  const [kept] = await db.write.transaction(async (tx) => {
    await nameMerchants(tx, [merchant_id])
    return tx.query<{ expires_at: Date }>(sql`
      insert into quotes (slot, id, merchant_id, env, kind, terms, expires_at)
      values (quote_slot(record_time()), ${id}, ${merchant_id}, ${env}, ${kind}, ${sealed},
        least(record_time() + ${`${lifeMs} milliseconds`}::interval, ${endsBy ?? null}::timestamptz))
      returning expires_at`)
  })
  if (!kept) throw new Error('a quote was not kept')
  return { quoteId: showId('quote', id), expiresAt: kept.expires_at }
}

/** What decides whether a quote can be used. */
interface QuoteState {
  readonly expires_at: Date
  readonly used_by: string | null
}

/** Why a quote cannot be used at this time, if it cannot. */
function refusalOf({ expires_at, used_by }: QuoteState, at: Date): 'QUOTE_USED' | 'QUOTE_EXPIRED' | undefined {
  if (used_by !== null) return 'QUOTE_USED'
  return expires_at <= at ? 'QUOTE_EXPIRED' : undefined
}

export interface FoundQuote<Terms> {
  readonly id: string
  readonly terms: Terms
  /** Why it cannot be used, as far as is known. The batch that accepts the transaction decides: it knows repeated requests. */
  refusalAt(at: Date): ErrorKey | undefined
}

/** The quote that a request executes, with what was quoted. */
export async function findQuote<Terms>(
  { db, vault }: QuoteKeeper,
  owner: Owner,
  kind: QuoteKind,
  shown: string,
): Promise<FoundQuote<Terms>> {
  const id = readId('quote', shown)
  const [row] = id === undefined ? [] : await db.read.find<QuoteState & { terms: string }>(owner, quoteBy(id, kind))
  if (id === undefined || !row) throw new AppError('QUOTE_MISSING')
  const terms = JSON.parse(vault.open(row.terms, termsContext(id))) as Terms
  return { id, terms, refusalAt: (at) => refusalOf(row, at) }
}

const quoteBy = (id: string, kind: QuoteKind) => sql`
  select terms, expires_at, used_by
  from quotes
  where id = ${id}
    and kind = ${kind}`

/** The quotes of a batch, locked until it ends. */
export interface QuoteBatch {
  /** Why the quote cannot be used now, if it cannot. */
  refusal(id: string): ErrorKey | undefined
  /** Uses up the quote for this transaction. */
  use(id: string, transactionId: string): void
  write(): Promise<void>
}

interface LockedQuote extends QuoteState {
  readonly id: string
}

/**
 * Locks these quotes in the order of their ids: after references and idempotency keys, before wallets. No two batches use the same
 * quote, and one that is rolled back uses none. Costs nothing when the batch has no quotes.
 */
export async function openQuoteBatch(tx: Tx, at: Date, ids: readonly string[]): Promise<QuoteBatch> {
  const locked = ids.length === 0 ? [] : await lockQuotes(tx, ids)
  const quotes = new Map(locked.map((quote) => [quote.id, quote]))
  const uses = new Map<string, string>()
  return {
    refusal: (id) => {
      const quote = quotes.get(id)
      return quote ? refusalOf({ ...quote, used_by: quote.used_by ?? uses.get(id) ?? null }, at) : 'QUOTE_MISSING'
    },
    use: (id, transactionId) => void uses.set(id, transactionId),
    write: () => markUsed(tx, uses),
  }
}

function lockQuotes(tx: Tx, ids: readonly string[]): Promise<LockedQuote[]> {
  return tx.query<LockedQuote>(sql`
    select id, expires_at, used_by
    from quotes
    where id = any(${[...new Set(ids)]}::uuid[])
    order by id
    for no key update`)
}

async function markUsed(tx: Tx, uses: ReadonlyMap<string, string>): Promise<void> {
  if (uses.size === 0) return
  await tx.query(sql`
    update quotes as q
    set used_by = u.transaction_id
    from unnest(${[...uses.keys()]}::uuid[], ${[...uses.values()]}::uuid[]) as u(id, transaction_id)
    where q.id = u.id`)
}

/**
 * Empties the oldest partition of quotes, all of which expired more than an hour ago. One that is being read is left for the next
 * time.
 */
export async function emptyOldQuotes(db: Db): Promise<void> {
  await db.query(sql`select empty_old_quotes()`).catch((error: Error & { code?: string }) => {
    if (error.code !== '55P03') throw error
  })
}
