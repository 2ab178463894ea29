import { curveStepAfter, line } from 'd3-shape'
import { useWidth } from '../use-width.ts'
import { linear, niceLinear } from './scale.ts'

export interface LineSeries {
  readonly name: string
  readonly colour: string
  readonly isDashed?: boolean
  readonly points: readonly { readonly at: Date; readonly value: number }[]
}

const height = 200
const edge = { top: 12, right: 12, bottom: 24, left: 64 }
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Values over days, each valid until the next. */
export function LineChart({ label, series }: { readonly label: string; readonly series: readonly LineSeries[] }) {
  const [ref, width] = useWidth<HTMLDivElement>(640)
  const points = series.flatMap((each) => each.points)
  const times = points.map(({ at }) => at.getTime())
  const values = points.map(({ value }) => value)
  const x = linear([Math.min(...times), Math.max(...times)], [edge.left, width - edge.right])
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const room = (high - low || high) * 0.1
  const y = niceLinear([low - room, high + room], [height - edge.bottom, edge.top], 4)
  const draw = line<LineSeries['points'][number]>(
    ({ at }) => x(at.getTime()),
    ({ value }) => y(value),
  ).curve(curveStepAfter)
  return (
    <div ref={ref}>
      <svg aria-label={label} className="block" height={height} role="img" width={width}>
        <g fill="var(--ink-3)" fontSize={11}>
          {y.ticks(4).map((tick) => (
            <g key={tick}>
              <line stroke="var(--grid)" x1={edge.left} x2={width - edge.right} y1={y(tick)} y2={y(tick)} />
              <text textAnchor="end" x={edge.left - 8} y={y(tick) + 4}>
                {tick.toLocaleString('en', { maximumFractionDigits: 6 })}
              </text>
            </g>
          ))}
          {daysOf(times, width < 480 ? 3 : 6).map((tick) => (
            <text key={tick} textAnchor="middle" x={x(tick)} y={height - 6}>
              {day.format(tick)}
            </text>
          ))}
        </g>
        {series.map(({ name, colour, isDashed, points: own }) => (
          <path
            d={draw(own) ?? ''}
            fill="none"
            key={name}
            stroke={colour}
            strokeDasharray={isDashed ? '4 3' : undefined}
            strokeWidth={1.8}
          />
        ))}
      </svg>
    </div>
  )
}

const dayMs = 86_400_000

/** Starts of days, at most `count` of them, evenly. */
function daysOf(times: readonly number[], count: number): number[] {
  const [first, last] = [Math.ceil(Math.min(...times) / dayMs), Math.floor(Math.max(...times) / dayMs)]
  const step = Math.max(1, Math.ceil((last - first + 1) / count))
  return Array.from(
    { length: Math.max(0, Math.floor((last - first) / step) + 1) },
    (_, index) => (first + index * step) * dayMs,
  )
}
