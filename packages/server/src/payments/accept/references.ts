import { type Environment, sql, type Tx } from '../../platform/db.ts'

export interface Reference {
  readonly merchant_id: string
  readonly env: Environment
  readonly reference: string
  readonly transaction_id: string
}

/**
 * Claims these references in the lock order that all writers share, and returns the payments that got theirs. The others were
 * taken.
 */
export async function claimReferences(tx: Tx, wanted: readonly Reference[]): Promise<Set<string>> {
  if (wanted.length === 0) return new Set()
  const claimed = await tx.query<{ transaction_id: string }>(sql`
    insert into external_references (merchant_id, env, reference, transaction_id)
    select merchant_id, env, reference, transaction_id
    from unnest(${wanted.map((each) => each.merchant_id)}::uuid[], ${wanted.map((each) => each.env)}::text[],
      ${wanted.map((each) => each.reference)}::text[], ${wanted.map((each) => each.transaction_id)}::uuid[])
      as w(merchant_id, env, reference, transaction_id)
    order by merchant_id, env, reference
    on conflict (merchant_id, env, reference) do nothing
    returning transaction_id`)
  return new Set(claimed.map(({ transaction_id }) => transaction_id))
}

/** Releases references that this transaction claimed for payments that it then refused. */
export async function releaseReferences(tx: Tx, references: readonly Reference[]): Promise<void> {
  if (references.length === 0) return
  await tx.query(sql`
    delete from external_references as r
    using unnest(${references.map((each) => each.merchant_id)}::uuid[], ${references.map((each) => each.env)}::text[],
      ${references.map((each) => each.reference)}::text[], ${references.map((each) => each.transaction_id)}::uuid[])
      as w(merchant_id, env, reference, transaction_id)
    where (r.merchant_id, r.env, r.reference, r.transaction_id) = (w.merchant_id, w.env, w.reference, w.transaction_id)`)
}
