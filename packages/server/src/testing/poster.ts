import { type Movement, openBooks, type Refusal } from '../ledger/books.ts'
import { createWriter } from '../ledger/chain.ts'
import { type Batcher, createBatcher, type Decided } from '../platform/batch.ts'
import type { BatchTx, WriteDb } from '../platform/db.ts'

/** Movements that are applied together or not at all, and the wallets among their accounts. */
export interface Posting {
  readonly movements: readonly Movement[]
  readonly wallets: readonly string[]
}

/** Posts to the ledger without a payment, for the ledger's tests and benchmarks. */
export function createPoster(db: WriteDb): Batcher<Posting, Refusal | undefined> {
  const writer = createWriter()
  const decide = async (tx: BatchTx, postings: readonly Posting[]): Promise<Decided<Refusal | undefined>> => {
    const movements = postings.flatMap((posting) => posting.movements)
    const wallets = postings.flatMap((posting) => posting.wallets)
    const books = await openBooks(tx, writer, movements, wallets)
    const results = postings.map((posting) => books.apply(posting.movements))
    return { results, ...(await books.write()) }
  }
  return createBatcher({ db, decide, keyOf: ({ wallets }) => wallets.join() })
}
