import type { Currency } from '../money/currencies.ts'
import { numberFromMinor } from '../money/money.ts'
import { showId } from '../platform/ids.ts'
import { kindOfLine } from './line-kinds.ts'
import type { Line, StatementPage } from './statement.ts'

export function presentStatement({ opening, lines, closing }: StatementPage, currency: Currency) {
  return {
    success: true as const,
    data: {
      opening: numberFromMinor(opening, currency),
      lines: lines.map((line) => presentLine(line, currency)),
      closing: numberFromMinor(closing, currency),
    },
  }
}

function presentLine(line: Line, currency: Currency) {
  const { entry_at, transaction_id, event, number, external_reference, type, change, balance } = line
  return {
    at: new Date(Number(entry_at / 1000n)).toISOString(),
    transactionId: transaction_id === null ? '' : showId('transaction', transaction_id),
    externalReference: external_reference ?? '',
    type: type ?? event,
    kind: kindOfLine(event, number),
    amount: numberFromMinor(change, currency),
    balance: numberFromMinor(balance, currency),
  }
}
