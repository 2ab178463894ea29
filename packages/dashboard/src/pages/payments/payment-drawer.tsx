import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import { Icon } from '../../ui/icons.tsx'
import { Money, moneyText } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'
import { counterpartyOf, isOut, kindOf, methodOf } from './counterparty.ts'
import { paymentQuery } from './payments-query.ts'

interface DrawerProps {
  readonly place: Place
  readonly transactionId: string
  readonly onClose: () => void
}

/** One payment: what happened, in one sentence, then by time. It pushes the list aside, and is a page on a phone. */
export function PaymentDrawer({ place, transactionId, onClose }: DrawerProps) {
  const { data: payment, error } = useQuery(paymentQuery(place, transactionId))
  const ref = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another payment takes the focus again.
  useEffect(() => ref.current?.focus(), [transactionId])
  return (
    <aside
      aria-label="Payment"
      className="flex w-[var(--drawer)] shrink-0 flex-col overflow-y-auto border-l border-line bg-surface outline-none max-wide:fixed max-wide:inset-0 max-wide:z-10 max-wide:w-full"
      ref={ref}
      tabIndex={-1}
    >
      <header className="flex items-center gap-2 px-5 py-3">
        <code className="truncate font-mono text-xs text-ink-3">{transactionId}</code>
        <span className="flex-1" />
        <button aria-label="Close" className="p-1.5" onClick={onClose} type="button">
          <Icon name="close" />
        </button>
      </header>
      {error && <p className="px-5 text-fail">{error.message}</p>}
      {payment && <Body payment={payment} />}
    </aside>
  )
}

type Payment = Schemas['OneTransaction']

function Body({ payment }: { readonly payment: Payment }) {
  const out = isOut(payment)
  return (
    <div className="grid gap-4 px-5 pb-6">
      <div className="flex items-center gap-2">
        <Icon name={out ? 'out' : 'in'} />
        <span className="font-medium">
          {kindOf(payment)} · {methodOf(payment)}
        </span>
        <span className="flex-1" />
        <StatusBadge of={payment.stage} />
      </div>
      <Money amount={payment.amount} className="text-3xl" currency={payment.currency} />
      <p className="rounded-md border border-line bg-surface-2 px-3.5 py-2.5">{payment.explanation.sentence}</p>
      <Facts payment={payment} />
      <Timeline payment={payment} />
    </div>
  )
}

function Facts({ payment }: { readonly payment: Payment }) {
  const facts = [
    [isOut(payment) ? 'Beneficiary' : 'Customer', counterpartyOf(payment)],
    ['Reference', payment.externalReference],
    ['Provider receipt', payment.providerReceipt || '–'],
    ['Fee', moneyText(payment.fee, isOut(payment) ? payment.senderCurrency : payment.receiverCurrency)],
  ] as const
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-3 phone:grid-cols-4">
      {facts.map(([name, value]) => (
        <div className="min-w-0" key={name}>
          <dt className="text-2xs text-ink-3">{name}</dt>
          <dd className="truncate font-medium" title={value}>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Timeline({ payment }: { readonly payment: Payment }) {
  return (
    <section>
      <h2 className="mb-2 text-md font-medium">Timeline</h2>
      <ol className="grid gap-3">
        {payment.timeline.map(({ at, stage, message }) => (
          <li className="grid grid-cols-[88px_auto_1fr] items-start gap-3" key={`${at} ${message}`}>
            <Time at={at} className="text-xs text-ink-3" />
            <StatusBadge of={stage} />
            <span>{message}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}
