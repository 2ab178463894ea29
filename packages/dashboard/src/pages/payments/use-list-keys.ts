import { useNavigate } from '@tanstack/react-router'
import type { Place } from '../../api/place.ts'
import { useShortcuts } from '../../frame/shortcuts.ts'
import { copyText } from '../../ui/copy-text.tsx'
import type { Payment } from './payments-query.ts'

interface ListKeys {
  readonly place: Place
  readonly may: ReadonlySet<string>
  readonly payments: readonly Payment[]
  /** The open payment. */
  readonly opened: string | undefined
  /** The row that has the keyboard. */
  readonly active: string | undefined
  readonly onActivate: (id: string) => void
  readonly onOpen: (id: string | undefined) => void
  readonly onToggle: (id: string) => void
  readonly onClear: () => void
  readonly onFilter: () => void
  readonly onExport: () => void
}

/** `j` and `k` walk along the rows, and along the payments while one is open. Returns the steps, for buttons. */
export function useListKeys(keys: ListKeys): (by: number) => void {
  const { place, may, payments, opened, active, onActivate, onOpen, onToggle, onClear, onFilter, onExport } = keys
  const navigate = useNavigate()
  const current = opened ?? active
  const step = (by: number) => {
    const at = payments.findIndex(({ transactionId }) => transactionId === current)
    const next = payments[at < 0 ? 0 : Math.min(Math.max(0, at + by), payments.length - 1)]
    if (!next) return
    onActivate(next.transactionId)
    if (opened !== undefined) onOpen(next.transactionId)
  }
  useShortcuts({
    j: () => step(1),
    k: () => step(-1),
    x: () => current !== undefined && onToggle(current),
    c: () => current !== undefined && void copyText(current, 'Transaction id'),
    f: onFilter,
    Escape: () => (opened === undefined ? onClear() : onOpen(undefined)),
    ...(may.has('payments:export') && { e: onExport }),
    ...(may.has('payouts:create') && {
      n: () => void navigate({ to: `/m/${place.merchantId}/${place.env}/payouts/new` as never }),
    }),
  })
  return step
}
