import { zoneChoice, zoneName } from '../../ui/zone.ts'
import type { Delivery } from './developers-query.ts'

const hourMs = 3_600_000
const hours = 24
const size = { width: 720, height: 84, gap: 6 }

interface Hour {
  readonly at: number
  readonly delivered: number
  readonly failed: number
}

/** Deliveries of the last 24 hours that are loaded, by hour. */
function hoursOf(deliveries: readonly Delivery[], now: number): Hour[] {
  const first = Math.floor(now / hourMs) - hours + 1
  return Array.from({ length: hours }, (_, index) => {
    const at = (first + index) * hourMs
    const own = deliveries.filter(({ createdAt }) => Math.floor(Date.parse(createdAt) / hourMs) === first + index)
    const failed = own.filter(({ status }) => status === 'FAILED').length
    return { at, failed, delivered: own.filter(({ status }) => status === 'SUCCESS').length }
  })
}

/** Delivered below, failed on top of it. The sentence says the same. */
export function HealthBars({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const timeZone = zoneName(zoneChoice.use())
  const bars = hoursOf(deliveries, Date.now())
  const most = Math.max(1, ...bars.map(({ delivered, failed }) => delivered + failed))
  const y = (count: number) => (count / most) * (size.height - 20)
  const step = size.width / hours
  const total = (name: 'delivered' | 'failed') => bars.reduce((sum, bar) => sum + bar[name], 0)
  return (
    <svg
      aria-label={`Last 24 hours: ${total('delivered')} delivered, ${total('failed')} failed`}
      className="w-full text-ink-3"
      role="img"
      viewBox={`0 0 ${size.width} ${size.height}`}
    >
      {bars.map(({ at, delivered, failed }, index) => {
        const x = index * step + size.gap / 2
        const base = size.height - 18
        const height = y(delivered)
        return (
          <g key={at}>
            <rect fill="var(--v1)" height={height} rx="1.5" width={step - size.gap} x={x} y={base - height} />
            <rect
              fill="var(--v5)"
              height={y(failed)}
              rx="1.5"
              width={step - size.gap}
              x={x}
              y={base - height - y(failed)}
            />
            {index % 4 === 1 && (
              <text
                className="max-phone:hidden"
                fill="currentColor"
                fontSize="11"
                textAnchor="middle"
                x={x + (step - size.gap) / 2}
                y={size.height - 3}
              >
                {new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', timeZone })}
              </text>
            )}
          </g>
        )
      })}
      <path d={`M0 ${size.height - 17.5}H${size.width}`} stroke="var(--axis)" />
    </svg>
  )
}
