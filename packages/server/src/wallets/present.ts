import type { Currency } from '../money/currencies.ts'
import { numberFromMinor } from '../money/money.ts'
import { nameOf, numberOf, openCounterparty } from '../payments/model/counterparty.ts'
import { showId } from '../platform/ids.ts'
import type { Vault } from '../platform/seal.ts'
import { kindOfLine } from './line-kinds.ts'
import type { Line, StatementPage } from './statement.ts'

export function presentStatement(vault: Vault, { opening, lines, closing }: StatementPage, currency: Currency) {
  return {
    success: true as const,
    data: {
      opening: numberFromMinor(opening, currency),
      lines: lines.map((line) => ({
        ...factsOf(vault, line),
        amount: numberFromMinor(line.change, currency),
        balance: numberFromMinor(line.balance, currency),
      })),
      closing: numberFromMinor(closing, currency),
    },
  }
}

/** What a line says beside its amounts. */
export function factsOf(vault: Vault, line: Line) {
  const { entry_at, transaction_id, event, number, external_reference, type, method } = line
  return {
    at: new Date(Number(entry_at / 1000n)).toISOString(),
    transactionId: transaction_id === null ? '' : showId('transaction', transaction_id),
    externalReference: external_reference ?? '',
    type: type ?? event,
    kind: kindOfLine(event, number),
    method: method ?? '',
    counterparty: counterpartyOf(vault, line),
  }
}

/** The name of the other side, or its number where no name is known. */
function counterpartyOf(vault: Vault, { transaction_id: id, counterparty: sealed }: Line): string {
  if (id === null || !sealed) return ''
  const counterparty = openCounterparty(vault, { id, counterparty: sealed })
  return nameOf(counterparty) || numberOf(counterparty)
}
