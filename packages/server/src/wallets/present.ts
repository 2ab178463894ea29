import type { Currency } from '../money/currencies.ts'
import { numberFromMinor } from '../money/money.ts'
import { showId } from '../platform/ids.ts'
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

function presentLine({ entry_at, transaction_id, event, change, balance }: Line, currency: Currency) {
  return {
    at: new Date(Number(entry_at / 1000n)).toISOString(),
    transactionId: showId('transaction', transaction_id),
    externalReference: '',
    type: event,
    amount: numberFromMinor(change, currency),
    balance: numberFromMinor(balance, currency),
  }
}
