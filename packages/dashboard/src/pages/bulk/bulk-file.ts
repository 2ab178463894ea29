import type { Schemas } from '../../generated/merchant-api.ts'
import { CsvError, csvLine, readCsv } from './csv.ts'

/** The columns of a file, as `malipo bulk` and the guide name them. */
const columns = [
  'externalReference',
  'amount',
  'currency',
  'country',
  'destination',
  'accountName',
  'accountNumber',
  'code',
  'branchCode',
  'businessNumber',
  'externalAccountId',
  'debitCurrency',
  'debitCountry',
] as const
export type Column = (typeof columns)[number]

export interface BulkRow {
  /** Its place in the file, from 1, without the line of column names. */
  readonly number: number
  readonly fields: Readonly<Partial<Record<Column, string>>>
  readonly isLeftOut: boolean
}

export type ReadFile =
  | { readonly rows: readonly BulkRow[]; readonly problem?: undefined }
  | { readonly problem: string; readonly rows?: undefined }

const rowsMax = 1000
const charactersMax = 1_000_000
/** A character has at most 4 bytes. */
const bytesMax = 4 * charactersMax

/** The start of a file, which shows whether it is too large: all of a large one could be more than the memory. */
export const textOfFile = (file: Blob): Promise<string> => file.slice(0, bytesMax + 4).text()

/** The rows of a file, or why it cannot be read. */
export function readBulkFile(text: string): ReadFile {
  if (text.length > charactersMax) return { problem: 'The file is larger than 1 MB. Split it.' }
  if (text.includes('\uFFFD'))
    return { problem: 'The file is not UTF-8 text, so names in it would be wrong. Save it as “CSV UTF-8”.' }
  try {
    return rowsOf(readCsv(text))
  } catch (error) {
    if (error instanceof CsvError) return { problem: error.message }
    throw error
  }
}

function rowsOf([head, ...records]: ReturnType<typeof readCsv>): ReadFile {
  if (!head) return { problem: 'The file is empty.' }
  const names = head.fields.map(columnOf)
  const problem = headProblem(head.fields, names)
  if (problem !== undefined) return { problem }
  if (records.length === 0) return { problem: 'The file has column names and no rows.' }
  if (records.length > rowsMax)
    return {
      problem: `The file has ${records.length.toLocaleString('en')} rows. At most 1,000 go into one file: split it.`,
    }
  const long = records.find(({ fields }) => fields.length > names.length)
  if (long)
    return {
      problem: `Line ${long.line} has ${long.fields.length} fields for ${names.length} columns. A comma within a field needs quotes around the field.`,
    }
  return { rows: records.map(({ fields }, index) => rowOf(index + 1, names, fields)) }
}

/** Case, spaces and underscores do not matter: `External reference` is `externalReference`. */
function columnOf(head: string): Column | undefined {
  const plain = head.replaceAll(/[\s_-]/g, '').toLowerCase()
  return columns.find((name) => name.toLowerCase() === plain)
}

function headProblem(heads: readonly string[], names: readonly (Column | undefined)[]): string | undefined {
  const unknown = heads.filter((_, index) => names[index] === undefined)
  if (unknown.length === heads.length)
    return 'The first line must name the columns, such as externalReference,amount,currency,country,destination,accountName,accountNumber.'
  if (unknown.length > 0) return `Unknown ${unknown.length === 1 ? 'column' : 'columns'}: ${unknown.join(', ')}.`
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) return `The column ${repeated} is there twice.`
  const missing = (['externalReference', 'amount'] as const).filter((name) => !names.includes(name))
  return missing.length === 0 ? undefined : `Missing: ${missing.join(', ')}.`
}

function rowOf(number: number, names: readonly (Column | undefined)[], values: readonly string[]): BulkRow {
  const fields = Object.fromEntries(
    names.flatMap((name, index) => {
      const value = values[index] ?? ''
      return name === undefined || value === '' ? [] : [[name, value]]
    }),
  )
  return { number, fields, isLeftOut: false }
}

/** What is wrong with the amount as it is written; undefined when it is a number. */
export function amountProblem(text = ''): string | undefined {
  if (/^\d+(\.\d+)?$/.test(text)) return undefined
  if (text === '') return 'The amount is missing.'
  const isComma = /^[\d.\s]*\d,\d{1,2}$/.test(text)
  return isComma
    ? `${text} has a comma before the decimals, which is not accepted because it could also separate thousands.`
    : `${text} is not an amount.`
}

export const amountFix = 'Write digits with a point before decimals and no other sign, such as 1500.50.'

/** A row as the request names it. An amount that cannot be read is left out, so that the server checks the rest. */
export function payoutOf({ fields }: BulkRow): Schemas['Payout'] {
  const { amount, externalReference = '', externalAccountId, debitCurrency, debitCountry, ...account } = fields
  const { currency, country, destination = 'MoMo', ...method } = account
  const to =
    externalAccountId === undefined
      ? { currency, country, destination, payoutMethod: method }
      : { externalAccountId, ...(currency !== undefined && { currency }) }
  return {
    ...(amountProblem(amount) === undefined && { amount: Number(amount) }),
    externalReference,
    ...to,
    ...(debitCurrency !== undefined && { debitCurrency }),
    ...(debitCountry !== undefined && { debitCountry }),
  } as Schemas['Payout']
}

/** The column behind a field of the request, to correct it where it is. */
export function columnOfField(field: string): Column | undefined {
  const name = field.replace(/^payoutMethod\./, '')
  return columns.find((column) => column === name)
}

export const sampleFile = [
  columns.slice(0, 7).join(','),
  'wages-2026-11-001,300,KES,KE,MoMo,Amina Otieno,+254703456789',
  'wages-2026-11-002,450,KES,KE,MoMo,Baraka Mushi,+254703456700',
].join('\n')

/** Rows as a file again, with what became of each. */
export function resultFile(lines: readonly (readonly string[])[]): string {
  const head = ['row', 'externalReference', 'amount', 'currency', 'accountName', 'result', 'transactionId', 'message']
  return [head, ...lines].map(csvLine).join('\r\n')
}
