import { useQuery } from '@tanstack/react-query'
import { merchantApi } from '../api/merchant-api.ts'
import type { Place } from '../api/place.ts'
import { doubtsQuery } from '../pages/payments/payments-query.ts'

interface RailCountProps {
  readonly of: 'doubts' | 'approvals'
  readonly place: Place
  readonly may: ReadonlySet<string>
}

/** What waits on a page: payments in doubt, payouts to approve. Nothing is shown for none. */
export function RailCount({ of, place, may }: RailCountProps) {
  const doubts = useQuery({ ...doubtsQuery(place), enabled: of === 'doubts' && may.has('payments:read') })
  const approvals = useQuery({
    queryKey: ['approvals-count', place],
    enabled: of === 'approvals' && may.has('payouts:approve'),
    queryFn: async ({ signal }) => (await merchantApi(place)('getApprovals', { signal })).data.length,
  })
  const count = of === 'doubts' ? (doubts.data?.count ?? 0) : (approvals.data ?? 0)
  if (count === 0) return null
  const what = of === 'doubts' ? 'in doubt' : 'to approve'
  const look = of === 'doubts' ? 'bg-doubt-soft text-doubt' : 'bg-wait-soft text-wait'
  return (
    <span className={`ml-auto rounded-full px-1.5 text-2xs font-medium ${look}`} title={`${count} ${what}`}>
      {count}
      {of === 'doubts' && doubts.data?.hasMore && '+'}
      <span className="sr-only"> {what}</span>
    </span>
  )
}
