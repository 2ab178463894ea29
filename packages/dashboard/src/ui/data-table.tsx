import type { ReactNode } from 'react'

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  /** Numbers stand on the right. */
  readonly isNumber?: boolean
  /** Hidden on a phone, where a row is two lines of what matters. */
  readonly isWideOnly?: boolean
  readonly className?: string
}

interface DataTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Shown in place of the rows when there are none. */
  readonly empty?: ReactNode
  readonly foot?: ReactNode
  readonly isSelected?: (row: Row) => boolean
}

/** A table of some dozens of rows. Wide ones scroll sideways within their card. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, columns, rows, keyOf, empty, foot, isSelected } = props
  if (rows.length === 0 && empty !== undefined) return empty
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls sideways is reached by keyboard.
    <section aria-label={label} className="overflow-x-auto" tabIndex={0}>
      <table className="w-full border-collapse">
        <thead>
          <tr className="border-b border-line text-left text-2xs text-ink-3">
            {columns.map((column) => (
              <th
                className={`h-8 px-2 font-medium whitespace-nowrap first:pl-4 last:pr-4 ${sideOf(column)}`}
                key={column.head}
                scope="col"
              >
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              className={`h-9 border-b border-line last:border-0 hover:bg-hover ${isSelected?.(row) ? 'bg-selected' : ''}`}
              key={keyOf(row)}
            >
              {columns.map((column) => (
                <td
                  className={`px-2 py-1.5 first:pl-4 last:pr-4 ${sideOf(column)} ${column.className ?? ''}`}
                  key={column.head}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {foot !== undefined && <tfoot className="border-t border-line-3">{foot}</tfoot>}
      </table>
    </section>
  )
}

const sideOf = ({ isNumber, isWideOnly }: Pick<Column<never>, 'isNumber' | 'isWideOnly'>) =>
  `${isNumber ? 'text-right tabular-nums' : ''} ${isWideOnly ? 'max-phone:hidden' : ''}`
