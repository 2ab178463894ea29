import { createHash, randomUUID } from 'node:crypto'
import type { BatchTx } from '../platform/db.ts'

/** A row of `transfers`, as written and as covered by its batch's hash. */
export interface Transfer {
  readonly transaction_id: string
  readonly number: number
  readonly phase: 0 | 1
  readonly kind: 'hold' | 'post' | 'void' | 'transfer'
  readonly event: string
  readonly debit_account: string
  readonly credit_account: string
  readonly amount: bigint
  readonly currency: string
  readonly wallet_id: string | null
  readonly entry_at: bigint | null
  readonly balance: bigint | null
}

/** A row of `ledger_batches`. */
export interface Link {
  readonly writer: string
  readonly number: bigint
  readonly batch: bigint
  readonly at: bigint
  readonly transfers: number
  readonly previous_hash: Buffer
  readonly content_hash: Buffer
  readonly hash: Buffer
}

/**
 * One chain of batches. Each posting process has its own, so that none waits for another. A chain continues only from a batch
 * that is known to be committed; a writer that cannot know starts a new chain.
 */
export interface Writer {
  /** The next link, over these transfers. It becomes the head when `advance` is called with it. */
  next(tx: BatchTx, transfers: readonly Transfer[]): Link
  advance(link: Link): void
  abandon(): void
}

export const genesisHash: Buffer = Buffer.alloc(32)

export function createWriter(): Writer {
  let id = randomUUID()
  let head: Pick<Link, 'number' | 'hash'> = { number: 0n, hash: genesisHash }
  return {
    next: (tx, transfers) => {
      const content_hash = sha256(transfers.map(canonical).join('\n'))
      const unsealed = {
        writer: id,
        number: head.number + 1n,
        batch: tx.batch,
        at: tx.atUs,
        transfers: transfers.length,
      }
      const linked = { ...unsealed, previous_hash: head.hash, content_hash }
      return { ...linked, hash: sha256(canonicalLink(linked)) }
    },
    advance: ({ writer, number, hash }) => {
      if (writer !== id) return // The batch was abandoned, and is known to be committed only now.
      head = { number, hash }
    },
    abandon: () => {
      id = randomUUID()
      head = { number: 0n, hash: genesisHash }
    },
  }
}

/** The same text as `canonical_transfer` builds in SQL; `check.ts` compares the two on every batch. */
function canonical(row: Transfer): string {
  return [
    row.transaction_id,
    row.number,
    row.phase,
    row.kind,
    row.event,
    row.debit_account,
    row.credit_account,
    row.amount,
    row.currency,
    row.wallet_id ?? '',
    row.entry_at ?? '',
    row.balance ?? '',
  ].join('|')
}

function canonicalLink(link: Omit<Link, 'hash'>): string {
  const { writer, number, batch, at, transfers, previous_hash, content_hash } = link
  return [writer, number, batch, at, transfers, previous_hash.toString('hex'), content_hash.toString('hex')].join('|')
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()
