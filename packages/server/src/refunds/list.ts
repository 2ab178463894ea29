import type { PublicStatus } from '../payments/model/state.ts'
import type { Transaction } from '../payments/model/store.ts'
import type { Moments } from '../platform/days.ts'
import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import { lastId } from '../platform/ids.ts'
import { allMonths, monthsOf } from '../platform/months.ts'
import { readTransactions } from '../transactions/read.ts'
import { readReasons } from '../transactions/refund-fields.ts'

export interface RefundsWanted extends Moments {
  readonly chargeId: string | undefined
  readonly status: PublicStatus | undefined
  readonly limit: number
  /** Only refunds older than this one. */
  readonly before: string | undefined
}

interface RefundRow extends Transaction {
  /** The merchant's words. */
  readonly refund_reason: string | null
}

export interface RefundPage {
  readonly refunds: readonly RefundRow[]
  /** Where the next page starts; undefined when there is none. */
  readonly next: string | undefined
}

/** A status without an index is looked for among this many refunds of a page at most. */
const rowsScannedMax = 2000

/** A merchant's refunds, newest first. A page may be short although there are more: it reads a bounded number of rows. */
export async function listRefunds(db: ReadDb, owner: Owner, wanted: RefundsWanted): Promise<RefundPage> {
  const { status, limit } = wanted
  const scanned = await scan(db, owner, wanted)
  // Payouts in place of refunds are not listed.
  const matching = scanned.filter(({ type, state }) => type === 'refund' && isOf(status, state))
  const refunds = matching.slice(0, limit)
  const last =
    matching.length > limit ? refunds.at(-1) : scanned.length === rowsMax(wanted) ? scanned.at(-1) : undefined
  return { refunds, next: last?.id }
}

/** One more than the page shows whether there is another. */
const rowsMax = ({ status, limit }: RefundsWanted) => (status === undefined ? limit + 1 : rowsScannedMax)

function isOf(status: PublicStatus | undefined, state: Transaction['state']): boolean {
  if (status === undefined) return true
  const isPending = state !== 'successful' && state !== 'failed'
  return status === 'pending' ? isPending : state === status
}

/** Refunds by their links, newest first. One whose row is archived is left out. */
async function scan(db: ReadDb, owner: Owner, wanted: RefundsWanted): Promise<RefundRow[]> {
  const links = await readLinks(db, owner, wanted)
  const ids = links.map(({ transaction_id }) => transaction_id)
  const [transactions, reasons] = await Promise.all([readTransactions(db, owner, ids), readReasons(db, owner, ids)])
  return transactions
    .map((transaction) => ({ ...transaction, refund_reason: reasons.get(transaction.id) ?? null }))
    .sort((left, right) => (left.id < right.id ? 1 : -1))
}

interface LinkRow {
  readonly transaction_id: string
}

/** The refunds of one charge come from its own key; others from the merchant's index, which has a place in every month. */
function readLinks(db: ReadDb, owner: Owner, wanted: RefundsWanted): Promise<LinkRow[]> {
  const { chargeId, from, below, before = lastId } = wanted
  if (chargeId === undefined)
    return db.within<LinkRow>(
      owner,
      allMonths,
      sql`
        select transaction_id
        from refunds_of_charges
        where merchant_id = ${owner.merchant_id}
          and env = ${owner.env}
          and transaction_id < ${before}
          and transaction_id >= id_at(${from})
          and transaction_id < id_at(${below})
        order by transaction_id desc
        limit ${rowsMax(wanted)}`,
    )
  const months = monthsOf([chargeId])
  return db.within<LinkRow>(
    owner,
    months,
    sql`
      select transaction_id
      from refunds_of_charges
      where charge_id = ${chargeId}
        and charge_id >= ${months.from}
        and charge_id < ${months.below}
        and transaction_id < ${before}
        and transaction_id >= id_at(${from})
        and transaction_id < id_at(${below})
      order by transaction_id desc
      limit ${rowsMax(wanted)}`,
  )
}
