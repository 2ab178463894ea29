import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef } from 'react'
import type { Place } from '../../api/apis.ts'
import { useShortcuts } from '../../frame/shortcuts.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import { Icon } from '../../ui/icons.tsx'
import { Money } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { counterpartyOf, isOut, methodOf } from './counterparty.ts'
import { PaymentDrawer } from './payment-drawer.tsx'
import { paymentsQuery } from './payments-query.ts'

const rowHeight = 36
const columns = 'grid grid-cols-[32px_92px_150px_150px_minmax(140px,1fr)_minmax(120px,1fr)] items-center gap-3 px-6'

/** All payments of a merchant. Only the rows on the screen exist, however many are loaded. */
export function PaymentsPage() {
  const place = useParams({ strict: false }) as Place
  const filters = useSearch({ from: '/m/$merchantId/$env/payments' })
  const navigate = useNavigate({ from: '/m/$merchantId/$env/payments' })
  const { data, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery(paymentsQuery(place, filters, undefined))
  const payments = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data])
  const open = (transactionId: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, open: transactionId }) as never, replace: filters.open !== undefined })
  useWalk(payments, filters.open, open)
  return (
    <div className="flex h-full min-h-0">
      <section className="flex min-w-0 flex-1 flex-col">
        <h1 className="px-6 py-4 text-xl font-semibold">Payments</h1>
        <div className={`${columns} border-y border-line py-1.5 text-2xs font-medium text-ink-3`} role="row">
          <span />
          <span>Time</span>
          <span className="text-right">Amount</span>
          <span>Status</span>
          <span>Counterparty</span>
          <span>Reference</span>
        </div>
        <Rows
          hasMore={hasNextPage && !isFetching}
          onEnd={() => void fetchNextPage()}
          onOpen={open}
          opened={filters.open}
          payments={payments}
        />
      </section>
      {filters.open !== undefined && (
        <PaymentDrawer onClose={() => open(undefined)} place={place} transactionId={filters.open} />
      )}
    </div>
  )
}

/** `j` and `k` walk along the rows, also while a payment is open. */
function useWalk(payments: readonly Payment[], opened: string | undefined, open: (id: string | undefined) => void): void {
  const step = (by: number) => {
    const at = payments.findIndex(({ transactionId }) => transactionId === opened)
    const next = payments[Math.max(0, at + by)]
    if (next) open(next.transactionId)
  }
  useShortcuts({ j: () => step(1), k: () => step(-1), Escape: () => open(undefined) })
}

type Payment = Schemas['FoundTransaction']

interface RowsProps {
  readonly payments: readonly Payment[]
  readonly opened: string | undefined
  readonly hasMore: boolean
  readonly onOpen: (transactionId: string) => void
  readonly onEnd: () => void
}

function Rows({ payments, opened, hasMore, onOpen, onEnd }: RowsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({
    count: payments.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  })
  const rows = list.getVirtualItems()
  const last = rows.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && last >= payments.length - 20) onEnd()
  }, [hasMore, last, payments.length, onEnd])
  return (
    <div className="min-h-0 flex-1 overflow-y-auto" ref={scroller}>
      <div className="relative" style={{ height: list.getTotalSize() }}>
        {rows.map(({ index, start }) => {
          const payment = payments[index]
          return payment ? (
            <Row
              isOpened={payment.transactionId === opened}
              key={payment.transactionId}
              onOpen={onOpen}
              payment={payment}
              start={start}
            />
          ) : null
        })}
      </div>
    </div>
  )
}

interface RowProps {
  readonly payment: Payment
  readonly isOpened: boolean
  readonly start: number
  readonly onOpen: (transactionId: string) => void
}

function Row({ payment, isOpened, start, onOpen }: RowProps) {
  const out = isOut(payment)
  return (
    <button
      className={`${columns} absolute inset-x-0 h-9 border-b border-line text-left hover:bg-hover ${isOpened ? 'bg-selected shadow-[inset_2px_0_0_var(--brand)]' : ''}`}
      onClick={() => onOpen(payment.transactionId)}
      style={{ transform: `translateY(${start}px)` }}
      type="button"
    >
      <span className={`grid size-5 place-items-center rounded-xs ${out ? 'bg-surface-3 text-ink-2' : 'bg-ok-soft text-ok'}`}>
        <Icon name={out ? 'out' : 'in'} size={12} />
      </span>
      <Time at={payment.fullTimestamp} className="text-ink-2" />
      <span className="text-right">
        <Money amount={payment.amount} currency={payment.currency} isOut={out} />
      </span>
      <span>
        <StatusBadge of={payment.stage} />
      </span>
      <span className="truncate" title={methodOf(payment)}>
        {counterpartyOf(payment)}
      </span>
      <span className="truncate font-mono text-xs">{payment.externalReference}</span>
    </button>
  )
}
