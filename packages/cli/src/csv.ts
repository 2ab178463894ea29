export const csvLine = (fields: readonly (string | number)[]) => fields.map(csvField).join(',')

/** A CSV field: quoted if necessary, and escaped so that no spreadsheet takes it for a formula. */
function csvField(value: string | number): string {
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** A CSV record, and its first line. */
export interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
}

/** Reads CSV by RFC 4180: quoted fields may hold commas, doubled quotes and line breaks. Blank lines are skipped. */
export function readCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = []
  let line = 1
  let start = 1
  let fields: string[] = []
  // A field, quoted or plain, and its delimiter: a comma, a line break, or the end.
  const token = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy
  const body = text.replace(/^\uFEFF/, '')
  for (;;) {
    const found = token.exec(body)
    if (!found) throw new Error(`line ${line}: a quote is not closed, or there is something after it`)
    const [all, inQuotes, plain = '', end = ''] = found
    fields.push(inQuotes === undefined ? plain.trim() : inQuotes.replaceAll('""', '"'))
    line += all.split('\n').length - 1
    if (end === ',') continue
    if (fields.some((field) => field !== '')) records.push({ line: start, fields })
    fields = []
    start = line
    if (end === '') return records
  }
}
