import type { Operations } from './generated/api.ts'
import type { CallOptions, Transport } from './transport.ts'

/** Which transactions to export, and how; default: all, as CSV. */
export interface TransactionExport extends Omit<NonNullable<Operations['getExportsTransactions']['query']>, 'bom'> {
  /** CSV starts with a byte order mark, by which spreadsheets recognise UTF-8. */
  readonly isMarked?: boolean | undefined
}

/** Which wallet and days to export, and how; default: all days, as CSV. */
export interface StatementExport extends Omit<Operations['getExportsStatement']['query'], 'bom'> {
  readonly isMarked?: boolean | undefined
}

/**
 * Exports as bytes, as they arrive: `for await (const bytes of …)`, or `pipeline(…, createWriteStream('file.csv'))`. An export that
 * breaks off throws a NetworkError: what was received until then is incomplete.
 */
export interface Exports {
  /** Newest first. */
  transactions(order?: TransactionExport, options?: CallOptions): AsyncIterable<Uint8Array>
  /** The lines of one wallet, oldest first. */
  statement(order: StatementExport, options?: CallOptions): AsyncIterable<Uint8Array>
}

export function exportsOf({ stream }: Transport): Exports {
  return {
    transactions: ({ isMarked, ...query } = {}, options) =>
      stream('getExportsTransactions', { query: { ...query, ...markOf(isMarked) } }, options),
    statement: ({ isMarked, ...query }, options) =>
      stream('getExportsStatement', { query: { ...query, ...markOf(isMarked) } }, options),
  }
}

const markOf = (isMarked: boolean | undefined) => (isMarked ? { bom: '1' as const } : {})
