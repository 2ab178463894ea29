export const csvLine = (fields: readonly (string | number)[]) => fields.map(csvField).join(',')

/** A CSV field: quoted if necessary, and escaped so that no spreadsheet takes it for a formula. */
function csvField(value: string | number): string {
  const text = typeof value === 'string' ? value.replaceAll(formulaStart, "'") : String(value)
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Where a formula could start: at the start of a field, and after what a spreadsheet may take for the end of one. */
const formulaStart = /(?<=^|[;\t\r\n]\s*)(?=[=+\-@])|^(?=[\t\r])/g

/** A CSV record, and its first line. */
export interface CsvRecord {
  readonly line: number
  readonly fields: readonly string[]
}

/**
 * Reads CSV by RFC 4180: quoted fields may hold delimiters, doubled quotes and line breaks. Blank lines are skipped. The
 * delimiter is a comma, or a semicolon as spreadsheets write it where the comma is the decimal sign: the first line decides.
 */
export function readCsv(text: string): CsvRecord[] {
  const records: CsvRecord[] = []
  let line = 1
  let start = 1
  let fields: string[] = []
  const body = text.replace(/^\uFEFF/, '')
  const token = tokens[delimiterOf(body)]
  token.lastIndex = 0
  for (;;) {
    const found = token.exec(body)
    if (!found) throw new Error(`line ${line}: a quote is not closed, or there is something after it`)
    const [all, inQuotes, plain = '', end = ''] = found
    fields.push(inQuotes === undefined ? plain.trim() : inQuotes.replaceAll('""', '"'))
    line += all.split('\n').length - 1
    if (end === ',' || end === ';') continue
    if (fields.some((field) => field !== '')) records.push({ line: start, fields })
    fields = []
    start = line
    if (end === '') return records
  }
}

/** A field, quoted or plain, and its end: a delimiter, a line break, or the end of the text. */
const tokens = {
  ',': /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy,
  ';': /(?:"((?:[^"]|"")*)"|([^";\r\n]*))(;|\r?\n|$)/gy,
} as const

/** The delimiter of the first line that is not blank. Delimiters in quotes do not count. */
function delimiterOf(body: string): keyof typeof tokens {
  const [first = ''] = body.trimStart().split('\n')
  const bare = first.replaceAll(/"(?:[^"]|"")*"/g, '')
  return bare.includes(';') && !bare.includes(',') ? ';' : ','
}
