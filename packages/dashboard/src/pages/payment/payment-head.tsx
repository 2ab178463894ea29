import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Place } from '../../api/place.ts'
import { CopyText } from '../../ui/copy-text.tsx'
import { Icon, type IconName } from '../../ui/icons.tsx'
import { Money } from '../../ui/money.tsx'
import { Sentence } from '../../ui/sentence.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { useMedia } from '../../ui/use-media.ts'
import { counterpartyOf, feeOf, isOut, kindOf, methodOf } from '../payments/counterparty.ts'
import type { Payment } from '../payments/payments-query.ts'
import type { OnePayment } from './payment-queries.ts'

interface HeadProps {
  readonly place: Place
  readonly payment: HeadOf
}

/** What the list has of a payment, and all of it once it is read. */
type HeadOf = Payment & Partial<Pick<OnePayment, 'adjustments'>>

const looks: Readonly<Record<string, { readonly icon: IconName; readonly className: string }>> = {
  COMPLETED: { icon: 'done', className: 'border-line bg-surface-2' },
  FAILED: { icon: 'failed', className: 'border-fail-line bg-fail-soft' },
  EXPIRED: { icon: 'expired', className: 'border-line bg-surface-2' },
  UNCONFIRMED: { icon: 'doubt', className: 'border-doubt-line bg-doubt-soft' },
  AWAITING_CUSTOMER: { icon: 'hourglass', className: 'border-wait-line bg-wait-soft' },
  AWAITING_APPROVAL: { icon: 'person', className: 'border-wait-line bg-wait-soft' },
}
const processing = { icon: 'ring', className: 'border-line bg-surface-2' } as const

const tones: Readonly<Record<string, string>> = {
  COMPLETED: 'text-ok',
  FAILED: 'text-fail',
  UNCONFIRMED: 'text-doubt',
  AWAITING_CUSTOMER: 'text-wait',
  AWAITING_APPROVAL: 'text-wait',
}

/** What it is, how much, and one sentence that answers a customer. */
export function PaymentHead({ place, payment, isInDrawer }: HeadProps & { readonly isInDrawer: boolean }) {
  const out = isOut(payment)
  // Beside the list, the list has the first heading; alone, the payment has it.
  const isBeside = useMedia('(min-width: 1101px)') && isInDrawer
  const Title = isBeside ? 'h2' : 'h1'
  const { icon, className } = looks[payment.stage] ?? processing
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <span
          className={`grid size-5 place-items-center rounded-xs ${out ? 'bg-surface-3 text-ink-2' : 'bg-ok-soft text-ok'}`}
        >
          <Icon name={out ? 'out' : 'in'} size={12} />
        </span>
        <Title className="font-medium text-ink-2">
          {kindOf(payment)} · {methodOf(payment)}
        </Title>
        <span className="flex-1" />
        <StatusBadge of={payment.stage} />
      </div>
      <p>
        <Money
          amount={payment.amount}
          className="text-3xl tracking-[-0.02em]"
          currency={payment.currency}
          isOut={out}
        />
      </p>
      <p className={`flex gap-2.5 rounded-md border px-3.5 py-2.5 ${className}`}>
        <Icon className={`mt-0.5 ${tones[payment.stage] ?? 'text-ink-2'}`} name={icon} />
        <span className="min-w-0 break-words">
          <Sentence text={payment.explanation.sentence} />
        </span>
      </p>
      <Facts payment={payment} />
      <Related payment={payment} place={place} />
    </div>
  )
}

function Facts({ payment }: { readonly payment: HeadOf }) {
  const out = isOut(payment)
  const { externalReference, providerReceipt, beneficiary } = payment
  const fee = feeOf(payment)
  const name = beneficiary.accountName
  const facts: readonly (readonly [string, ReactNode])[] = [
    [out ? 'Beneficiary' : 'Customer', <Party key="party" name={out ? name : ''} text={counterpartyOf(payment)} />],
    ['Reference', <CopyText isWhole key="reference" text={externalReference} what="Reference" />],
    [
      'Provider receipt',
      providerReceipt === '' ? '–' : <CopyText isWhole key="receipt" text={providerReceipt} what="Receipt" />,
    ],
    [
      'Fee',
      fee === 0 ? (
        '–'
      ) : (
        <Money amount={fee} currency={out ? payment.senderCurrency : payment.receiverCurrency} key="fee" />
      ),
    ],
  ]
  return (
    <dl className="grid grid-cols-2 gap-x-5 gap-y-3 phone:grid-cols-[1.3fr_1.2fr_1.2fr_auto]">
      {facts.map(([word, value]) => (
        <div className="min-w-0" key={word}>
          <dt className="text-2xs text-ink-3">{word}</dt>
          <dd className="truncate leading-6 font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Party({ name, text }: { readonly name: string; readonly text: string }) {
  const whole = text.includes(name) ? text : `${name} ${text}`
  return <span title={whole}>{whole}</span>
}

/** Payments that belong to this one: the charge of a refund, the payment of an adjustment, and its own adjustments. */
function Related({ place, payment }: HeadProps) {
  const { refundOf, relatedTransactionId, adjustments = [], refunded = 0, currency } = payment
  const links = [
    ...(refundOf === undefined ? [] : [{ word: 'Refund of a charge', id: refundOf }]),
    ...(relatedTransactionId === undefined || relatedTransactionId === refundOf
      ? []
      : [{ word: 'Belongs to a payment', id: relatedTransactionId }]),
    ...adjustments.map((id) => ({ word: 'Adjusted after its end', id })),
  ]
  if (links.length === 0 && refunded === 0) return null
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-ink-2">
      {refunded > 0 && (
        <span>
          Refunded so far <Money amount={refunded} currency={currency} />
        </span>
      )}
      {links.map(({ word, id }) => (
        <Link
          className="font-medium text-brand underline-offset-2 hover:underline"
          key={id}
          params={place}
          search={{ open: id }}
          to="/m/$merchantId/$env/payments"
        >
          {word}
        </Link>
      ))}
    </p>
  )
}
