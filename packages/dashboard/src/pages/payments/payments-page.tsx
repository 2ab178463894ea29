import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Place } from '../../api/place.ts'
import { useShortcuts } from '../../frame/shortcuts.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import { Icon } from '../../ui/icons.tsx'
import { Money } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { type VirtualColumn, VirtualTable } from '../../ui/virtual-table.tsx'
import { counterpartyOf, isOut, methodOf } from './counterparty.ts'
import { PaymentDrawer } from './payment-drawer.tsx'
import { paymentsQuery } from './payments-query.ts'

/** All payments of a merchant. Only the rows on the screen exist, however many are loaded. */
export function PaymentsPage() {
  const place = useParams({ strict: false }) as Place
  const filters = useSearch({ from: '/m/$merchantId/$env/payments' })
  const navigate = useNavigate({ from: '/m/$merchantId/$env/payments' })
  const { data, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery(paymentsQuery(place, filters, undefined))
  const payments = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data])
  const open = (transactionId: string | undefined) =>
    void navigate({
      search: (before) => ({ ...before, open: transactionId }) as never,
      replace: filters.open !== undefined,
    })
  useWalk(payments, filters.open, open)
  return (
    <div className="flex h-full min-h-0">
      <section className="flex min-w-0 flex-1 flex-col">
        <h1 className="px-6 py-4 text-xl font-semibold">Payments</h1>
        <VirtualTable
          columns={columns}
          hasMore={hasNextPage && !isFetching}
          keyOf={({ transactionId }) => transactionId}
          label="Payments"
          onEnd={() => void fetchNextPage()}
          onOpen={({ transactionId }) => open(transactionId)}
          opened={filters.open}
          phoneRow={(payment) => <PhoneRow payment={payment} />}
          rows={payments}
        />
      </section>
      {filters.open !== undefined && (
        <PaymentDrawer onClose={() => open(undefined)} place={place} transactionId={filters.open} />
      )}
    </div>
  )
}

/** `j` and `k` walk along the rows, also while a payment is open. */
function useWalk(
  payments: readonly Payment[],
  opened: string | undefined,
  open: (id: string | undefined) => void,
): void {
  const step = (by: number) => {
    const at = payments.findIndex(({ transactionId }) => transactionId === opened)
    const next = payments[Math.max(0, at + by)]
    if (next) open(next.transactionId)
  }
  useShortcuts({ j: () => step(1), k: () => step(-1), Escape: () => open(undefined) })
}

type Payment = Schemas['FoundTransaction']

const columns: readonly VirtualColumn<Payment>[] = [
  { head: 'Direction', width: '56px', cell: (payment) => <Direction payment={payment} /> },
  { head: 'Time', width: '120px', cell: ({ fullTimestamp }) => <Time at={fullTimestamp} className="text-ink-2" /> },
  { head: 'Amount', width: '150px', isNumber: true, cell: (payment) => <Amount payment={payment} /> },
  { head: 'Status', width: '150px', cell: ({ stage }) => <StatusBadge of={stage} /> },
  { head: 'Counterparty', width: 'minmax(140px,1fr)', cell: counterpartyOf },
  {
    head: 'Reference',
    width: 'minmax(120px,1fr)',
    cell: ({ externalReference }) => <span className="font-mono text-xs">{externalReference}</span>,
  },
  { head: 'Method', width: '120px', from: 'large', cell: methodOf },
]

const Amount = ({ payment }: { readonly payment: Payment }) => (
  <Money amount={payment.amount} currency={payment.currency} isOut={isOut(payment)} />
)

function Direction({ payment }: { readonly payment: Payment }) {
  const out = isOut(payment)
  return (
    <span
      className={`grid size-5 place-items-center rounded-xs ${out ? 'bg-surface-3 text-ink-2' : 'bg-ok-soft text-ok'}`}
      title={out ? 'Money out' : 'Money in'}
    >
      <Icon name={out ? 'out' : 'in'} size={12} />
      <span className="sr-only">{out ? 'Out' : 'In'}</span>
    </span>
  )
}

/** Who and how much, then the reference and the status. */
function PhoneRow({ payment }: { readonly payment: Payment }) {
  return (
    <span className="grid h-full grid-cols-[1fr_auto] content-center gap-x-3 gap-y-0.5">
      <span className="truncate font-medium">{counterpartyOf(payment)}</span>
      <Amount payment={payment} />
      <span className="truncate font-mono text-xs text-ink-3">{payment.externalReference}</span>
      <StatusBadge of={payment.stage} />
    </span>
  )
}
