import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useShortcuts } from '../../../frame/shortcuts.ts'
import { Empty } from '../../../ui/empty.tsx'
import { Money } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status.tsx'
import { Time } from '../../../ui/time.tsx'
import { type VirtualColumn, VirtualTable } from '../../../ui/virtual-table.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { useOperator } from '../parts/use-operator.ts'
import { nameText, providerText, upperFirst } from '../parts/words.ts'
import { Drawer } from './drawer.tsx'
import { PaymentFilters } from './payment-filters.tsx'
import { PaymentPanel } from './payment-panel.tsx'
import { isOut, type ListedPayment, paymentsQuery } from './queries.ts'

/** Payments of all merchants: open ones that wait the longest first, or all of them with the newest first. */
export function OperatorPaymentsPage() {
  const { env } = useOperator()
  const { open, show, ...filters } = useSearch({ from: '/operator/payments' })
  const navigate = useNavigate({ from: '/operator/payments' })
  const wanted = { ...wantedOf(show), ...filters, env } as const
  const { data, error, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery(paymentsQuery(wanted as never))
  const payments = useMemo(() => data?.pages.flatMap((page) => page.payments) ?? [], [data])
  const setOpen = (id: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, open: id }) as never, replace: open !== undefined })
  const step = (by: number) => {
    const at = payments.findIndex(({ id }) => id === open)
    const next = payments[Math.max(0, at + by)]
    if (next) setOpen(next.id)
  }
  useShortcuts({ j: () => step(1), k: () => step(-1), Escape: () => setOpen(undefined) })
  const chosen = payments.find(({ id }) => id === open)
  return (
    <div className="flex h-full min-h-0">
      <section className="flex min-w-0 flex-1 flex-col">
        <header className="flex flex-wrap items-center gap-3 px-6 pt-5 pb-3 max-phone:px-4">
          <h1 className="text-xl font-semibold">Payments</h1>
          <span className="text-ink-3">All merchants, {env === 'live' ? 'live money' : 'sandbox'}</span>
        </header>
        <PaymentFilters />
        <div className="px-6">
          <QueryProblem error={error} />
        </div>
        {data && payments.length === 0 ? (
          <Empty title={show === 'all' ? 'No payments' : 'Nothing is open'}>
            {Object.keys(filters).length > 0
              ? 'No payment fits the filters.'
              : 'Payments appear here when merchants make them by the API.'}
          </Empty>
        ) : (
          <VirtualTable
            columns={columns}
            hasMore={hasNextPage && !isFetching}
            keyOf={({ id }) => id}
            label="Payments"
            onEnd={() => void fetchNextPage()}
            onOpen={({ id }) => setOpen(id)}
            opened={open}
            phoneRow={(payment) => <PhoneRow payment={payment} />}
            rows={payments}
          />
        )}
      </section>
      {open !== undefined && (
        <Drawer
          label="Payment"
          of={open}
          onClose={() => setOpen(undefined)}
          title={chosen ? `${chosen.merchant.name}, ${chosen.type}` : 'Payment'}
        >
          <PaymentPanel id={open} key={open} />
        </Drawer>
      )}
    </div>
  )
}

function wantedOf(show: string | undefined) {
  if (show === 'all') return { isDoubtOnly: false, isWithEnded: true }
  return { isDoubtOnly: show === 'doubt' }
}

const columns: readonly VirtualColumn<ListedPayment>[] = [
  { head: 'Time', width: '108px', cell: ({ createdAt }) => <Time at={createdAt} className="text-ink-2" /> },
  {
    head: 'Amount',
    width: '140px',
    isNumber: true,
    cell: ({ amount, currency, type }) => <Money amount={amount} currency={currency} isOut={isOut(type)} />,
  },
  { head: 'Status', width: '136px', cell: ({ stage }) => <StatusBadge of={stage} /> },
  { head: 'Merchant', width: 'minmax(120px,1fr)', cell: ({ merchant }) => merchant.name },
  {
    head: 'Reference',
    width: 'minmax(120px,1fr)',
    cell: ({ externalReference }) => <span className="font-mono text-xs">{externalReference}</span>,
  },
  { head: 'Kind', width: '90px', from: 'medium', cell: ({ type }) => upperFirst(type) },
  { head: 'Provider', width: '110px', from: 'large', cell: ({ provider }) => providerText(provider) || '–' },
  {
    head: 'Waits for',
    width: 'minmax(120px,1fr)',
    from: 'large',
    cell: ({ doubt }) => upperFirst(nameText(doubt)) || '–',
  },
]

/** Who and how much, then the reference and the status. */
function PhoneRow({ payment }: { readonly payment: ListedPayment }) {
  const { merchant, amount, currency, externalReference, stage, type } = payment
  return (
    <span className="grid h-full grid-cols-[1fr_auto] content-center gap-x-3 gap-y-0.5">
      <span className="truncate font-medium">{merchant.name}</span>
      <span className="text-right">
        <Money amount={amount} currency={currency} isOut={isOut(type)} />
      </span>
      <span className="truncate font-mono text-xs text-ink-3">{externalReference}</span>
      <span className="text-right">
        <StatusBadge of={stage} />
      </span>
    </span>
  )
}
