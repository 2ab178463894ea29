import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useState } from 'react'
import { merchantApi } from '../api/merchant-api.ts'
import type { Place } from '../api/place.ts'
import { counterpartyOf, isOut } from '../pages/payments/counterparty.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Money } from '../ui/money.tsx'
import { StatusBadge } from '../ui/status.tsx'

interface PaletteProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly place: Place
}

/** One box for everything that a customer may know of a payment. What is typed is in no URL of the page. */
export function Palette({ isOpen, onClose, place }: PaletteProps) {
  return (
    <Dialog className="mt-[12vh] w-[640px] max-w-[calc(100vw-24px)]" isOpen={isOpen} onClose={onClose} title="Search">
      <Search onClose={onClose} place={place} />
    </Dialog>
  )
}

const resultsMax = 8

function Search({ onClose, place }: Omit<PaletteProps, 'isOpen'>) {
  const [typed, setTyped] = useState('')
  const [chosen, choose] = useState(0)
  const q = useDeferredValue(typed.trim())
  const navigate = useNavigate()
  const { data: found = [], error } = useQuery({
    queryKey: ['search', place, q],
    enabled: q.length > 1,
    queryFn: async ({ signal }) =>
      (await merchantApi(place)('getSearchTransactions', { query: { q, limit: resultsMax }, signal })).data,
  })
  const open = (id: string | undefined) => {
    if (id === undefined) return
    onClose()
    void navigate({ to: '/m/$merchantId/$env/payments', params: place, search: { open: id } })
  }
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => choose(Math.min(chosen + 1, found.length - 1)),
    ArrowUp: () => choose(Math.max(chosen - 1, 0)),
    Enter: () => open(found[chosen]?.transactionId),
  }
  return (
    <>
      <input
        aria-controls="found"
        aria-label="Phone, reference, receipt or name"
        className="w-full border-b border-line bg-transparent px-5 py-4 text-lg outline-none"
        onChange={(event) => {
          setTyped(event.target.value)
          choose(0)
        }}
        onKeyDown={(event) => {
          const act = keys[event.key]
          if (!act) return
          event.preventDefault()
          act()
        }}
        placeholder="Phone, reference, receipt or name"
        value={typed}
      />
      <ul aria-label="Payments" className="max-h-[50vh] overflow-y-auto p-2" id="found">
        {found.map((payment, index) => (
          <li key={payment.transactionId}>
            <button
              className={`grid w-full grid-cols-[1fr_auto_auto] items-center gap-4 rounded-sm px-3 py-2 text-left ${index === chosen ? 'bg-selected' : ''}`}
              onClick={() => open(payment.transactionId)}
              onMouseMove={() => choose(index)}
              type="button"
            >
              <span className="min-w-0">
                <b className="block truncate font-medium">{counterpartyOf(payment)}</b>
                <small className="font-mono text-xs text-ink-3">{payment.externalReference}</small>
              </span>
              <StatusBadge of={payment.stage} />
              <Money amount={payment.amount} currency={payment.currency} isOut={isOut(payment)} />
            </button>
          </li>
        ))}
      </ul>
      <p aria-live="polite" className="px-5 pb-4 text-xs text-ink-3">
        {noteOf(q, found.length, error)}
      </p>
    </>
  )
}

function noteOf(q: string, count: number, error: Error | null): string {
  if (error) return error.message
  if (q.length < 2)
    return 'A phone number in any form, your reference, the provider’s receipt, an account number or a name.'
  return count === 0 ? 'Nothing found.' : `${count} found`
}
