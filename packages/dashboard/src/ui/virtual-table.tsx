import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, memo, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { useIsPhone } from './use-media.ts'

export interface VirtualColumn<Row> {
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  /** Its track: `150px`, or `minmax(120px,1fr)` for a share of the rest. */
  readonly width: string
  readonly isNumber?: boolean
  /** The width of the list below which it is left out. */
  readonly from?: 'always' | 'medium' | 'large'
  /** For a width that depends on that of the list, in place of `width`. */
  readonly className?: string
  /** The text's colour and font, so that the cell needs no element for them. */
  readonly look?: string
  /** The whole text, where the cell may cut it. */
  readonly title?: (row: Row) => string
  /** Its content always fits and is not clipped: each clipped cell costs time in every frame. */
  readonly isFitting?: boolean
  /** The cell acts by itself: a click does not open the row. */
  readonly isControl?: boolean
  /** Its head is for screen readers only. */
  readonly hasHiddenHead?: boolean
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
  /** The row that has the keyboard. */
  readonly focused?: string | undefined
  readonly selected?: ReadonlySet<string>
  /** Rows that have just come or changed: tinted for a second. */
  readonly fresh?: ReadonlySet<string>
  /** More rows exist and none are being loaded. */
  readonly hasMore: boolean
  readonly onEnd: () => void
  /** Shown above the rows, such as what is new. */
  readonly overlay?: ReactNode
}

/** With a background of its own, what is drawn once moves when it is scrolled; without one, every frame is drawn again. */
const scrolling = 'min-h-0 flex-1 overflow-auto bg-surface outline-offset-[-2px]'
const rowHeight = 36
const phoneRowHeight = 64
const ahead = 30

/** A list of any length: only the rows on the screen exist. It loads the next page before its end is reached. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, columns, phoneRow, rows, keyOf, opened, hasMore, onEnd, onOpen, overlay } = props
  const { focused, selected, fresh } = props
  const scroller = useRef<HTMLDivElement>(null)
  const isPhone = useIsPhone()
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (isPhone ? phoneRowHeight : rowHeight),
    overscan: 12,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights of all rows change with the width of the window.
  useEffect(() => list.measure(), [isPhone, list])
  const shown = list.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= rows.length - ahead) onEnd()
  }, [hasMore, last, rows.length, onEnd])
  const wanted = focused ?? opened
  const at = wanted === undefined ? -1 : rows.findIndex((row) => keyOf(row) === wanted)
  useEffect(() => {
    if (at >= 0) list.scrollToIndex(at, { align: 'auto' })
  }, [at, list])
  useFocus(scroller, focused)
  useMarkedWidth(scroller)
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      {overlay}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the list is scrolled by keyboard. */}
      <section aria-label={label} className={scrolling} ref={scroller} tabIndex={0}>
        <table aria-rowcount={hasMore ? -1 : rows.length} className="grid w-full">
          <Head columns={columns} />
          <tbody className="relative block" style={{ height: list.getTotalSize() }}>
            {shown.map(({ index, start }) => {
              const row = rows[index]
              if (row === undefined) return null
              const key = keyOf(row)
              return (
                <RowOf
                  columns={columns as readonly VirtualColumn<unknown>[]}
                  id={key}
                  index={index}
                  isFresh={fresh?.has(key) === true}
                  isMarked={key === opened || selected?.has(key) === true}
                  isPhone={isPhone}
                  key={key}
                  onOpen={onOpen as (row: unknown) => void}
                  phoneRow={phoneRow as (row: unknown) => ReactNode}
                  row={row}
                  start={start}
                />
              )
            })}
          </tbody>
        </table>
      </section>
    </div>
  )
}

const widths = { small: 700, medium: 980 } as const

/** Names the width of a list for its styles. With container queries, rows would be styled during layout, in each frame of scrolling. */
function useMarkedWidth(scroller: { readonly current: HTMLElement | null }): void {
  useLayoutEffect(() => {
    const list = scroller.current
    if (!list) return undefined
    const mark = () => {
      const width = list.offsetWidth
      list.dataset['width'] = width < widths.small ? 'small' : width < widths.medium ? 'medium' : 'large'
    }
    mark()
    const observer = new ResizeObserver(mark)
    observer.observe(list)
    return () => observer.disconnect()
  }, [scroller])
}

