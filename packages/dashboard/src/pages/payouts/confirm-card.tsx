import { useState } from 'react'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { readAmount } from '../../ui/amount.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/field.tsx'
import { moneyText } from '../../ui/money.tsx'
import type { PayoutCheck } from './use-payout-check.ts'

interface ConfirmCardProps {
  readonly check: PayoutCheck
  /** What else must be done first; undefined when nothing is missing. */
  readonly missing: string | undefined
  readonly isBusy: boolean
  readonly error: Error | null
  readonly onConfirm: () => void
}

/** The outcome by name. Above the approval rule the amount is typed again. */
export function ConfirmCard({ check, missing, isBusy, error, onConfirm }: ConfirmCardProps) {
  const [typed, setTyped] = useState('')
  const { validation, quote } = check
  const { amount = 0, currency = '', needsApproval = false } = validation ?? {}
  const wanted = readAmount(String(amount), currency).amount ?? ''
  const isTyped = !needsApproval || readAmount(typed, currency).amount === wanted
  const isReady = quote !== undefined && missing === undefined && isTyped
  return (
    <Card className="shadow-raised" title="Confirm">
      <div className="grid gap-3">
        {needsApproval && validation && (
          <TypedAmount
            currency={currency}
            isTyped={isTyped}
            onChange={setTyped}
            typed={typed}
            wanted={String(amount)}
          />
        )}
        <ActionProblem error={error} />
        <Button
          className="h-10"
          disabled={!isReady}
          icon={needsApproval ? 'person' : 'out'}
          isBusy={isBusy}
          look="primary"
          onClick={onConfirm}
        >
          {needsApproval
            ? 'Send for approval'
            : `Pay ${validation?.amount === undefined ? '' : moneyText(amount, currency)}`}
        </Button>
        <p className="text-xs text-ink-3">{nextWords(missing, needsApproval)}</p>
      </div>
    </Card>
  )
}

function nextWords(missing: string | undefined, needsApproval: boolean): string {
  if (missing !== undefined) return missing
  return needsApproval
    ? 'Another person who may approve decides, with a passkey, within 72 hours. The money is held from now; the price is fixed.'
    : 'The money is held from now and leaves when the provider confirms. A failed payout returns all of it.'
}

interface TypedAmountProps {
  readonly typed: string
  readonly wanted: string
  readonly currency: string
  readonly isTyped: boolean
  readonly onChange: (typed: string) => void
}

function TypedAmount({ typed, wanted, currency, isTyped, onChange }: TypedAmountProps) {
  const left = wanted.length - typed.trim().length
  const hint = isTyped ? 'The amount matches.' : `${Math.max(1, left)} more ${left > 1 ? 'digits' : 'digit'}`
  const isWrong = !isTyped && !wanted.startsWith(typed.trim())
  return (
    <>
      <p>Payouts that need approval are typed twice. The amount must match digit for digit.</p>
      <TextField
        hint={hint}
        inputMode="decimal"
        label={`Type ${wanted} to confirm, ${currency}`}
        onChange={({ target }) => onChange(target.value)}
        problem={isWrong ? `This is not ${wanted}.` : undefined}
        value={typed}
      />
    </>
  )
}
