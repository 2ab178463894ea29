import { feeOn, readRule } from '../money/fees.ts'
import type { State } from '../payments/model/state.ts'
import type { Transaction } from '../payments/model/store.ts'
import { bodyOf, type EventFacts, type Subject } from '../payments/notify/webhook-body.ts'
import { customerIfKnown } from '../payments/notify/webhook-customer.ts'
import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import type { Vault } from '../platform/seal.ts'

interface FeedRow extends Omit<Subject, 'id'>, EventFacts, Pick<Transaction, 'fee_rule' | 'counterparty'> {
  readonly transaction_id: string
  readonly feed_number: bigint
  readonly state_then: State
}

/** The merchant's events after a number, in order and without a gap, each as its webhook carries it. */
export async function readFeed(
  { read: db, vault }: { readonly read: ReadDb; readonly vault: Vault },
  owner: Owner,
  { after, limit }: { readonly after: bigint; readonly limit: number },
) {
  const rows = await db.query<FeedRow>(
    owner,
    sql`
      select e.feed_number, e.id, e.name, e.sequence, e.at, e.state as state_then, t.id as transaction_id,
        t.external_reference, t.type, t.amount, t.currency, t.country, t.method, t.fee, t.fee_rule, t.wallet_amount,
        t.wallet_currency, t.received, t.failure, t.related_transaction_id, t.related_reference, t.direction, t.reason,
        t.counterparty
      from events e
      join transactions t on t.id = e.transaction_id
      where e.merchant_id = ${owner.merchant_id}
        and e.env = ${owner.env}
        and e.feed_number > ${after}
      order by e.feed_number
      limit ${limit}`,
  )
  return rows.map((row) => {
    const subject = { ...row, id: row.transaction_id, state: row.state_then, fee: feeThen(row) }
    const { data, ...body } = bodyOf(row, subject)
    const customer = customerIfKnown(vault, subject)
    return { number: Number(row.feed_number), ...body, data: { ...data, ...(customer && { customer }) } }
  })
}

/** The fee at that time: a bank transfer charge has only an expected fee until all its money has arrived. */
function feeThen({ method, state_then, fee, fee_rule, wallet_amount }: FeedRow): bigint {
  const isExpected = method === 'bank-transfer' && state_then !== 'successful' && fee_rule !== null
  return isExpected ? feeOn(readRule(fee_rule), wallet_amount) : fee
}
