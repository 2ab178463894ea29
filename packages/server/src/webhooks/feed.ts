import { feeOn, readRule } from '../money/fees.ts'
import type { State } from '../payments/model/state.ts'
import type { Transaction } from '../payments/model/store.ts'
import { bodyOf, type EventFacts, type Subject } from '../payments/notify/webhook-body.ts'
import { customerIfKnown } from '../payments/notify/webhook-customer.ts'
import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import { allMonths } from '../platform/months.ts'
import type { Vault } from '../platform/seal.ts'
import { readTransactions } from '../transactions/read.ts'

interface FeedEvent extends EventFacts {
  readonly transaction_id: string
  readonly feed_number: bigint
  readonly state_then: State
}

type FeedRow = FeedEvent & Omit<Subject, 'id'> & Pick<Transaction, 'fee_rule' | 'counterparty'>

/** The merchant's events after a number, in order and without a gap, each as its webhook carries it. */
export async function readFeed(
  { read: db, vault }: { readonly read: ReadDb; readonly vault: Vault },
  owner: Owner,
  { after, limit }: { readonly after: bigint; readonly limit: number },
) {
  const events = await db.within<FeedEvent>(
    owner,
    allMonths,
    sql`
      select feed_number, id, name, sequence, at, state as state_then, transaction_id
      from events
      where merchant_id = ${owner.merchant_id}
        and env = ${owner.env}
        and feed_number > ${after}
      order by feed_number
      limit ${limit}`,
  )
  const transactions = await readTransactions(db, owner, [
    ...new Set(events.map(({ transaction_id }) => transaction_id)),
  ])
  const byId = new Map(transactions.map((transaction) => [transaction.id, transaction]))
  const rows = events.flatMap((event): FeedRow[] => {
    const transaction = byId.get(event.transaction_id)
    return transaction ? [{ ...transaction, ...event }] : []
  })
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
