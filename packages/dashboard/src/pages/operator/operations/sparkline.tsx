import { line } from 'd3-shape'
import { linear } from '../../../ui/charts/scale.ts'

interface SparklineProps {
  /** Rates between 0 and 1, the oldest first; missing where nothing ended. */
  readonly rates: readonly (number | undefined)[]
  /** What it shows, in words. */
  readonly label: string
  readonly isBad: boolean
}

interface Point {
  readonly index: number
  readonly rate: number
}

const size = { width: 104, height: 28 } as const

/** The rate of each hour. The scale starts at 50 % unless a rate is lower. */
export function Sparkline({ rates, label, isBad }: SparklineProps) {
  const points = rates.flatMap((rate, index): Point[] => (rate === undefined ? [] : [{ index, rate }]))
  if (points.length === 0) return <span className="text-xs text-ink-3">nothing ended</span>
  const least = Math.min(0.5, ...points.map(({ rate }) => rate))
  const x = linear([0, Math.max(1, rates.length - 1)], [3, size.width - 4])
  const y = linear([least, 1], [size.height - 4, 4])
  const draw = line<Point>(
    ({ index }) => x(index),
    ({ rate }) => y(rate),
  )
  const last = points.at(-1)
  const colour = isBad ? 'var(--v5)' : 'var(--v1)'
  return (
    <svg
      aria-label={label}
      height={size.height}
      role="img"
      viewBox={`0 0 ${size.width} ${size.height}`}
      width={size.width}
    >
      <path d={`M0 ${y(1)}H${size.width}`} stroke="var(--grid)" />
      <path d={draw(points) ?? ''} fill="none" stroke={colour} strokeLinejoin="round" strokeWidth="1.6" />
      {last && <circle cx={x(last.index)} cy={y(last.rate)} fill={colour} r="3" />}
    </svg>
  )
}
