import type { Schemas } from '../generated/merchant-api.ts'
import { counterpartyOf, isOut } from '../pages/payments/counterparty.ts'
import { Icon } from '../ui/icons.tsx'
import { Money } from '../ui/money.tsx'
import { StatusBadge } from '../ui/status.tsx'
import { Time } from '../ui/time.tsx'
import { Marked } from './marked.tsx'

interface PaymentOptionProps {
  readonly payment: Schemas['FoundTransaction']
  readonly q: string
}

/** The reference and the other side, with what was typed marked, then how much and where it is. */
export function PaymentOption({ payment, q }: PaymentOptionProps) {
  const out = isOut(payment)
  return (
    <>
      <span
        className={`grid size-5 flex-none place-items-center rounded-xs ${out ? 'bg-surface-3 text-ink-2' : 'bg-ok-soft text-ok'}`}
      >
        <Icon name={out ? 'out' : 'in'} size={12} />
      </span>
      <span className="min-w-0 flex-1 truncate">
        <span className="font-mono text-xs">
          <Marked q={q} text={payment.externalReference} />
        </span>{' '}
        <span className="text-xs text-ink-3">
          <Marked q={q} text={counterpartyOf(payment)} />
          {payment.providerReceipt.toLowerCase() === q.toLowerCase() && (
            <>
              , <Marked q={q} text={payment.providerReceipt} />
            </>
          )}
          , <Time at={payment.fullTimestamp} />
        </span>
      </span>
      <Money amount={payment.amount} currency={payment.currency} isOut={out} />
      <span className="max-phone:hidden">
        <StatusBadge of={payment.stage} />
      </span>
    </>
  )
}
