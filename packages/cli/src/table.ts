import type { CliEnvironment } from './cli-environment.ts'
import { createPaint, type Paint, paintStatus } from './paint.ts'
import { widthOf } from './terminal-text.ts'

/** What a column shows of a row. Numbers are right-aligned. */
export type Column<Row> = ((row: Row) => string) & { readonly isRight?: true }

/** Formats output: with colours and columns for a terminal, as plain text for programs. */
export interface Formatter {
  readonly paint: Paint
  /** A status in its colour. */
  status(text: string): string
  /** An amount: with its currency's decimals and grouped digits for a person, unchanged for a program. */
  money(amount: number, currency: string): string
  /** Indented text: wrapped for a person, one line for a program. */
  wrap(text: string, indent: number): string
  /** Rows under headings: aligned columns for a person, tab-separated for a program. */
  table<Row>(rows: readonly Row[], columns: Readonly<Record<string, Column<Row>>>): string
}

export function createFormatter(cli: CliEnvironment, isColourWanted: boolean): Formatter {
  const paint = createPaint(cli, isColourWanted)
  return {
    paint,
    status: (text) => paintStatus(paint, text),
    money: (amount, currency) => (cli.terminal ? grouped(amount, currency) : String(amount)),
    wrap: (text, indent) => (cli.terminal ? wrapped(text, indent, cli.terminal.columns) : text),
    table: (rows, columns) => {
      const headings = Object.keys(columns).map((heading) => paint('bold', heading))
      const cells = (row: (typeof rows)[number]) => Object.values(columns).map((show) => inOneLine(show(row)))
      const lines = [headings, ...rows.map(cells)]
      return cli.terminal ? aligned(lines, Object.values(columns)) : tabbed(lines)
    },
  }
}

export function right<Row>(show: (row: Row) => string): Column<Row> {
  return Object.assign((row: Row) => show(row), { isRight: true as const })
}

const columnsMin = 40
const columnsMax = 120

function wrapped(text: string, indent: number, columns: number): string {
  const width = Math.max(columnsMin, Math.min(columns, columnsMax) - indent)
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    const isFitting = last !== undefined && widthOf(last) + 1 + widthOf(word) <= width
    if (isFitting) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}

/** Never rounds: an amount may have more decimals than Node knows for its currency. */
function grouped(amount: number, currency: string): string {
  const decimals = /\.(\d+)$/.exec(String(amount))?.[1]?.length ?? 0
  const { maximumFractionDigits: usual = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions()
  const digits = Math.max(usual, decimals)
  return amount.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** Each column is as wide as its widest entry; lines have no trailing blanks. */
function aligned(lines: readonly (readonly string[])[], columns: readonly { readonly isRight?: true }[]): string {
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index] ?? ''))))
  return lines
    .map((line) =>
      line
        .map((entry, index) => {
          const blanks = ' '.repeat((widths[index] ?? 0) - widthOf(entry))
          return columns[index]?.isRight ? `${blanks}${entry}` : `${entry}${blanks}`
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A tab or line break in a cell would look like another column or row. */
export const inOneLine = (entry: string) => entry.replaceAll(/[\t\n]+/g, ' ')

const tabbed = (lines: readonly (readonly string[])[]) =>
  lines.map((line) => line.map((entry) => entry.replaceAll(/\s+/g, ' ')).join('\t')).join('\n')
