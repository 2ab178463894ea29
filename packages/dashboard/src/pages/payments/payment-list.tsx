import { type ReactNode, useCallback, useMemo } from 'react'
import type { Place } from '../../api/place.ts'
import { Icon } from '../../ui/icons.tsx'
import { VirtualTable } from '../../ui/virtual-table.tsx'
import type { PaymentFilters } from './filters.ts'
import { EmptyList, FailedList, LoadingList, StaleNote } from './list-states.tsx'
import { PhoneRow, paymentColumns } from './payment-columns.tsx'
import type { Payment } from './payments-query.ts'
import { useLiveRows } from './use-live-rows.ts'
import type { Selection } from './use-selection.ts'

/** What the list needs of its query. */
interface LoadedList {
  readonly error: Error | null
  readonly isPending: boolean
  readonly isFetching: boolean
  readonly hasNextPage: boolean
  readonly dataUpdatedAt: number
  readonly fetchNextPage: () => unknown
  readonly refetch: () => unknown
}

interface PaymentListProps {
  readonly place: Place
  readonly filters: PaymentFilters
  readonly q: string
  readonly list: LoadedList
  readonly payments: readonly Payment[]
  readonly selection: Selection
  /** The row that has the keyboard. */
  readonly active: string | undefined
  readonly onOpen: (id: string) => void
  readonly onClear: () => void
}

/** The rows, or why there are none. Rows that cannot be read again stay, marked with their time. */
export function PaymentList(props: PaymentListProps) {
  const { place, filters, q, list, payments, selection, active, onOpen, onClear } = props
  const { error, isPending, isFetching, hasNextPage, dataUpdatedAt, fetchNextPage, refetch } = list
  const { waiting, fresh, showWaiting } = useLiveRows(place, filters, q)
  const columns = useMemo(() => paymentColumns(selection), [selection])
  const end = useCallback(() => void fetchNextPage(), [fetchNextPage])
  const openRow = useCallback(({ transactionId }: Payment) => onOpen(transactionId), [onOpen])
  if (isPending) return filled(<LoadingList />)
  if (error && payments.length === 0) return filled(<FailedList error={error} onAgain={() => refetch()} />)
  const isEmpty = payments.length === 0 && !hasNextPage
  const pill = waiting > 0 && <NewPill count={waiting} onShow={showWaiting} />
  return (
    <>
      {error && <StaleNote at={dataUpdatedAt} error={error} onAgain={end} />}
      {isEmpty ? (
        <div className="relative flex min-h-0 flex-1 flex-col">
          {pill}
          {filled(<EmptyList filters={filters} onClear={onClear} place={place} q={q} />)}
        </div>
      ) : (
        <VirtualTable
          columns={columns}
          focused={active}
          fresh={fresh}
          hasMore={hasNextPage && !isFetching && !error}
          keyOf={keyOf}
          label="Payments"
          onEnd={end}
          onOpen={openRow}
          opened={filters.open}
          overlay={pill}
          phoneRow={phoneRow}
          rows={payments}
          selected={selection.selected}
        />
      )}
    </>
  )
}

const keyOf = ({ transactionId }: Payment) => transactionId
const phoneRow = (payment: Payment) => <PhoneRow payment={payment} />

const filled = (content: ReactNode) => (
  <div className="min-h-0 flex-1 overflow-auto border-t border-line">{content}</div>
)

interface NewPillProps {
  readonly count: number
  readonly onShow: () => void
}

/** What is new waits here. It is announced once, when it appears; its count changes in silence. */
function NewPill({ count, onShow }: NewPillProps) {
  return (
    <>
      <p className="sr-only" role="status">
        There are new payments
      </p>
      <button
        className="absolute top-[-14px] left-1/2 z-10 inline-flex h-7 -translate-x-1/2 items-center gap-1.5 rounded-full bg-ink px-3.5 text-xs font-semibold text-surface shadow-raised"
        data-print="hidden"
        onClick={onShow}
        type="button"
      >
        <Icon name="up" size={12} />
        {count.toLocaleString('en')} new
      </button>
    </>
  )
}
