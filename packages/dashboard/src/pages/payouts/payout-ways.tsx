import { Link } from '@tanstack/react-router'
import type { Place } from '../../api/place.ts'
import { segmentLook } from '../../ui/segments.tsx'

const ways = [
  { word: 'One', to: '/m/$merchantId/$env/payouts/new' },
  { word: 'Many from a file', to: '/m/$merchantId/$env/payouts/bulk' },
] as const

/** One payout, or many. */
export function PayoutWays({ place }: { readonly place: Place }) {
  return (
    <nav aria-label="Ways to pay out" className="inline-flex gap-0.5 rounded-sm bg-surface-3 p-0.5">
      {ways.map(({ word, to }) => (
        <Link
          activeProps={{ className: 'bg-raised ring-1 ring-line', 'aria-current': 'page' }}
          className={`${segmentLook} text-ink`}
          key={word}
          params={place}
          to={to}
        >
          {word}
        </Link>
      ))}
    </nav>
  )
}
