import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { moneyText } from '../../ui/money.tsx'
import { problemOf, useAction } from '../../ui/use-action.ts'
import { fromMinor } from './minor-units.ts'
import type { OnePayment } from './payment-queries.ts'
import { readAmount } from './read-amount.ts'
import { RefundPreview } from './refund-preview.tsx'

interface RefundDialogProps {
  readonly place: Place
  readonly payment: OnePayment
  readonly onClose: () => void
}

/** Gives money of a charge back: how much, why, and the entries that it makes. */
export function RefundDialog(props: RefundDialogProps) {
  return (
    <Dialog
      className="w-[520px] max-w-[calc(100vw-24px)]"
      isOpen
      onClose={props.onClose}
      title={`Refund ${props.payment.externalReference}`}
    >
      <RefundForm {...props} />
    </Dialog>
  )
}

function RefundForm({ place, payment, onClose }: RefundDialogProps) {
  const { transactionId, currency, externalReference, refundable = 0 } = payment
  const [text, setText] = useState(String(refundable))
  const [reason, setReason] = useState('')
  const [typed, setTyped] = useState('')
  const [reference] = useState(() => `refund-${crypto.randomUUID().slice(0, 8)}`)
  const threshold = useThreshold(place, currency)
  const read = readAmount(text, currency, refundable)
  const amount = 'minor' in read ? Number(fromMinor(read.minor, currency)) : undefined
  const mustType = amount !== undefined && threshold !== undefined && amount > threshold
  const isReady = amount !== undefined && (!mustType || typed.trim() === text.trim())
  const action = useAction({
    run: (input: { readonly amount: number; readonly reason: string }, key) => {
      const body = { externalReference: reference, amount: input.amount, ...(input.reason && { reason: input.reason }) }
      return merchantApi(place)('postTransactionsTransactionIdRefunds', { path: { transactionId }, body, key })
    },
    done: (_, input) => `Refund of ${moneyText(input.amount, currency)} accepted`,
    changes: [
      ['payment', place, transactionId],
      ['user', place],
    ],
    onDone: onClose,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isReady) action.run({ amount, reason: reason.trim() })
  }
  return (
    <form className="grid gap-4 p-5" onSubmit={submit}>
      <h2 className="text-lg font-semibold">Refund {externalReference}</h2>
      <p className="text-ink-2">
        {moneyText(refundable, currency)} of {moneyText(payment.amount, currency)} can still be refunded. The money goes
        back the way it came.
      </p>
      <TextField
        hint={`At most ${moneyText(refundable, currency)}`}
        inputMode="decimal"
        label={`Amount in ${currency}`}
        onChange={(event) => setText(event.target.value)}
        problem={'problem' in read ? read.problem : problemOf(action.error, 'amount')}
        required
        value={text}
      />
      <TextField
        hint="Shown with the refund. Your customer does not get it."
        label="Reason"
        maxLength={200}
        onChange={(event) => setReason(event.target.value)}
        value={reason}
      />
      {amount !== undefined && <RefundPreview amount={amount} payment={payment} place={place} />}
      {mustType && (
        <TextField
          hint={`It is above ${moneyText(threshold, currency)}. Type ${text.trim()} to confirm.`}
          inputMode="decimal"
          label="Type the amount again"
          onChange={(event) => setTyped(event.target.value)}
          value={typed}
        />
      )}
      <ActionProblem error={action.error} />
      <div className="flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button disabled={!isReady} isBusy={action.isBusy} look="primary" type="submit">
          {amount === undefined ? 'Refund' : `Refund ${moneyText(amount, currency)}`}
        </Button>
      </div>
    </form>
  )
}

/** Above the amount from which payouts in this currency need approval, a refund is typed twice. */
function useThreshold(place: Place, currency: string): number | undefined {
  const { data } = useQuery({
    queryKey: ['payout-controls', place],
    queryFn: async ({ signal }) => (await merchantApi(place)('getPayoutControls', { signal })).data,
  })
  const above = data?.currencies.find((each) => each.currency === currency)?.approvalAbove
  return above === undefined || above === 'none' ? undefined : Number(above)
}
