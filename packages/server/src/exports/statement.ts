import type { Currency } from '../money/currencies.ts'
import { maskNumber } from '../people/personal-data.ts'
import type { Owner, ReadDb } from '../platform/db.ts'
import type { Vault } from '../platform/seal.ts'
import { factsOf } from '../wallets/present.ts'
import { readStatement, type StatementPage } from '../wallets/statement.ts'
import type { Line, Writer } from './records.ts'

export const statementColumns = [
  'at',
  'kind',
  'transactionId',
  'externalReference',
  'type',
  'method',
  'counterparty',
  'amount',
  'balance',
  'currency',
  'country',
] as const

type Column = (typeof statementColumns)[number]

const pageLines = 500

export interface StatementOrder {
  readonly owner: Owner
  readonly currency: Currency
  readonly country: string
  /** Microseconds; from is included, to is not. */
  readonly from: bigint
  readonly to: bigint
  readonly writer: Writer<Column>
  /** Hides phone and account numbers. */
  readonly isMasked: boolean
}

interface StatementContext {
  readonly db: { readonly read: ReadDb }
  readonly vault: Vault
}

/** The lines of a wallet, oldest first, as text; read page by page as the reader wants more. */
export async function* exportStatement({ db, vault }: StatementContext, order: StatementOrder): AsyncGenerator<string> {
  const { owner, currency, country, to, writer, isMasked } = order
  yield writer.head
  let from: bigint | undefined = order.from
  while (from !== undefined && from < to) {
    const page: StatementPage = await readStatement(db.read, owner, { currency, country, from, to, limit: pageLines })
    const lines = page.lines.map((line): Line<Column> => {
      const { counterparty, ...facts } = factsOf(vault, line)
      return {
        ...facts,
        counterparty: isMasked && /\d/.test(counterparty) ? maskNumber(counterparty) : counterparty,
        amount: { minor: line.change, currency },
        balance: { minor: line.balance, currency },
        currency,
        country,
      }
    })
    if (lines.length > 0) yield lines.map(writer.write).join('')
    from = page.next
  }
}
