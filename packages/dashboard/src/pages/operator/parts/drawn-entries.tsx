import { useId } from 'react'
import { moneyParts } from '../../../ui/money.tsx'
import { type Arrow, type Box, box, type Drawing, type DrawnEntry, drawingsOf } from './drawn-layout.ts'
import { accountLines, entryKinds, nameText } from './words.ts'

interface DrawnEntriesProps {
  readonly entries: readonly DrawnEntry[]
  /** What is drawn, for those who do not see it. */
  readonly label: string
}

/** Double entries as accounts and arrows from debit to credit, one ground for each currency, and as a list. */
export function DrawnEntries({ entries, label }: DrawnEntriesProps) {
  const drawings = drawingsOf(entries)
  return (
    <div className="grid gap-3">
      {drawings.map((drawing) => (
        <Currency drawing={drawing} key={drawing.currency} label={label} />
      ))}
      <ol className="grid gap-1 text-xs text-ink-3">
        {drawings
          .flatMap(({ arrows }) => arrows)
          .map((arrow) => (
            <li key={`${arrow.number} ${arrow.debit} ${arrow.credit}`}>
              {arrow.number}: {nameText(arrow.event)}. {entryKinds[arrow.kind]}, {accountLines(arrow.debit)[0]} to{' '}
              {accountLines(arrow.credit)[0]}, {amountText(arrow)}
            </li>
          ))}
      </ol>
    </div>
  )
}

function Currency({ drawing, label }: { readonly drawing: Drawing; readonly label: string }) {
  const head = useId()
  const { currency, boxes, arrows, width, height } = drawing
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls sideways is reached by keyboard.
    <section aria-label={`${label}, ${currency}`} className="overflow-x-auto rounded-md bg-surface-2" tabIndex={0}>
      <svg
        aria-label={`${label} in ${currency}: ${arrows.length} entries between ${boxes.length} accounts`}
        height={height}
        role="img"
        viewBox={`0 0 ${width} ${height}`}
        width={width}
      >
        <defs>
          <marker id={head} markerHeight="7" markerWidth="7" orient="auto" refX="7" refY="4" viewBox="0 0 8 8">
            <path d="M0 .5 7.5 4 0 7.5z" fill="var(--v1)" />
          </marker>
        </defs>
        <text className="text-xs font-semibold" fill="var(--ink-2)" x="14" y="22">
          {currency}
        </text>
        {arrows.map((arrow, index) => (
          <Line
            arrow={arrow}
            head={head}
            key={`${arrow.number} ${arrow.debit} ${arrow.credit}`}
            shift={shiftOf(arrows, index)}
          />
        ))}
        {boxes.map((each) => (
          <Account at={each} key={each.name} />
        ))}
      </svg>
    </section>
  )
}

/** Arrows between the same two accounts stand one under another. */
const shiftOf = (arrows: readonly Arrow[], index: number) =>
  arrows.slice(0, index).filter(({ from, to }) => from === arrows[index]?.from && to === arrows[index]?.to).length

function Account({ at: { name, x, y } }: { readonly at: Box }) {
  const [what, of] = accountLines(name)
  return (
    <g>
      <rect fill="var(--surface)" height={box.height} rx="7" stroke="var(--line-2)" width={box.width} x={x} y={y} />
      <text className="text-xs font-semibold" fill="var(--ink)" x={x + 12} y={y + (of === '' ? 27 : 20)}>
        {cut(what)}
      </text>
      <text className="text-2xs" fill="var(--ink-3)" x={x + 12} y={y + 36}>
        {cut(of)}
      </text>
    </g>
  )
}

const lettersMax = 24

const cut = (text: string) => (text.length > lettersMax ? `${text.slice(0, lettersMax - 1)}…` : text)

interface LineProps {
  readonly arrow: Arrow
  readonly head: string
  readonly shift: number
}

function Line({ arrow, head, shift }: LineProps) {
  const { from, to, number, kind } = arrow
  const isForward = to.x > from.x
  const start = { x: isForward ? from.x + box.width : from.x, y: from.y + box.height / 2 + shift * 12 }
  const end = { x: isForward ? to.x - 2 : to.x + box.width + 2, y: to.y + box.height / 2 + shift * 12 }
  const middle = (start.x + end.x) / 2
  const labelX = Math.min(start.x, end.x) + Math.abs(end.x - start.x) - 96
  const labelY = end.y > start.y ? end.y + 16 : end.y - 7
  const isOpen = kind === 'hold' || kind === 'void'
  return (
    <g>
      <path
        d={`M${start.x} ${start.y}C${middle} ${start.y} ${middle} ${end.y} ${end.x} ${end.y}`}
        fill="none"
        markerEnd={`url(#${head})`}
        stroke={kind === 'void' ? 'var(--ghost)' : 'var(--v1)'}
        strokeDasharray={isOpen ? '4 3' : undefined}
        strokeWidth="1.6"
      />
      <circle cx={labelX} cy={labelY - 4} fill="var(--surface-3)" r="8" />
      <text className="text-2xs font-semibold" fill="var(--ink-2)" textAnchor="middle" x={labelX} y={labelY}>
        {number}
      </text>
      <text className="text-xs font-medium" fill="var(--ink)" x={labelX + 12} y={labelY}>
        {amountText(arrow)}
      </text>
    </g>
  )
}

function amountText({ amount, currency }: Pick<DrawnEntry, 'amount' | 'currency'>): string {
  const { sign, whole, decimals } = moneyParts(amount, currency)
  return `${sign}${whole}${decimals}`
}
