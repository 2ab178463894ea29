/** One record of a CSV file, and the line on which it starts. */
export interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
}

export class CsvError extends Error {}

const byteOrderMark = 0xfeff

/**
 * Reads CSV by RFC 4180: fields in quotes may hold delimiters, line breaks and doubled quotes. Blank lines are skipped. The first
 * line decides between comma and semicolon, which spreadsheets write where the comma is the decimal sign.
 */
export function readCsv(text: string): CsvRecord[] {
  const body = text.codePointAt(0) === byteOrderMark ? text.slice(1) : text
  const delimiter = delimiterOf(body)
  const records: CsvRecord[] = []
  let at: Cursor = { index: 0, line: 1 }
  while (at.index < body.length) {
    const { line } = at
    const fields: string[] = []
    let end = ''
    do {
      const field = readField(body, at, delimiter)
      fields.push(field.value)
      at = field.next
      end = field.end
    } while (end === delimiter)
    if (fields.some((field) => field !== '')) records.push({ line, fields })
  }
  return records
}

interface Cursor {
  readonly index: number
  readonly line: number
}

interface Field {
  readonly value: string
  /** What ended it: the delimiter, a line break, or nothing at the end of the text. */
  readonly end: string
  readonly next: Cursor
}

function readField(body: string, at: Cursor, delimiter: string): Field {
  return body[at.index] === '"' ? readQuoted(body, at, delimiter) : readPlain(body, at, delimiter)
}

function readPlain(body: string, { index, line }: Cursor, delimiter: string): Field {
  let end = index
  while (end < body.length && body[end] !== delimiter && body[end] !== '\n') end += 1
  const value = body.slice(index, end)
  if (value.includes('"'))
    throw new CsvError(`Line ${line}: a quote stands inside a field. Put the whole field in quotes.`)
  return { value: value.trim(), ...endOf(body, { index: end, line }) }
}

function readQuoted(body: string, { index, line }: Cursor, delimiter: string): Field {
  let end = body.indexOf('"', index + 1)
  while (end >= 0 && body[end + 1] === '"') end = body.indexOf('"', end + 2)
  if (end < 0) throw new CsvError(`Line ${line}: a quote is not closed.`)
  const raw = body.slice(index + 1, end)
  const breaks = raw.split('\n').length - 1
  const after = body[end + 1] === '\r' ? end + 2 : end + 1
  const next = body[after] ?? ''
  if (next !== '' && next !== '\n' && next !== delimiter)
    throw new CsvError(`Line ${line}: something stands after a closing quote.`)
  return { value: raw.replaceAll('""', '"'), ...endOf(body, { index: after, line: line + breaks }) }
}

function endOf(body: string, { index, line }: Cursor): Pick<Field, 'end' | 'next'> {
  const end = body[index] ?? ''
  return { end, next: { index: index + 1, line: end === '\n' ? line + 1 : line } }
}

/** Delimiters in quotes do not count. */
function delimiterOf(body: string): ',' | ';' {
  const [first = ''] = body.trimStart().split('\n')
  const bare = first.replaceAll(/"(?:[^"]|"")*"/g, '')
  return bare.includes(';') && !bare.includes(',') ? ';' : ','
}

/** A line of CSV that no spreadsheet takes for a formula. */
export const csvLine = (fields: readonly string[]): string => fields.map(csvField).join(',')

function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
