import { area, line } from 'd3-shape'
import { linear } from './scale.ts'

interface SparklineProps {
  /** Undefined: no value at this place. */
  readonly values: readonly (number | undefined)[]
  /** The same of another time, dashed. */
  readonly ghost?: readonly number[]
  readonly colour?: string
  readonly isFilled?: boolean
  /** The lowest and highest value; those of the values if left out. */
  readonly domain?: readonly [number, number]
  readonly height?: number
  /** What it shows, where no words beside it do. */
  readonly label?: string
}

const width = 240

/** A line without axes. */
export function Sparkline({
  values,
  ghost = [],
  colour = 'var(--v1)',
  isFilled = false,
  domain,
  height = 34,
  label,
}: SparklineProps) {
  const known = [...values, ...ghost].filter((value) => value !== undefined)
  const [low, high] = domain ?? [Math.min(0, ...known), Math.max(1, ...known)]
  const x = linear([0, Math.max(1, Math.max(values.length, ghost.length) - 1)], [3, width - 3])
  const y = linear([low, high], [height - 3, 3])
  const drawn = values.flatMap((value, index): [number, number][] =>
    value === undefined ? [] : [[x(index), y(value)]],
  )
  const last = drawn.at(-1)
  const ghostPath = line()(ghost.map((value, index) => [x(index), y(value)]))
  return (
    <svg
      aria-hidden={label === undefined}
      aria-label={label}
      className="block w-full overflow-visible"
      height={height}
      preserveAspectRatio="none"
      role="img"
      viewBox={`0 0 ${width} ${height}`}
    >
      {isFilled && <path d={area().y0(height - 3)(drawn) ?? ''} fill={colour} opacity={0.1} />}
      {ghostPath && (
        <path
          d={ghostPath}
          fill="none"
          stroke="var(--ghost)"
          strokeDasharray="2 3"
          strokeWidth={1.2}
          vectorEffect="non-scaling-stroke"
        />
      )}
      <path d={line()(drawn) ?? ''} fill="none" stroke={colour} strokeWidth={1.6} vectorEffect="non-scaling-stroke" />
      {last && (
        <path
          d={`M${last[0]} ${last[1]}h0.01`}
          stroke={colour}
          strokeLinecap="round"
          strokeWidth={6}
          vectorEffect="non-scaling-stroke"
        />
      )}
    </svg>
  )
}
