import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useState } from 'react'
import { operatorApi } from '../../../api/operator-api.ts'
import type { Environment } from '../../../api/place.ts'
import { Dialog } from '../../../ui/dialog.tsx'
import { Money } from '../../../ui/money.tsx'
import { StatusBadge } from '../../../ui/status.tsx'
import { useDebounced } from '../../../ui/use-debounced.ts'
import { nameText } from '../parts/words.ts'

interface FindPaymentsProps {
  readonly env: Environment
  readonly onClose: () => void
}

const foundMax = 8

/** One box for everything that a customer or a provider may know of a payment. What is typed is in no URL. */
export function FindPayments({ env, onClose }: FindPaymentsProps) {
  return (
    <Dialog className="mt-[12vh] w-[640px] max-w-[calc(100vw-24px)]" isOpen onClose={onClose} title="Find payments">
      <Find env={env} onClose={onClose} />
    </Dialog>
  )
}

function Find({ env, onClose }: FindPaymentsProps) {
  const [typed, setTyped] = useState('')
  const [chosen, choose] = useState(0)
  // Support may search for few numbers in an hour, so the parts of one are not searched for.
  const query = useDebounced(typed.trim())
  const navigate = useNavigate()
  const { data, error } = useQuery({
    queryKey: ['operator', 'find', env, query],
    enabled: query.length > 1,
    queryFn: async ({ signal }) =>
      (await operatorApi('postPaymentsFind', { body: { query, env, limit: foundMax }, signal })).data.payments,
  })
  const found = data ?? []
  const open = (id: string | undefined) => {
    if (id === undefined) return
    onClose()
    void navigate({ to: '/operator/payments', search: { open: id, show: 'all' } })
  }
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => choose(Math.min(chosen + 1, found.length - 1)),
    ArrowUp: () => choose(Math.max(chosen - 1, 0)),
    Enter: () => open(found[chosen]?.id),
  }
  const press = (event: KeyboardEvent) => {
    const act = keys[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }
  return (
    <>
      <input
        aria-controls="found"
        aria-label="Phone, reference, receipt or provider key"
        className="w-full border-b border-line bg-transparent px-5 py-4 text-lg outline-none"
        onChange={(event) => {
          setTyped(event.target.value)
          choose(0)
        }}
        onKeyDown={press}
        placeholder="Phone, reference, receipt or provider key"
        value={typed}
      />
      <ul aria-label="Payments" className="max-h-[50vh] overflow-y-auto p-2" id="found">
        {found.map(({ id, merchant, externalReference, stage, amount, currency, matched }, index) => (
          <li key={id}>
            <button
              className={`flex w-full items-center gap-3 rounded-sm px-3 py-2 text-left ${index === chosen ? 'bg-selected' : ''}`}
              onClick={() => open(id)}
              type="button"
            >
              <span className="min-w-0 flex-1">
                <b className="block truncate font-medium">{merchant.name}</b>
                <small className="font-mono text-xs text-ink-3">{externalReference}</small>
              </span>
              <span className="text-xs text-ink-3">by {nameText(matched)}</span>
              <StatusBadge of={stage} />
              <Money amount={amount} currency={currency} />
            </button>
          </li>
        ))}
      </ul>
      <p aria-live="polite" className="px-5 pb-4 text-xs text-ink-3">
        {noteOf(query, data?.length, error)}
      </p>
    </>
  )
}

function noteOf(query: string, count: number | undefined, error: Error | null): string {
  if (error) return error.message
  if (query.length < 2) return 'A phone number, the merchant’s reference, the provider’s receipt or key, or txn_…'
  if (count === undefined) return 'Searching…'
  return count === 0 ? 'Nothing found.' : `${count} found`
}
