import { numberOf, openCounterparty } from '../payments/model/counterparty.ts'
import { customerOf } from '../payments/model/customer.ts'
import { publicStatus, stageOf } from '../payments/model/state.ts'
import type { Transaction } from '../payments/model/store.ts'
import { minorPartiesOf, type Sided } from '../payments/notify/webhook-body.ts'
import { maskNumber, maskNumbers } from '../people/personal-data.ts'
import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import { showId } from '../platform/ids.ts'
import { monthsOf } from '../platform/months.ts'
import type { Vault } from '../platform/seal.ts'
import type { TransactionFilter } from '../transactions/filter.ts'
import { findPage, type SearchContext, type Searched } from '../transactions/search.ts'
import type { Line, Writer } from './records.ts'

export const transactionColumns = [
  'transactionId',
  'externalReference',
  'type',
  'status',
  'stage',
  'method',
  'amount',
  'currency',
  'fee',
  'feeCurrency',
  'senderAmount',
  'senderCurrency',
  'receiverAmount',
  'receiverCurrency',
  'customer',
  'beneficiaryName',
  'beneficiaryAccount',
  'failureCode',
  'providerReceipt',
  'relatedTransactionId',
  'createdAt',
  'updatedAt',
] as const

type Column = (typeof transactionColumns)[number]

type ExportedRow = Searched &
  Sided &
  Pick<
    Transaction,
    | 'external_reference'
    | 'account_name'
    | 'failure'
    | 'receipt'
    | 'related_transaction_id'
    | 'created_at'
    | 'updated_at'
  >

/** Small, so that what a page leaves is collected before the next ones. */
const pageRows = 250

/** Whose transactions are written, and how. */
export interface ExportOrder {
  readonly owner: Owner
  readonly filter: TransactionFilter
  /** Only transactions with smaller ids: those accepted before the start. */
  readonly before: string
  readonly writer: Writer<Column>
  /** Hides phone and account numbers. */
  readonly isMasked: boolean
}

/**
 * The selected transactions, newest first, as text. It reads a page when the reader wants more, each in its own short transaction,
 * so it holds no connection between pages. Every transaction accepted before the start is written once, as it is when its page is
 * read; none accepted later.
 */
export async function* exportTransactions(context: SearchContext, order: ExportOrder): AsyncGenerator<string> {
  const { owner, filter, writer, isMasked } = order
  yield writer.head
  const read = (of: Owner, ids: readonly string[]) => readRows(context.db.read, of, ids)
  let before: string | undefined = order.before
  while (before !== undefined) {
    const { rows, next }: { rows: readonly ExportedRow[]; next: string | undefined } = await findPage(context, owner, {
      ...{ filter, before, read },
      limit: pageRows,
    })
    if (rows.length > 0) yield rows.map((row) => writer.write(lineOf(context.vault, row, isMasked))).join('')
    before = next
  }
}

/** Only what is written: whole rows take twice as long to read. */
function readRows(db: ReadDb, owner: Owner, ids: readonly string[]): Promise<ExportedRow[]> {
  const months = monthsOf(ids)
  return db.within<ExportedRow>(
    owner,
    months,
    sql`
      select id, type, state, method, country, external_reference, amount, currency, fee, wallet_amount, wallet_currency, received,
        direction, account_name, counterparty, failure, receipt, related_transaction_id, created_at, updated_at
      from transactions
      where id = any(${ids}::uuid[])
        and id >= ${months.from}
        and id < ${months.below}`,
  )
}

function lineOf(vault: Vault, row: ExportedRow, isMasked: boolean): Line<Column> {
  const { id, type, state, currency, failure, related_transaction_id: related } = row
  const { sender, receiver } = minorPartiesOf(row)
  const customer = customerOf(vault, row)
  const account = type === 'withdrew' ? numberOf(openCounterparty(vault, row)) : ''
  return {
    transactionId: showId('transaction', id),
    externalReference: row.external_reference,
    type,
    status: publicStatus[state].toUpperCase(),
    stage: stageOf(state, failure?.code),
    method: row.method,
    amount: { minor: row.amount, currency },
    currency,
    fee: { minor: row.fee, currency: row.wallet_currency },
    feeCurrency: row.wallet_currency,
    senderAmount: sender,
    senderCurrency: sender.currency,
    receiverAmount: receiver,
    receiverCurrency: receiver.currency,
    customer: customer ? { customer: isMasked ? (maskNumbers(customer) as typeof customer) : customer } : '',
    beneficiaryName: type === 'withdrew' ? row.account_name : '',
    beneficiaryAccount: isMasked && account !== '' ? maskNumber(account) : account,
    failureCode: state === 'failed' ? (failure?.code ?? '') : '',
    providerReceipt: row.receipt,
    relatedTransactionId: related === null ? '' : showId('transaction', related),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
