import type { Operations } from './generated/api.ts'
import { type List, listOf } from './lists.ts'
import { detailsOf, type TransactionDetails } from './transactions.ts'
import type { CallOptions, Transport } from './transport.ts'

/** What to search for; default: all transactions. Amounts are in major units, days are YYYY-MM-DD in UTC, all inclusive. */
export interface TransactionSearch
  extends Omit<NonNullable<Operations['getSearchTransactions']['query']>, 'limit' | 'cursor'> {}

/** A transaction without its history. */
export type FoundTransaction = Omit<TransactionDetails, 'timeline'>

export interface Search {
  /** All transactions that match, newest first; pages are read as needed. */
  transactions(search?: TransactionSearch, options?: CallOptions): List<FoundTransaction>
}

const pageItems = 100

export function searchOf({ call }: Transport): Search {
  return {
    transactions: (search = {}, options) =>
      listOf(async (cursor: string | undefined) => {
        const query = { ...search, limit: pageItems, ...(cursor !== undefined && { cursor }) }
        const { body } = await call('getSearchTransactions', { query }, options)
        return { items: body.data.map(detailsOf), next: body.nextCursor === '' ? undefined : body.nextCursor }
      }),
  }
}
