import { type Db, sql, type WriteDb } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import type { Counters, PlatformKind } from './accounts.ts'

/**
 * Adds up the deltas of batches and moves them into the accounts' counters. Only batches that no open transaction can still
 * precede are folded, so none is ever skipped. One process folds at a time; a second one finds nothing to do.
 */
export async function foldDeltas(db: WriteDb): Promise<void> {
  await db.transaction(async (tx) => {
    const [fold] = await tx.query<{ folded_below: bigint; settled_below: bigint }>(sql`
      select folded_below, settled_below() as settled_below
      from delta_folds
      for update skip locked`)
    if (!fold || fold.settled_below <= fold.folded_below) return
    await tx.query(sql`
      update platform_accounts as a
      set debits_pending = a.debits_pending + d.debits_pending, debits_posted = a.debits_posted + d.debits_posted,
        credits_pending = a.credits_pending + d.credits_pending, credits_posted = a.credits_posted + d.credits_posted
      from (
        select account_id, sum(debits_pending)::bigint as debits_pending, sum(debits_posted)::bigint as debits_posted,
          sum(credits_pending)::bigint as credits_pending, sum(credits_posted)::bigint as credits_posted
        from account_deltas
        where batch >= ${fold.folded_below}
          and batch < ${fold.settled_below}
        group by account_id
      ) as d
      where a.id = d.account_id`)
    await tx.query(sql`update delta_folds set folded_below = ${fold.settled_below}`)
    reach('deltas.folded')
  })
}

export interface PlatformBalance extends Counters {
  readonly id: string
  readonly env: string
  readonly kind: PlatformKind
  readonly provider: string
  readonly country: string
  readonly currency: string
}

/** Current balances of the platform accounts: folded and not yet folded. */
export function platformBalances(db: Db): Promise<PlatformBalance[]> {
  return db.query<PlatformBalance>(sql`
    select a.id, a.env, a.kind, a.provider, a.country, a.currency,
      a.debits_pending + coalesce(d.debits_pending, 0) as debits_pending,
      a.debits_posted + coalesce(d.debits_posted, 0) as debits_posted,
      a.credits_pending + coalesce(d.credits_pending, 0) as credits_pending,
      a.credits_posted + coalesce(d.credits_posted, 0) as credits_posted
    from platform_accounts a
    left join (
      select account_id, sum(debits_pending)::bigint as debits_pending, sum(debits_posted)::bigint as debits_posted,
        sum(credits_pending)::bigint as credits_pending, sum(credits_posted)::bigint as credits_posted
      from account_deltas
      where batch >= (select folded_below from delta_folds)
      group by account_id
    ) as d on d.account_id = a.id
    order by a.env, a.kind, a.provider, a.country, a.currency`)
}
