import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactNode, useDeferredValue, useEffect, useId, useRef, useState } from 'react'
import type { Place } from '../api/place.ts'
import { searchPayments, type WantedPayments } from '../api/search-payments.ts'
import { exportPayments } from '../pages/payments/export-payments.ts'
import { permissionsIn, useMe } from '../session.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icons.tsx'
import { Marked } from './marked.tsx'
import { actionsFor, amountIn } from './palette-actions.ts'
import { PaymentOption } from './palette-payment.tsx'

interface PaletteProps {
  readonly onClose: () => void
  readonly place: Place
}

/** One box for everything that a customer may know of a payment. What is typed is in no URL. */
export function Palette({ onClose, place }: PaletteProps) {
  return (
    <Dialog className="mt-[12vh] mb-auto w-[640px] max-w-[calc(100vw-24px)]" isOpen onClose={onClose} title="Search">
      <Search onClose={onClose} place={place} />
    </Dialog>
  )
}

interface Option {
  readonly key: string
  readonly group: 'Payments' | 'Amounts' | 'Actions'
  readonly content: ReactNode
  readonly run: () => void
}

function Search({ onClose, place }: PaletteProps) {
  const [typed, setTyped] = useState('')
  const [chosen, choose] = useState(0)
  const q = useDeferredValue(typed.trim())
  const { options, note } = useOptions(place, q, onClose)
  const id = useId()
  const active = Math.min(chosen, options.length - 1)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector(`[data-at="${active}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [active])
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => choose((active + 1) % Math.max(options.length, 1)),
    ArrowUp: () => choose((active - 1 + options.length) % Math.max(options.length, 1)),
    Enter: () => options[active]?.run(),
  }
  const press = (event: KeyboardEvent) => {
    const act = keys[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }
  return (
    <>
      <label className="flex items-center gap-3 border-b border-line px-4">
        <Icon className="text-ink-2" name="search" />
        <input
          aria-activedescendant={options.length > 0 ? `${id}-${active}` : undefined}
          aria-autocomplete="list"
          aria-controls={id}
          aria-expanded="true"
          aria-label="Phone, reference, receipt, amount or name"
          className="h-12 min-w-0 flex-1 bg-transparent text-lg outline-none placeholder:text-ink-3"
          onChange={(event) => {
            setTyped(event.target.value)
            choose(0)
          }}
          onKeyDown={press}
          placeholder="Phone, reference, receipt, amount or name"
          role="combobox"
          value={typed}
        />
        <kbd>Esc</kbd>
      </label>
      <div aria-label="Results" className="max-h-[52vh] overflow-y-auto py-2" id={id} ref={list} role="listbox">
        {groups.map((group) => (
          <Group group={group} key={group}>
            {options.map((option, at) =>
              option.group === group ? (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the box above has the keyboard, and its keys choose and open.
                <div
                  aria-selected={at === active}
                  className={`flex min-h-[38px] cursor-default items-center gap-3 px-4 ${at === active ? 'bg-selected shadow-[inset_2px_0_0_var(--brand)]' : ''}`}
                  data-at={at}
                  id={`${id}-${at}`}
                  key={option.key}
                  onClick={option.run}
                  onMouseMove={() => choose(at)}
                  role="option"
                  tabIndex={-1}
                >
                  {option.content}
                </div>
              ) : null,
            )}
          </Group>
        ))}
      </div>
      <footer className="flex items-center gap-3 border-t border-line px-4 py-2 text-xs text-ink-3">
        <span className="whitespace-nowrap max-phone:hidden">
          <kbd>↑</kbd> <kbd>↓</kbd> move
        </span>
        <span className="whitespace-nowrap max-phone:hidden">
          <kbd>↵</kbd> open
        </span>
        <span aria-live="polite" className="flex-1 text-right">
          {note}
        </span>
      </footer>
    </>
  )
}

const groups = ['Payments', 'Amounts', 'Actions'] as const

function Group({ group, children }: { readonly group: string; readonly children: readonly ReactNode[] }) {
  if (children.every((child) => child === null)) return null
  return (
    // biome-ignore lint/a11y/useSemanticElements: a list box has groups, not field sets.
    <div aria-label={group} role="group">
      <p aria-hidden="true" className="px-4 pt-2 pb-1 text-2xs font-medium text-ink-3">
        {group}
      </p>
      {children}
    </div>
  )
}

const resultsMax = 8
const leastLength = 2

/** Payments that the text finds, payments of exactly that amount, and what the person may do. */
function useOptions(place: Place, q: string, onClose: () => void): { options: readonly Option[]; note: string } {
  const navigate = useNavigate()
  const may = permissionsIn(useMe(), place)
  const isReader = may.has('payments:read')
  const amount = amountIn(q)
  const search = useSearched(place, { q, limit: resultsMax }, isReader && q.length >= leastLength)
  const sums = useSearched(
    place,
    { minAmount: amount, maxAmount: amount, limit: resultsMax },
    isReader && amount !== undefined,
  )
  const go = (to: string, query: object = {}) => {
    onClose()
    void navigate({ to: to as never, search: query as never })
  }
  const startExport = () => {
    onClose()
    void exportPayments(place, {}, '')
  }
  const list = `/m/${place.merchantId}/${place.env}/payments`
  const payments = (search.data?.data ?? []).map(
    (payment): Option => ({
      key: payment.transactionId,
      group: 'Payments',
      content: <PaymentOption payment={payment} q={q} />,
      run: () => go(list, { open: payment.transactionId }),
    }),
  )
  const found = sums.data?.data.length ?? 0
  const amounts: Option[] =
    amount === undefined || found === 0
      ? []
      : [
          {
            key: 'amount',
            group: 'Amounts',
            content: <AmountOption amount={amount} count={`${found}${sums.data?.nextCursor ? '+' : ''}`} />,
            run: () => go(list, { minAmount: amount, maxAmount: amount }),
          },
        ]
  const actions = actionsFor(place, may, q).map(
    ({ word, icon, keys, to, isExport }): Option => ({
      key: word,
      group: 'Actions',
      content: (
        <>
          <Icon className="mx-0.5 text-ink-2" name={icon} />
          <span className="flex-1">
            <Marked q={q} text={word} />
          </span>
          {keys.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </>
      ),
      run: () => (isExport ? startExport() : go(to)),
    }),
  )
  const note = noteOf(q, search, found > 0)
  return { options: [...payments, ...amounts, ...actions], note }
}

interface Found {
  readonly data: { readonly data: readonly unknown[]; readonly ms: number } | undefined
  readonly error: Error | null
}

function noteOf(q: string, { data, error }: Found, hasAmounts: boolean): string {
  if (error) return error.message
  if (q.length < leastLength || !data) return 'A phone number in any form, a reference, a receipt, a name'
  if (data.data.length === 0 && !hasAmounts)
    return 'No payment has this: enter a whole reference, number, receipt or name'
  return `Searched in ${data.ms} ms`
}

/** The search with how long it took. */
function useSearched(place: Place, query: WantedPayments, isEnabled: boolean) {
  return useQuery({
    queryKey: ['search', place, query],
    enabled: isEnabled,
    queryFn: async ({ signal }) => {
      const start = performance.now()
      const page = await searchPayments(place, query, signal)
      return { ...page, ms: Math.round(performance.now() - start) }
    },
  })
}

function AmountOption({ amount, count }: { readonly amount: number; readonly count: string }) {
  return (
    <>
      <Icon className="mx-0.5 text-ink-2" name="search" />
      <span className="flex-1">
        Payments of exactly{' '}
        <mark className="rounded-xs bg-warn-soft px-0.5 font-semibold text-ink">{amount.toLocaleString('en')}</mark>
      </span>
      <span className="text-xs text-ink-3">{count} found</span>
    </>
  )
}
