import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Thrown with every problem at once: a wrong data file stops the start and is named. */
export class DataError extends Error {
  override readonly name = 'DataError'

  constructor(problems: readonly string[]) {
    super(['The reference data is invalid:', ...problems.map((problem) => `  ${problem}`)].join('\n'))
  }
}

/** The reader of each column. A reader throws an error that describes the expected cell. */
export type Columns<Row> = { readonly [Name in keyof Row]: (cell: string) => Row[Name] }

/** A row with its file and line, for error messages. */
export type Placed<Row> = Row & { readonly place: string }

/**
 * Reads a file of rows: `#` starts a comment, the first other line names the columns, and a comma separates cells and is never
 * part of one. A row that cannot be read is added to `problems` with its file and line, and left out.
 */
export function readTable<Row extends object>(
  folder: string,
  file: string,
  columns: Columns<Row>,
  problems: string[],
): Placed<Row>[] {
  const names = Object.keys(columns) as (keyof Row & string)[]
  const lines = readFileSync(join(folder, file), 'utf8').split('\n').entries()
  const written = [...lines].filter(([, line]) => line !== '' && !line.startsWith('#'))
  const [header, ...rows] = written.map(([index, line]) => ({ place: `${file}:${index + 1}`, cells: line.split(',') }))
  if (header?.cells.join() !== names.join()) {
    problems.push(`${header?.place ?? file}: the columns must be ${names.join()}`)
    return []
  }
  return rows.flatMap(({ place, cells }) => {
    if (cells.length !== names.length) {
      problems.push(`${place}: ${cells.length} cells, expected ${names.length}`)
      return []
    }
    const values = names.map((name, index) => readCell(columns, name, cells[index] ?? '', place, problems))
    return values.includes(undefined)
      ? []
      : [{ ...Object.fromEntries(values as [string, unknown][]), place } as Placed<Row>]
  })
}

function readCell<Row>(
  columns: Columns<Row>,
  name: keyof Row & string,
  cell: string,
  place: string,
  problems: string[],
): [string, unknown] | undefined {
  try {
    return [name, columns[name](cell)]
  } catch (error) {
    problems.push(`${place}: ${name} ${(error as Error).message}, not "${cell}"`)
    return undefined
  }
}

/** Reports rows that repeat another row's key. */
export function refuseRepeats<Row extends { readonly place: string }>(
  rows: readonly Row[],
  what: string,
  keyOf: (row: Row) => string,
  problems: string[],
): void {
  const seen = new Map<string, string>()
  for (const row of rows) {
    const key = keyOf(row)
    const first = seen.get(key)
    if (first !== undefined) problems.push(`${row.place}: ${what} ${key} is on ${first} already`)
    else seen.set(key, row.place)
  }
}

// Readers of cells.

export function text(cell: string): string {
  if (cell.trim() !== cell || cell === '') throw new Error('must be text without surrounding spaces')
  return cell
}

export function matching(pattern: RegExp, what: string) {
  return (cell: string): string => {
    if (!pattern.test(cell)) throw new Error(`must be ${what}`)
    return cell
  }
}

export function whole(cell: string): number {
  if (!/^(0|[1-9]\d{0,11})$/.test(cell)) throw new Error('must be a whole number')
  return Number(cell)
}

export function oneOf<Word extends string>(...words: readonly Word[]) {
  return (cell: string): Word => {
    const word = words.find((candidate) => candidate === cell)
    if (word === undefined) throw new Error(`must be one of ${words.join(', ')}`)
    return word
  }
}

export function orNothing<Value>(read: (cell: string) => Value) {
  return (cell: string): Value | null => (cell === '' ? null : read(cell))
}

/** Texts separated by one blank; none in an empty cell. */
export function listOf<Value>(read: (cell: string) => Value) {
  return (cell: string): readonly Value[] => (cell === '' ? [] : cell.split(' ').map(read))
}
