import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { lazyRouteComponent, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Suspense, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import type { Place } from '../../api/place.ts'
import { permissionsIn, useMe } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { CurrencySums } from '../../ui/currency-sums.tsx'
import { LinkButton } from '../../ui/link-button.tsx'
import { say } from '../../ui/toast.tsx'
import { zoneChoice } from '../../ui/zone.ts'
import { readPayment } from '../payment/payment-queries.ts'
import { exportPayments } from './export-payments.ts'
import { FilterBar } from './filter-bar.tsx'
import type { PaymentFilters } from './filters.ts'
import { ListFooter } from './list-footer.tsx'
import { sumsOf } from './list-sums.ts'
import { PaymentList } from './payment-list.tsx'
import { paymentsQuery } from './payments-query.ts'
import { SelectionBar } from './selection-bar.tsx'
import { useListKeys } from './use-list-keys.ts'
import { useSelection } from './use-selection.ts'
import { ViewTabs } from './view-tabs.tsx'

/** Once loaded it is drawn at once. `lazy` would show its fallback first, which React keeps for 300 ms. */
const PaymentDrawer = lazyRouteComponent(() => import('../payment/payment-drawer.tsx'), 'PaymentDrawer')

/** All payments of a merchant. Only the rows on the screen exist, however many are loaded. */
export function PaymentsPage() {
  const page = usePaymentsPage()
  const { place, filters, may, q, setQ, typed, active, add, selection, list, payments, show, open, step, startExport } =
    page
  const sums = useMemo(() => sumsOf(payments), [payments])
  const at = payments.findIndex(({ transactionId }) => transactionId === filters.open)
  return (
    <div className="flex wide:h-[calc(100dvh-var(--chrome))]" data-list>
      <section
        className={`flex min-w-0 flex-1 flex-col max-wide:h-[calc(100dvh-var(--chrome))] ${filters.open === undefined ? '' : 'max-wide:hidden'}`}
        data-print="hidden"
      >
        <Head may={may} onExport={startExport} place={place} />
        <ViewTabs filters={filters} onChoose={show} place={place} />
        <FilterBar addRef={add} filters={filters} onChange={show} onSearch={setQ} place={place} q={q} />
        <PaymentList
          {...{ place, filters, list, payments, selection }}
          active={filters.open === undefined ? active : undefined}
          onClear={() => {
            setQ('')
            show({})
          }}
          onOpen={open}
          q={typed}
        />
        {selection.ids.length > 0 && (
          <SelectionBar
            ids={selection.ids}
            mayResend={may.has('webhooks:resend') && may.has('webhooks:read')}
            onClear={selection.clear}
            place={place}
          />
        )}
        {list.data && !list.hasNextPage && <CurrencySums label="Completed" sums={sums} />}
        <ListFooter
          count={list.data ? payments.length : undefined}
          hasMore={list.hasNextPage}
          isLoading={list.isFetching}
          mayExport={may.has('payments:export')}
        />
      </section>
      {filters.open !== undefined && (
        <Suspense>
          <PaymentDrawer
            known={payments[at]}
            onClose={() => open(undefined)}
            onStep={at < 0 ? undefined : step}
            place={place}
            position={at < 0 ? undefined : { at, count: payments.length, hasMore: list.hasNextPage }}
            transactionId={filters.open}
          />
        </Suspense>
      )}
    </div>
  )
}

const from = '/m/$merchantId/$env/payments'

/** What the page shows, and what its keys and buttons do. */
function usePaymentsPage() {
  const place = useParams({ from })
  const filters = useSearch({ from })
  const navigate = useNavigate({ from })
  const queries = useQueryClient()
  const me = useMe()
  zoneChoice.use() // The days of the filters are of this zone.
  const may = useMemo(() => permissionsIn(me, place), [me, place])
  const [q, setQ] = useState('')
  const [active, setActive] = useState(filters.open)
  useEffect(() => void PaymentDrawer.preload?.(), []) // The first payment opens as fast as the next ones.
  const add = useRef<HTMLButtonElement>(null)
  const selection = useSelection()
  const typed = useDeferredValue(q.trim())
  const list = useInfiniteQuery(paymentsQuery(place, filters, typed))
  const payments = useMemo(() => list.data?.pages.flatMap((page) => page.data) ?? [], [list.data])
  const show = useCallback((search: PaymentFilters) => void navigate({ search: search as never }), [navigate])
  const open = useCallback(
    (id: string | undefined) => {
      if (id !== undefined) {
        readPayment(queries, place, id, may)
        setActive(id)
      }
      void navigate({ search: ((before: object) => ({ ...before, open: id })) as never, replace: id === undefined })
    },
    [navigate, queries, place, may],
  )
  const startExport = () =>
    void exportPayments(place, filters, typed).catch((error: Error) => say('The export did not start', error.message))
  const step = useListKeys({
    ...{ place, may, payments, active, opened: filters.open },
    onActivate: setActive,
    onOpen: open,
    onToggle: selection.toggle,
    onClear: selection.clear,
    onFilter: () => add.current?.click(),
    onExport: startExport,
  })
  return { place, filters, may, q, setQ, typed, active, add, selection, list, payments, show, open, step, startExport }
}

interface HeadProps {
  readonly place: Place
  readonly may: ReadonlySet<string>
  readonly onExport: () => void
}

function Head({ place, may, onExport }: HeadProps) {
  return (
    <header className="flex items-center gap-2 px-6 pt-5 pb-3 max-phone:px-4">
      <h1 className="flex-1 text-xl font-semibold tracking-[-0.01em]">Payments</h1>
      {may.has('payments:export') && (
        <Button className="max-phone:hidden" icon="download" onClick={onExport}>
          Export
        </Button>
      )}
      {may.has('payouts:create') && (
        <LinkButton icon="plus" look="primary" to={`/m/${place.merchantId}/${place.env}/payouts/new`}>
          New payout
        </LinkButton>
      )}
    </header>
  )
}
