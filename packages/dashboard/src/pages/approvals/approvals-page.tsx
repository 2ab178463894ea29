import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Money } from '../../ui/money.tsx'
import { Note } from '../../ui/note.tsx'
import { Page } from '../../ui/page.tsx'
import { ShortTime, Time } from '../../ui/time.tsx'
import { usePlace } from '../use-place.ts'
import { makerOf, receiverOf, type WaitingPayout, waitingQuery } from './approvals-query.ts'
import { DecidedCard } from './decided-card.tsx'
import { DecisionCard } from './decision-card.tsx'
import { reasonWords } from './reasons.ts'

/** Payouts that a second person decides: the oldest first, with everything that the decision needs. */
export function ApprovalsPage() {
  const place = usePlace()
  const { open } = useSearch({ from: '/m/$merchantId/$env/approvals' })
  const navigate = useNavigate({ from: '/m/$merchantId/$env/approvals' })
  const { data: waiting, error } = useQuery(waitingQuery(place))
  const chosen = waiting?.find(({ transactionId }) => transactionId === open) ?? waiting?.[0]
  return (
    <Page about="A second person decides before the money leaves" title="Approvals">
      {error && <Note look="fail">{error.message}</Note>}
      <div className="grid items-start gap-4 wide:grid-cols-[7fr_5fr]">
        {chosen && (
          <div className="min-w-0 wide:order-last">
            <DecisionCard key={chosen.transactionId} payout={chosen} place={place} />
          </div>
        )}
        <div className={`grid min-w-0 gap-4 ${chosen ? '' : 'wide:col-span-2'}`}>
          <Card isFlush title={waiting && waiting.length > 0 ? `Waiting: ${waiting.length}` : 'Waiting'}>
            <DataTable
              columns={columnsOf((transactionId) => void navigate({ search: { open: transactionId } }))}
              empty={waiting && <NoneWaiting />}
              isSelected={({ transactionId }) => transactionId === chosen?.transactionId}
              keyOf={({ transactionId }) => transactionId}
              label="Payouts that wait for approval"
              rows={waiting ?? []}
            />
          </Card>
          <DecidedCard place={place} />
        </div>
      </div>
    </Page>
  )
}

const NoneWaiting = () => (
  <Empty title="No payout waits for approval">
    Payouts come here when a rule of your payout controls asks for a second person. The rules are in Settings, Payout
    controls.
  </Empty>
)

const columnsOf = (open: (transactionId: string) => void): readonly Column<WaitingPayout>[] => [
  {
    head: 'Beneficiary',
    cell: (payout) => (
      <button className="min-h-6 text-left" onClick={() => open(payout.transactionId)} type="button">
        <b className="block font-medium whitespace-nowrap">{receiverOf(payout)}</b>
        <span className="block font-mono text-xs text-ink-3">{payout.externalReference}</span>
      </button>
    ),
  },
  {
    head: 'Amount',
    isNumber: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} isOut />,
  },
  {
    head: 'Made by',
    isWideOnly: true,
    cell: (payout) => (
      <>
        <span className="block">{makerOf(payout)}</span>
        <Time at={payout.fullTimestamp} className="text-xs text-ink-3" />
      </>
    ),
  },
  {
    head: 'Why',
    isWideOnly: true,
    cell: ({ reasons }) => <span className="text-xs text-ink-2">{reasons.map(shortReason).join(', ')}</span>,
  },
  {
    head: 'Expires',
    isWideOnly: true,
    cell: ({ expiresAt }) => <ShortTime at={expiresAt} className="text-xs text-ink-3" />,
  },
]

const shortReason = (reason: string) => reasonWords[reason]?.short ?? reason
