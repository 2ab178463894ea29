import { readFile } from 'node:fs/promises'
import type { Payout } from '@malipo/sdk'
import { CliError } from './cli-error.ts'
import { type CsvRecord, readCsv } from './csv.ts'
import { amountProblem } from './options.ts'
import { destinations } from './payee-options.ts'

/** One payout of a file, and its line number. */
export interface BulkLine {
  readonly line: number
  readonly payout: Payout
}

/** The columns that a file may have, with their descriptions. */
export const bulkColumns = {
  externalReference: 'your unique reference of the payout; required',
  amount: 'in major units; required',
  currency: 'such as KES',
  country: 'such as KE',
  destination: 'MoMo, Bank Account, Paybill or Till; default: MoMo',
  accountName: 'the name of the account holder',
  accountNumber: 'the phone or account number',
  code: 'the code of the bank or operator',
  branchCode: 'the code of the bank branch',
  businessNumber: 'the business number of a Paybill',
  externalAccountId: 'ea_…, instead of the seven columns above',
  debitCurrency: 'the wallet that pays, if it has another currency',
  debitCountry: 'the country of that wallet',
} as const

type Column = keyof typeof bulkColumns
type Row = Readonly<Partial<Record<Column, string>>>

const problemsShown = 20

/** Reads a file of payouts. Reports all its problems together, before anything is sent. */
export async function readBulkFile(file: string): Promise<BulkLine[]> {
  const [head, ...records] = parse(file, await textOf(file))
  if (!head || records.length === 0)
    throw new CliError('usage', `${file} has no payouts. It needs a line of column names and a line for each payout.`)
  const columns = head.fields.map((name) => name as Column)
  const twice = columns.filter((name, index) => columns.indexOf(name) !== index)
  if (twice.length > 0)
    throw new CliError(
      'usage',
      `${file} has a column more than once: ${[...new Set(twice)].join(', ')}. Delete one of them.`,
    )
  const unknown = columns.filter((name) => !Object.hasOwn(bulkColumns, name))
  if (unknown.length > 0)
    throw new CliError(
      'usage',
      `${file} has unknown columns: ${unknown.join(', ')}.\nValid columns: ${Object.keys(bulkColumns).join(', ')}.`,
    )
  const rows = records.map(({ line, fields }) => ({ line, fields, row: rowOf(columns, fields) }))
  const problems = [...rows.flatMap((each) => problemsOf(each, columns.length)), ...repeated(rows)]
  if (problems.length > 0) throw new CliError('usage', reported(file, problems))
  return rows.map(({ line, row }) => ({ line, payout: payoutOf(row) }))
}

async function textOf(file: string): Promise<string> {
  let bytes: Buffer
  try {
    bytes = await readFile(file)
  } catch (error) {
    throw new CliError('usage', `${file} cannot be read: ${(error as Error).message}`)
  }
  return decoded(file, bytes)
}

/** In another encoding names would be paid with wrong letters. */
function decoded(file: string, bytes: Buffer): string {
  const isWide = ['fffe', 'feff'].includes(bytes.toString('hex', 0, 2)) || bytes.includes(0)
  try {
    if (!isWide) return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {} // Reported below.
  throw new CliError(
    'usage',
    `${file} is ${isWide ? 'UTF-16' : 'not UTF-8'}: save the file as CSV UTF-8. Nothing was sent.`,
  )
}

function parse(file: string, text: string): CsvRecord[] {
  try {
    return readCsv(text)
  } catch (error) {
    throw new CliError('usage', `${file} cannot be read: ${(error as Error).message}`)
  }
}

function reported(file: string, problems: readonly string[]): string {
  const rest = problems.length > problemsShown ? [`  and ${problems.length - problemsShown} more`] : []
  const lines = problems.slice(0, problemsShown).map((problem) => `  ${problem}`)
  return [`${file} has errors; nothing was sent.`, ...lines, ...rest].join('\n')
}

/** Exports write an apostrophe before a plus, so that no spreadsheet takes a phone number for a formula. */
function rowOf(columns: readonly Column[], fields: readonly string[]): Row {
  const values = fields.map((field) => field.replace(/^'(?=[=+\-@])/, ''))
  return Object.fromEntries(columns.flatMap((name, index) => (values[index] ? [[name, values[index]]] : [])))
}

interface Read {
  readonly line: number
  readonly fields: readonly string[]
  readonly row: Row
}

function problemsOf({ line, fields, row }: Read, width: number): string[] {
  const {
    externalReference,
    amount = '',
    destination,
    externalAccountId,
    accountNumber,
    accountName,
    currency,
    country,
  } = row
  const wrongAmount = amountProblem(amount)
  const isPlaced = externalAccountId || (accountNumber && accountName && currency && country)
  return [
    ...(fields.length === width ? [] : [`${fields.length} fields, but the first line has ${width}`]),
    ...referenceProblems(externalReference),
    ...(wrongAmount === undefined ? [] : [`amount ${amount || 'is missing'}: ${wrongAmount}`]),
    ...(destination === undefined || destinations.includes(destination)
      ? []
      : [`destination ${destination} must be one of ${destinations.join(', ')}`]),
    ...(isPlaced ? [] : ['externalAccountId is missing, or accountName, accountNumber, currency and country']),
    ...(externalAccountId ? [] : missingFor(row)),
  ].map((problem) => `line ${line}: ${problem}`)
}

function referenceProblems(reference: string | undefined): string[] {
  if (!reference) return ['externalReference is missing']
  return /^[\x21-\x7e]{1,100}$/.test(reference)
    ? []
    : [`externalReference ${reference} must be 1 to 100 printable ASCII characters without spaces`]
}

function missingFor({ destination, code, businessNumber }: Row): string[] {
  if (destination === 'Bank Account' && !code) return ['code is missing: the code of the bank']
  if (destination === 'Paybill' && !businessNumber) return ['businessNumber is missing']
  return []
}

function repeated(rows: readonly Read[]): string[] {
  const lines = Map.groupBy(rows, ({ row }) => row.externalReference ?? '')
  return [...lines].flatMap(([reference, same]) =>
    reference === '' || same.length === 1
      ? []
      : [`lines ${same.map(({ line }) => line).join(' and ')} have the same externalReference ${reference}`],
  )
}

function payoutOf(row: Row): Payout {
  const {
    externalReference = '',
    amount = '',
    externalAccountId,
    accountName = '',
    accountNumber = '',
    destination = 'MoMo',
  } = row
  const { code, branchCode, businessNumber, debitCurrency, debitCountry, currency, country } = row
  const debit = { ...(debitCurrency && { debitCurrency }), ...(debitCountry && { debitCountry }) }
  const common = { externalReference, amount, ...(currency && { currency }), ...(country && { country }), ...debit }
  if (externalAccountId) return { ...common, externalAccountId }
  const account = { accountName, accountNumber, ...(code && { code }) }
  const rest = { ...(branchCode && { branchCode }), ...(businessNumber && { businessNumber }) }
  // The server reports what the destination lacks.
  return { ...common, destination, payoutMethod: { ...account, ...rest } } as Payout
}
