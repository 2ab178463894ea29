import { curveStepAfter, line } from 'd3-shape'
import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react'
import { useWidth } from '../use-width.ts'
import { axisText } from './axis-text.ts'
import { linear, niceLinear } from './scale.ts'

interface Part {
  readonly colour: string
  readonly value: number
}

export interface HourBar {
  readonly hour: number
  /** Above the axis, from the axis up. */
  readonly parts: readonly Part[]
  /** Below the axis, from the axis down. */
  readonly outParts: readonly Part[]
  readonly ghostIn: number
  readonly ghostOut: number
}

interface HourChartProps {
  readonly label: string
  readonly bars: readonly HourBar[]
  /** Hours since the start of the day. */
  readonly now: number
  /** One hour in words, for people who do not see the chart. */
  readonly wordsOf: (bar: HourBar) => string
  readonly tooltip: (bar: HourBar) => ReactNode
}

const height = 280
const edge = { top: 24, right: 18, bottom: 24, left: 44 }
const tooltipWidth = 216

/** Money in above the axis and out below, by hour. The arrow keys move along the hours. */
export function HourChart({ label, bars, now, wordsOf, tooltip }: HourChartProps) {
  const [ref, width] = useWidth<HTMLDivElement>(640)
  const [at, setAt] = useState<number>()
  const scales = scalesFor(bars, width)
  const chosen = at === undefined ? undefined : bars[at]
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 1, ArrowDown: -1 }[event.key]
    if (event.key === 'Escape') setAt(undefined)
    if (by === undefined) return
    event.preventDefault()
    setAt(Math.min(bars.length - 1, Math.max(0, (at ?? Math.floor(now) - by) + by)))
  }
  const point = ({ clientX, currentTarget }: PointerEvent<HTMLDivElement>) => {
    const hour = Math.floor(scales.x.invert(clientX - currentTarget.getBoundingClientRect().left))
    setAt(hour >= 0 && hour < bars.length ? hour : undefined)
  }
  return (
    <div
      aria-label={label}
      aria-valuemax={bars.length - 1}
      aria-valuemin={0}
      aria-valuenow={at ?? Math.floor(now)}
      aria-valuetext={chosen ? wordsOf(chosen) : label}
      className="relative"
      onBlur={() => setAt(undefined)}
      onKeyDown={move}
      onPointerLeave={() => setAt(undefined)}
      onPointerMove={point}
      ref={ref}
      role="slider"
      tabIndex={0}
    >
      <svg aria-hidden="true" className="block" height={height} width={width}>
        <Axes scales={scales} width={width} />
        {at !== undefined && (
          <rect
            fill="var(--surface-3)"
            height={height - edge.top - edge.bottom}
            width={scales.x(1) - scales.x(0)}
            x={scales.x(at)}
            y={edge.top}
          />
        )}
        {bars.map((bar) => (
          <Bar bar={bar} key={bar.hour} scales={scales} />
        ))}
        <line stroke="var(--axis)" x1={edge.left} x2={width - edge.right} y1={scales.y(0)} y2={scales.y(0)} />
        <Ghost bars={bars} scales={scales} />
        <Now now={now} x={scales.x} />
      </svg>
      {chosen && (
        <div
          className="pointer-events-none absolute top-6 z-10 rounded-md border border-line-2 bg-surface p-3 text-xs shadow-raised"
          style={{ width: tooltipWidth, left: tooltipLeft(scales.x((at ?? 0) + 1), width) }}
        >
          {tooltip(chosen)}
        </div>
      )}
    </div>
  )
}

function tooltipLeft(x: number, width: number): number {
  return x + 8 + tooltipWidth < width ? x + 8 : Math.max(0, x - tooltipWidth - 48)
}

type Scales = ReturnType<typeof scalesFor>

function scalesFor(bars: readonly HourBar[], width: number) {
  const most = (values: readonly number[]) => Math.max(1, ...values)
  const up = most(bars.map(({ parts, ghostIn }) => Math.max(ghostIn, totalOf(parts))))
  const down = Math.max(up / 8, ...bars.map(({ outParts, ghostOut }) => Math.max(ghostOut, totalOf(outParts))))
  return {
    x: linear([0, bars.length], [edge.left, width - edge.right]),
    y: niceLinear([-down, up], [height - edge.bottom, edge.top], 4),
  }
}

const totalOf = (parts: readonly Part[]) => parts.reduce((sum, { value }) => sum + value, 0)

function Axes({ scales: { x, y }, width }: { readonly scales: Scales; readonly width: number }) {
  const step = width < 480 ? 6 : 2
  const hours = Array.from({ length: 24 / step + 1 }, (_, index) => index * step)
  return (
    <g fill="var(--ink-3)" fontSize={11}>
      {y.ticks(5).map((tick) => (
        <g key={tick}>
          <line stroke="var(--grid)" x1={edge.left} x2={width - edge.right} y1={y(tick)} y2={y(tick)} />
          <text textAnchor="end" x={edge.left - 8} y={y(tick) + 4}>
            {axisText(tick)}
          </text>
        </g>
      ))}
      {hours.map((hour) => (
        <text key={hour} textAnchor="middle" x={x(hour)} y={height - 6}>
          {`${String(hour).padStart(2, '0')}:00`}
        </text>
      ))}
    </g>
  )
}

function Bar({ bar, scales: { x, y } }: { readonly bar: HourBar; readonly scales: Scales }) {
  const band = x(1) - x(0)
  const left = x(bar.hour) + band * 0.14
  const width = band * 0.72
  const sides = [
    { parts: bar.parts, sign: 1 },
    { parts: bar.outParts, sign: -1 },
  ]
  return sides.flatMap(({ parts, sign }) =>
    parts.map(({ colour, value }, index) => {
      const base = sign * totalOf(parts.slice(0, index))
      const [start, stop] = [y(base), y(base + sign * value)] as const
      const gap = index === 0 ? 0 : 1
      return (
        <rect
          fill={colour}
          height={Math.max(0, Math.abs(start - stop) - gap)}
          key={`${sign} ${colour}`}
          width={width}
          x={left}
          y={Math.min(start, stop) + (sign < 0 ? gap : 0)}
        />
      )
    }),
  )
}

/** Last week as an outline. */
function Ghost({ bars, scales: { x, y } }: { readonly bars: readonly HourBar[]; readonly scales: Scales }) {
  const outline = (read: (bar: HourBar) => number) => {
    const last = bars.at(-1)
    const points = bars.map((bar): [number, number] => [x(bar.hour), y(read(bar))])
    return line().curve(curveStepAfter)(last ? [...points, [x(bars.length), y(read(last))]] : points) ?? ''
  }
  const paths = [outline(({ ghostIn }) => ghostIn), outline(({ ghostOut }) => -ghostOut)]
  return paths.map((path, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: above, then below.
    <path d={path} fill="none" key={index} stroke="var(--ghost)" strokeDasharray="3 3" strokeWidth={1.2} />
  ))
}

function Now({ now, x }: { readonly now: number; readonly x: Scales['x'] }) {
  const isLate = now > 21
  return (
    <g>
      <line stroke="var(--ink-3)" x1={x(now)} x2={x(now)} y1={edge.top - 8} y2={height - edge.bottom} />
      <text
        fill="var(--ink-2)"
        fontSize={11}
        textAnchor={isLate ? 'end' : 'start'}
        x={x(now) + (isLate ? -5 : 5)}
        y={edge.top - 10}
      >
        now
      </text>
    </g>
  )
}
