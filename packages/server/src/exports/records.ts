import type { Currency } from '../money/currencies.ts'
import { formatMinor, numberFromMinor } from '../money/money.ts'
import type { Customer } from '../payments/model/customer.ts'

/** An amount, which stays exact in both formats. */
interface Amount {
  readonly minor: bigint
  readonly currency: Currency
}

type Value = string | Amount | { readonly customer: Customer }

/** One line of an export, by the names of its columns. */
export type Line<Column extends string> = Readonly<Record<Column, Value>>

export type Format = 'csv' | 'ndjson'

export const mediaTypes = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson; charset=utf-8',
} as const satisfies Record<Format, string>

/** How lines are written: the first bytes, then each line. */
export interface Writer<Column extends string> {
  readonly head: string
  write(line: Line<Column>): string
}

/** The mark by which spreadsheets recognise UTF-8. */
const byteOrderMark = '\uFEFF'

export function writerOf<Column extends string>(
  format: Format,
  columns: readonly Column[],
  { hasMark }: { readonly hasMark: boolean },
): Writer<Column> {
  if (format === 'ndjson') return { head: '', write: (line) => jsonRecord(columns, line) }
  const head = `${hasMark ? byteOrderMark : ''}${columns.join(',')}\r\n`
  return { head, write: (line) => `${columns.map((column) => csvCell(line[column])).join(',')}\r\n` }
}

function jsonRecord<Column extends string>(columns: readonly Column[], line: Line<Column>): string {
  return `${JSON.stringify(Object.fromEntries(columns.map((column) => [column, jsonValue(line[column])])))}\n`
}

function jsonValue(value: Value): unknown {
  if (typeof value === 'string') return value
  return 'minor' in value ? numberFromMinor(value.minor, value.currency) : value.customer
}

/** By RFC 4180. Amounts stay numbers, whatever their sign. */
function csvCell(value: Value): string {
  if (typeof value === 'string') return quoted(harmless(value))
  return 'minor' in value ? formatMinor(value.minor, value.currency) : quoted(harmless(customerText(value.customer)))
}

/** A spreadsheet runs text that starts like a formula; after an apostrophe it does not. */
const harmless = (text: string) => (/^[=+\-@\t\r\n＝＋－＠]/.test(text) ? `'${text}` : text)

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

function customerText({ name, phoneNumber, accountNumber, card, bankName }: Customer): string {
  const number = phoneNumber ?? accountNumber ?? (card && `${card.first6}******${card.last4}`)
  return [name, number, bankName].filter((part) => part !== undefined).join(' ')
}
