import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Place } from '../../api/place.ts'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Money } from '../../ui/money.tsx'
import { Time } from '../../ui/time.tsx'
import { type DecidedPayout, decidedQuery, makerOf, receiverOf } from './approvals-query.ts'

/** What people decided lately. A toast is never the only record of a decision. */
export function DecidedCard({ place }: { readonly place: Place }) {
  const { data } = useQuery(decidedQuery(place))
  return (
    <Card isFlush title={data && data.length > 0 ? `Decided lately: ${data.length}` : 'Decided lately'}>
      <DataTable
        columns={columnsIn(place)}
        empty={data && <p className="px-4 pb-4 text-ink-3">No person has approved or rejected a payout yet.</p>}
        keyOf={({ transactionId }) => transactionId}
        label="Payouts that were decided lately"
        rows={data ?? []}
      />
    </Card>
  )
}

const columnsIn = (place: Place): readonly Column<DecidedPayout>[] => [
  {
    head: 'Payout',
    cell: (payout) => (
      <>
        <Link
          className="font-medium hover:text-brand hover:underline"
          params={place}
          search={{ open: payout.transactionId }}
          to="/m/$merchantId/$env/payments"
        >
          {receiverOf(payout)}
        </Link>
        <span className="block max-w-[200px] truncate font-mono text-xs text-ink-3 max-phone:max-w-[140px]">
          {payout.externalReference}
        </span>
        <span className="block text-xs text-ink-3">by {makerOf(payout)}</span>
      </>
    ),
  },
  {
    head: 'Amount',
    isNumber: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} isOut />,
  },
  {
    head: 'Decision',
    cell: (payout) => (
      <>
        <Decision payout={payout} />
        <span className="block text-xs text-ink-3">{payout.decidedByName}</span>
      </>
    ),
  },
  { head: 'Reason', isWideOnly: true, cell: ({ reason }) => <span className="text-xs text-ink-2">{reason}</span> },
  { head: 'Time', isWideOnly: true, cell: ({ decidedAt }) => <Time at={decidedAt} className="text-xs text-ink-3" /> },
]

function Decision({ payout: { decision } }: { readonly payout: DecidedPayout }) {
  const isApproved = decision === 'approved'
  return (
    <span className={`inline-flex items-center gap-1 text-xs font-medium ${isApproved ? 'text-ok' : 'text-fail'}`}>
      <Icon name={isApproved ? 'done' : 'failed'} size={13} />
      {isApproved ? 'Approved' : 'Rejected'}
    </span>
  )
}