/** Gives the keyboard to a row, once it is on the screen. */
function useFocus(scroller: { readonly current: HTMLDivElement | null }, key: string | undefined): void {
  useEffect(() => {
    if (key === undefined) return undefined
    const frame = requestAnimationFrame(() => {
      const row = scroller.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)
      row?.focus({ preventScroll: true })
    })
    return () => cancelAnimationFrame(frame)
  }, [scroller, key])
}

interface RowProps {
  readonly id: string
  readonly row: unknown
  readonly index: number
  readonly start: number
  readonly isPhone: boolean
  readonly isMarked: boolean
  readonly isFresh: boolean
  readonly columns: readonly VirtualColumn<unknown>[]
  readonly phoneRow: (row: unknown) => ReactNode
  readonly onOpen: (row: unknown) => void
}

/** Drawn again only when it changes: scrolling moves many rows and changes none. */
const RowOf = memo(function RowOf(props: RowProps) {
  const { id, row, index, start, isPhone, isMarked, isFresh, columns, phoneRow, onOpen } = props
  const open = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && event.target === event.currentTarget) onOpen(row)
  }
  const look = `${isPhone ? 'h-16' : 'flex h-9 items-center gap-2.5 pr-4 pl-6'} ${isMarked ? 'bg-selected shadow-[inset_2px_0_0_var(--brand)]' : ''} ${isFresh ? 'motion-safe:animate-[fresh_1s_ease-out]' : ''}`
  return (
    <tr
      aria-rowindex={index + 1}
      aria-selected={isMarked}
      className={`absolute inset-x-0 cursor-default border-b border-line outline-offset-[-2px] hover:bg-hover ${look}`}
      data-key={id}
      onClick={() => onOpen(row)}
      onKeyDown={open}
      style={{ top: start }}
      tabIndex={-1}
    >
      {isPhone ? <td className="block h-full px-4">{phoneRow(row)}</td> : <Cells columns={columns} row={row} />}
    </tr>
  )
})

const shownFrom = { always: '', medium: 'list-small:hidden', large: 'list-medium:hidden' } as const

const lookOf = <Row,>({ from = 'always', isNumber, isFitting, className = '' }: VirtualColumn<Row>) =>
  `${shownFrom[from]} ${className} min-w-0 ${isFitting ? 'whitespace-nowrap' : 'truncate'} ${isNumber ? 'pr-2 text-right' : 'text-left'}`

/** Fixed tracks keep their width; the others share the rest. */
function styleOf<Row>({ width, className }: VirtualColumn<Row>) {
  if (className !== undefined) return undefined
  const [, least] = /^minmax\((\w+),/.exec(width) ?? []
  return least === undefined ? { width, flex: 'none' } : { flex: `1 1 ${least}` }
}

function Head<Row>({ columns }: { readonly columns: readonly VirtualColumn<Row>[] }) {
  return (
    <thead className="sticky top-0 z-[1] block border-y border-line bg-surface max-phone:sr-only">
      <tr className="flex h-8 items-center gap-2.5 pr-4 pl-6 text-2xs text-ink-3">
        {columns.map((column) => (
          <th className={`font-medium ${lookOf(column)}`} key={column.head} scope="col" style={styleOf(column)}>
            {column.hasHiddenHead ? <span className="sr-only">{column.head}</span> : column.head}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function Cells({ columns, row }: { readonly columns: readonly VirtualColumn<unknown>[]; readonly row: unknown }) {
  return columns.map((column) => (
    <td
      className={`${lookOf(column)} ${column.look ?? ''}`}
      key={column.head}
      onClick={column.isControl ? (event) => event.stopPropagation() : undefined}
      onKeyDown={column.isControl ? (event) => event.stopPropagation() : undefined}
      style={styleOf(column)}
      title={column.title?.(row)}
    >
      {column.cell(row)}
    </td>
  ))
}
