import { linear } from '../../ui/charts/scale.ts'
import { useWidth } from '../../ui/use-width.ts'
import { durationText } from './duration.ts'
import { type Band, lanes, type Step, type Tone } from './timeline-steps.ts'

interface TimelineChartProps {
  readonly steps: readonly Step[]
  readonly doubts: readonly Band[]
}

const left = 66
const right = 12
const laneHeight = 24
const top = 18
const bottom = top + laneHeight * (lanes.length - 1) + 14
const ticksMax = 5
const ticks = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 172_800_000, 604_800_000, 2_592_000_000,
]
const fills: Readonly<Record<Tone, string>> = {
  plain: 'var(--v6)',
  ok: 'var(--ok)',
  fail: 'var(--fail)',
  doubt: 'var(--doubt)',
  wait: 'var(--wait)',
}

/** The payment on one axis to scale: a minute is twice as long as half a minute. */
export function TimelineChart({ steps, doubts }: TimelineChartProps) {
  const [ref, width] = useWidth<HTMLDivElement>(516)
  const start = steps[0]?.at ?? 0
  const end = Math.max(...steps.map(({ at }) => at), ...doubts.map(({ to }) => to))
  const total = Math.max(end - start, 1)
  const x = linear([0, total], [left + 6, width - right])
  const tick = ticks.find((each) => total / each <= ticksMax) ?? total
  const marks = Array.from({ length: Math.floor(total / tick) + 1 }, (_, count) => count * tick)
  return (
    <div className="overflow-hidden" ref={ref}>
      <svg
        aria-label={summaryOf(total, doubts)}
        className="block text-[11px]"
        height={bottom + 20}
        role="img"
        viewBox={`0 0 ${width} ${bottom + 20}`}
        width={width}
      >
        {doubts.map(({ from, to }) => (
          <Doubt from={x(from - start)} key={from} ms={to - from} to={x(to - start)} />
        ))}
        {lanes.map((lane, index) => (
          <g key={lane}>
            <text fill="var(--ink-2)" x={0} y={laneY(index) + 4}>
              {lane}
            </text>
            <path d={`M${left} ${laneY(index)}H${width - right}`} stroke="var(--grid)" />
          </g>
        ))}
        {marks.map((mark) => (
          <g key={mark}>
            <path d={`M${x(mark)} ${bottom}v4`} stroke="var(--axis)" />
            <text fill="var(--ink-3)" textAnchor="middle" x={x(mark)} y={bottom + 16}>
              {mark === 0 ? '0' : durationText(mark)}
            </text>
          </g>
        ))}
        {steps.map(({ at, lane, tone, fact }) => (
          <circle
            cx={x(at - start)}
            cy={laneY(lanes.indexOf(lane))}
            fill={fills[tone]}
            key={`${lane} ${at} ${fact}`}
            r={4}
            stroke="var(--surface)"
          >
            <title>{`${fact}, after ${durationText(at - start)}`}</title>
          </circle>
        ))}
      </svg>
    </div>
  )
}

const laneY = (index: number) => top + index * laneHeight

function Doubt({ from, to, ms }: { readonly from: number; readonly to: number; readonly ms: number }) {
  const text = `in doubt ${durationText(ms)}`
  const isWide = to - from > text.length * 6
  return (
    <g>
      <rect fill="var(--doubt-soft)" height={bottom - 2} width={Math.max(to - from, 2)} x={from} y={2} />
      {isWide && (
        <text fill="var(--doubt)" fontWeight={500} textAnchor="middle" x={(from + to) / 2} y={12}>
          {text}
        </text>
      )}
    </g>
  )
}

function summaryOf(total: number, doubts: readonly Band[]): string {
  const doubt = doubts.map(({ from, to }) => `in doubt for ${durationText(to - from)}`).join(', ')
  return `Timeline to scale over ${durationText(total)}${doubt === '' ? '' : `, ${doubt}`}`
}
