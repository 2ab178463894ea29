import { Link } from '@tanstack/react-router'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import { Card } from '../../ui/card.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Money } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { ShortTime } from '../../ui/time.tsx'
import { counterpartyOf, isOut, kindOf, methodOf } from '../payments/counterparty.ts'

type Payment = Schemas['FoundTransaction']

/** The newest payments of every currency, each opened by a click. */
export function LatestPayments({ place, payments }: { readonly place: Place; readonly payments: readonly Payment[] }) {
  return (
    <Card
      actions={
        <Link
          className="text-xs font-medium text-brand hover:underline"
          params={place}
          to="/m/$merchantId/$env/payments"
        >
          All payments
        </Link>
      }
      isFlush
      title="Latest payments"
    >
      <ul>
        {payments.map((payment) => (
          <li className="border-t border-line" key={payment.transactionId}>
            <Link
              className="grid min-h-9 grid-cols-[20px_minmax(0,1fr)_auto] items-center gap-x-3 gap-y-0.5 px-4 py-1.5 hover:bg-hover phone:grid-cols-[20px_88px_minmax(0,1fr)_104px_136px_124px]"
              params={place}
              search={{ open: payment.transactionId }}
              to="/m/$merchantId/$env/payments"
            >
              <Row payment={payment} />
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Row({ payment }: { readonly payment: Payment }) {
  const out = isOut(payment)
  return (
    <>
      <span
        className={`grid size-5 place-items-center rounded-xs max-phone:row-span-2 ${out ? 'bg-surface-3 text-ink-2' : 'bg-ok-soft text-ok'}`}
      >
        <Icon name={out ? 'out' : 'in'} size={12} />
        <span className="sr-only">{kindOf(payment)}</span>
      </span>
      <ShortTime at={payment.fullTimestamp} className="text-ink-3 max-phone:hidden" />
      <span className="truncate">
        {counterpartyOf(payment)} <span className="text-ink-3 max-phone:hidden">{methodOf(payment)}</span>
      </span>
      <span className="truncate font-mono text-xs text-ink-2 max-phone:order-last max-phone:col-start-2">
        {payment.externalReference}
      </span>
      <span className="max-phone:order-last max-phone:justify-self-end">
        <StatusBadge of={payment.stage} />
      </span>
      <Money amount={payment.amount} className="text-right" currency={payment.currency} isOut={out} />
    </>
  )
}
