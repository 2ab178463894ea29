import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useEffect, useRef } from 'react'

export interface VirtualColumn<Row> {
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  /** Its track in the grid: `150px` or `minmax(120px,1fr)`. */
  readonly width: string
  readonly isNumber?: boolean
  /** The width of the list below which it is left out. */
  readonly from?: 'always' | 'medium' | 'large'
}

interface VirtualTableProps<Row> {
  readonly label: string
  readonly columns: readonly VirtualColumn<Row>[]
  /** Two lines for a phone. */
  readonly phoneRow: (row: Row) => ReactNode
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  readonly onOpen: (row: Row) => void
  readonly opened?: string | undefined
  /** More rows exist and none are being loaded. */
  readonly hasMore: boolean
  readonly onEnd: () => void
  /** Shown above the rows, such as what is new. */
  readonly overlay?: ReactNode
}

const rowHeight = 36
const phoneRowHeight = 60
const ahead = 30

/** A list of any length: only the rows on the screen exist. It loads the next page before its end is reached. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, columns, phoneRow, rows, keyOf, opened, hasMore, onEnd, onOpen, overlay } = props
  const scroller = useRef<HTMLDivElement>(null)
  const isPhone = matchMedia('(max-width: 720px)').matches
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isPhone ? phoneRowHeight : rowHeight),
    overscan: 12,
  })
  const shown = list.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= rows.length - ahead) onEnd()
  }, [hasMore, last, rows.length, onEnd])
  const at = rows.findIndex((row) => keyOf(row) === opened)
  useEffect(() => {
    if (at >= 0) list.scrollToIndex(at, { align: 'auto' })
  }, [at, list])
  return (
    <div className="@container relative flex min-h-0 flex-1 flex-col">
      {overlay}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the list is scrolled by keyboard. */}
      <section aria-label={label} className="min-h-0 flex-1 overflow-auto outline-none" ref={scroller} tabIndex={0}>
        <table aria-rowcount={hasMore ? -1 : rows.length} className="grid w-full">
          <Head columns={columns} />
          <tbody className="relative block" style={{ height: list.getTotalSize() }}>
            {shown.map(({ index, start }) => {
              const row = rows[index]
              if (row === undefined) return null
              const key = keyOf(row)
              return (
                <tr
                  aria-rowindex={index + 1}
                  aria-selected={key === opened}
                  className={`absolute inset-x-0 border-b border-line hover:bg-hover ${isPhone ? 'h-[60px]' : 'flex h-9 items-center gap-3 px-6'} ${key === opened ? 'bg-selected shadow-[inset_2px_0_0_var(--brand)]' : ''}`}
                  key={key}
                  onClick={() => onOpen(row)}
                  onKeyDown={(event) => {
                    if (event.key === 'Enter') onOpen(row)
                  }}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  {isPhone ? (
                    <td className="block h-full px-4">{phoneRow(row)}</td>
                  ) : (
                    <Cells columns={columns} row={row} />
                  )}
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
    </div>
  )
}

const shownFrom = { always: '', medium: '@max-[700px]:hidden', large: '@max-[980px]:hidden' } as const

const lookOf = <Row,>({ from = 'always', isNumber }: VirtualColumn<Row>) =>
  `${shownFrom[from]} min-w-0 truncate ${isNumber ? 'text-right' : 'text-left'}`

/** Fixed tracks keep their width; the others share the rest. */
function styleOf<Row>({ width }: VirtualColumn<Row>) {
  const [, least] = /^minmax\((\w+),/.exec(width) ?? []
  return least === undefined ? { width, flex: 'none' } : { flex: `1 1 ${least}` }
}

function Head<Row>({ columns }: { readonly columns: readonly VirtualColumn<Row>[] }) {
  return (
    <thead className="sticky top-0 z-[1] block border-y border-line bg-surface max-phone:sr-only">
      <tr className="flex h-8 items-center gap-3 px-6 text-2xs text-ink-3">
        {columns.map((column) => (
          <th className={`font-medium ${lookOf(column)}`} key={column.head} scope="col" style={styleOf(column)}>
            {column.head}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function Cells<Row>({ columns, row }: { readonly columns: readonly VirtualColumn<Row>[]; readonly row: Row }) {
  return columns.map((column) => (
    <td className={lookOf(column)} key={column.head} style={styleOf(column)}>
      {column.cell(row)}
    </td>
  ))
}
