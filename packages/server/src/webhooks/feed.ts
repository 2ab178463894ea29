import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import type { State } from '../transactions/state.ts'
import { bodyOf, type Subject, type ToldFacts } from '../transactions/tell.ts'

interface FeedRow extends Omit<Subject, 'id'>, ToldFacts {
  readonly transaction_id: string
  readonly feed_number: bigint
  readonly state_then: State
}

/** What a merchant was told after a number, in order and without a gap, each as its webhook carries it. */
export async function readFeed(db: ReadDb, owner: Owner, { after, limit }: { after: bigint; limit: number }) {
  const rows = await db.query<FeedRow>(
    owner,
    sql`
      select e.feed_number, e.id, e.name, e.sequence, e.at, e.state as state_then, t.id as transaction_id,
        t.external_reference, t.type, t.amount, t.currency, t.country, t.method, t.fee, t.wallet_amount,
        t.wallet_currency, t.received, t.failure
      from events e
      join transactions t on t.id = e.transaction_id
      where e.merchant_id = ${owner.merchant_id}
        and e.env = ${owner.env}
        and e.feed_number > ${after}
      order by e.feed_number
      limit ${limit}`,
  )
  return rows.map((row) => ({
    number: Number(row.feed_number),
    ...bodyOf(row, { ...row, id: row.transaction_id, state: row.state_then }),
  }))
}
