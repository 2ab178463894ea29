import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { copyText } from '../../ui/copy-text.tsx'
import { moneyText } from '../../ui/money.tsx'
import { useAction } from '../../ui/use-action.ts'
import { type OnePayment, webhooksQuery } from './payment-queries.ts'
import { RefundDialog } from './refund-dialog.tsx'
import { summaryOf } from './summary-text.ts'
import { latestRecords } from './webhook-records.ts'

interface ActionsProps {
  readonly place: Place
  readonly payment: OnePayment
  readonly may: ReadonlySet<string>
}

/** What this person may do with the payment. The server decides; what it would refuse is not offered. */
export function PaymentActions({ place, payment, may }: ActionsProps) {
  const [open, setOpen] = useState<'refund' | 'cancel'>()
  const isPayer = may.has('payouts:create')
  const isRefundable = payment.type === 'deposit' && (payment.refundable ?? 0) > 0
  const close = () => setOpen(undefined)
  return (
    <footer
      className="sticky bottom-0 z-[1] mt-auto flex flex-wrap items-center gap-2 border-t border-line bg-surface px-5 py-3 max-wide:bottom-14 max-phone:px-4"
      data-print="hidden"
    >
      {may.has('webhooks:resend') && may.has('webhooks:read') && <Resend payment={payment} place={place} />}
      {isPayer && isRefundable && (
        <Button icon="out" onClick={() => setOpen('refund')}>
          Refund
        </Button>
      )}
      {isPayer && isCancellable(payment) && (
        <Button icon="close" look="danger" onClick={() => setOpen('cancel')}>
          Cancel payout
        </Button>
      )}
      <Button icon="copy" onClick={() => void copyText(summaryOf(payment), 'Summary')}>
        Copy summary
      </Button>
      <span className="flex-1" />
      <Button className="max-phone:hidden" icon="print" look="quiet" onClick={() => print()}>
        Print
      </Button>
      {open === 'refund' && <RefundDialog onClose={close} payment={payment} place={place} />}
      {open === 'cancel' && <CancelDialog onClose={close} payment={payment} place={place} />}
    </footer>
  )
}

/** Whether it may not have been sent yet. Only the server knows; it refuses to cancel what was sent. */
const isCancellable = ({ type, stage }: OnePayment) =>
  type === 'withdrew' && (stage === 'PROCESSING' || stage === 'AWAITING_APPROVAL')

function Resend({ place, payment }: Omit<ActionsProps, 'may'>) {
  const { queryKey } = webhooksQuery(place, payment.transactionId, true)
  const { data = [] } = useQuery(webhooksQuery(place, payment.transactionId, true))
  const records = latestRecords(data)
  const action = useAction({
    run: async (ids: readonly string[]) => {
      for (const id of ids) await merchantApi(place)('postWebhooksIdResend', { path: { id } })
    },
    done: (_, ids) => (ids.length === 1 ? 'Webhook sent again' : `Webhook sent again to ${ids.length} endpoints`),
    changes: [queryKey],
  })
  return (
    <>
      <Button
        disabled={records.length === 0}
        icon="resend"
        isBusy={action.isBusy}
        onClick={() => action.run(records.map(({ id }) => id))}
        title={records.length === 0 ? 'No webhook was made for this payment' : undefined}
      >
        Resend webhook
      </Button>
      {action.error && (
        <div className="order-first w-full">
          <ActionProblem error={action.error} />
        </div>
      )}
    </>
  )
}

interface DialogProps {
  readonly place: Place
  readonly payment: OnePayment
  readonly onClose: () => void
}

function CancelDialog({ place, payment, onClose }: DialogProps) {
  const { transactionId, senderAmount, senderCurrency, fee } = payment
  const action = useAction({
    run: (id: string, key) =>
      merchantApi(place)('postFiatPayoutTransactionIdCancel', { path: { transactionId: id }, key }),
    done: () => 'Payout cancelled',
    changes: [
      ['payment', place, transactionId],
      ['user', place],
    ],
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      error={action.error}
      isBusy={action.isBusy}
      isFinal
      isOpen
      onClose={onClose}
      onConfirm={() => action.run(transactionId)}
      title="Cancel this payout"
      verb="Cancel the payout"
    >
      <p className="text-ink-2">
        It is cancelled only if nothing was sent to the provider. Then {moneyText(senderAmount, senderCurrency)}
        {fee > 0 && ` and the fee of ${moneyText(fee, senderCurrency)}`} are available in your wallet again.
      </p>
    </ConfirmDialog>
  )
}
