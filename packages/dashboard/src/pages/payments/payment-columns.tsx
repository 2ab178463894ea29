import { CopyText } from '../../ui/copy-text.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Money, moneyParts } from '../../ui/money.tsx'
import { StatusBadge } from '../../ui/status.tsx'
import { ShortTime, Time } from '../../ui/time.tsx'
import type { VirtualColumn } from '../../ui/virtual-table.tsx'
import { counterpartyOf, feeOf, isOut, methodOf } from './counterparty.ts'
import type { Payment } from './payments-query.ts'

interface Selection {
  readonly selected: ReadonlySet<string>
  readonly toggle: (id: string) => void
}

/** By the width of the list: time, amount, status, counterparty and reference are never left out. */
export function paymentColumns({ selected, toggle }: Selection): readonly VirtualColumn<Payment>[] {
  return [
    {
      head: 'Select',
      width: '24px',
      isControl: true,
      isFitting: true,
      hasHiddenHead: true,
      cell: (payment) => (
        <Direction isSelected={selected.has(payment.transactionId)} onToggle={toggle} payment={payment} />
      ),
    },
    {
      head: 'Time',
      width: '',
      className: 'w-[108px] flex-none list-small:w-[90px]',
      cell: ({ fullTimestamp }) => <PaymentTime at={fullTimestamp} />,
    },
    {
      head: 'Amount',
      width: '',
      isNumber: true,
      className: 'w-[126px] flex-none pr-2 list-small:w-[114px] list-small:pr-0',
      cell: (payment) => <Amount payment={payment} />,
    },
    {
      head: 'Status',
      width: '',
      isFitting: true,
      className: 'w-[136px] flex-none list-small:w-[125px]',
      cell: ({ stage }) => <StatusBadge of={stage} />,
    },
    { head: 'Counterparty', width: 'minmax(124px,1fr)', title: counterpartyOf, cell: counterpartyOf },
    { head: 'Method', width: '96px', from: 'large', isFitting: true, cell: methodOf },
    {
      head: 'Reference',
      width: 'minmax(96px,1fr)',
      look: 'font-mono text-xs',
      title: ({ externalReference }) => externalReference,
      cell: ({ externalReference }) => externalReference,
    },
    { head: 'Fee', width: '72px', from: 'large', isNumber: true, look: 'text-ink-2 tabular-nums', cell: feeText },
    {
      head: 'Receipt',
      width: '96px',
      from: 'large',
      look: 'font-mono text-xs text-ink-2',
      cell: ({ providerReceipt }) => providerReceipt || '–',
    },
    {
      head: 'Transaction',
      width: '150px',
      from: 'large',
      isControl: true,
      isFitting: true,
      cell: ({ transactionId }) => <CopyText text={transactionId} what="Transaction id" />,
    },
  ]
}

const PaymentTime = ({ at }: { readonly at: string }) => (
  <>
    <Time at={at} className="text-ink-2 list-small:hidden" />
    <ShortTime at={at} className="hidden text-ink-2 list-small:inline" />
  </>
)

const Amount = ({ payment }: { readonly payment: Payment }) => (
  <Money amount={payment.amount} currency={payment.currency} isOut={isOut(payment)} />
)

function feeText(payment: Payment): string {
  const fee = feeOf(payment)
  if (fee === 0) return '–'
  const { whole, decimals } = moneyParts(fee, isOut(payment) ? payment.senderCurrency : payment.receiverCurrency)
  return `${whole}${decimals}`
}

interface DirectionProps {
  readonly payment: Payment
  readonly isSelected: boolean
  readonly onToggle: (id: string) => void
}

/** In or out; a click selects the payment. */
function Direction({ payment, isSelected, onToggle }: DirectionProps) {
  const out = isOut(payment)
  const look = isSelected ? 'bg-brand-solid text-ink-inverse' : out ? 'bg-surface-3 text-ink-2' : 'bg-ok-soft text-ok'
  return (
    <button
      aria-label={`Select ${payment.externalReference}, money ${out ? 'out' : 'in'}`}
      aria-pressed={isSelected}
      className="group grid size-6 place-items-center rounded-xs"
      onClick={() => onToggle(payment.transactionId)}
      tabIndex={-1}
      title={out ? 'Money out' : 'Money in'}
      type="button"
    >
      <Icon
        className={`size-5 rounded-xs p-1 group-hover:ring-1 group-hover:ring-line-3 ${look}`}
        name={isSelected ? 'check' : out ? 'out' : 'in'}
      />
    </button>
  )
}

/** In or out; who and how much, then the reference and the status. */
export function PhoneRow({ payment }: { readonly payment: Payment }) {
  const out = isOut(payment)
  return (
    <span className="grid h-full grid-cols-[20px_1fr_auto] content-center items-center gap-x-3 gap-y-1">
      <span className="row-span-2">
        <Icon
          className={`size-5 rounded-xs p-1 ${out ? 'bg-surface-3 text-ink-2' : 'bg-ok-soft text-ok'}`}
          name={out ? 'out' : 'in'}
        />
        <span className="sr-only">{out ? 'Out' : 'In'}</span>
      </span>
      <span className="truncate font-medium">{counterpartyOf(payment)}</span>
      <span className="text-right">
        <Amount payment={payment} />
      </span>
      <span className="truncate text-xs text-ink-3">{payment.externalReference}</span>
      <span className="text-right">
        <StatusBadge of={payment.stage} />
      </span>
    </span>
  )
}
