import { type FormEvent, type ReactNode, useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Operations } from '../../generated/merchant-api.ts'
import { exponents } from '../../generated/values.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, ReasonField, SelectField, TextField } from '../../ui/field.tsx'
import { useAction } from '../../ui/use-action.ts'
import { usePlace } from '../use-place.ts'
import type { Controls } from './settings-query.ts'

const names = ['perPayout', 'perMerchantDay', 'perCredentialDay', 'perBeneficiaryDay'] as const

const words = {
  perPayout: 'One payout',
  perMerchantDay: 'The merchant, a day',
  perCredentialDay: 'A person or key pair, a day',
  perBeneficiaryDay: 'A beneficiary, a day',
} as const

const currencyOptions = Object.keys(exponents).map((value) => ({ value, word: value }))

/** An empty field means no limit. */
const textOf = (amount: string) => (amount.trim() === '' ? 'none' : amount.trim())

interface LimitsDialogProps {
  readonly wanted: Controls['currencies'][number] | 'new' | undefined
  readonly onClose: () => void
}

export function LimitsDialog({ wanted, onClose }: LimitsDialogProps) {
  return (
    <Wide isOpen={wanted !== undefined} onClose={onClose} title="Set payout limits">
      {wanted !== undefined && <LimitsForm onClose={onClose} wanted={wanted} />}
    </Wide>
  )
}

function LimitsForm({ wanted, onClose }: LimitsDialogProps) {
  const place = usePlace()
  const now = wanted === 'new' ? undefined : wanted
  const [fields, setFields] = useState<Readonly<Record<string, string>>>({
    currency: now?.currency ?? 'KES',
    reason: '',
    ...Object.fromEntries(names.map((name) => [name, now?.[name] ?? ''])),
  })
  const set = (name: string) => (event: { target: { value: string } }) =>
    setFields({ ...fields, [name]: event.target.value })
  const save = useAction({
    run: (body: Operations['putPayoutControlsLimits']['body']) =>
      merchantApi(place)('putPayoutControlsLimits', { body }),
    done: () => 'Limits saved. They count from the next payout on.',
    changes: [['controls', place]],
    onDone: onClose,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const limits = Object.fromEntries(names.map((name) => [name, textOf(fields[name] ?? '')]))
    save.run({ ...limits, currency: fields['currency'] ?? '', reason: (fields['reason'] ?? '').trim() })
  }
  return (
    <form className="grid gap-4 p-5" onSubmit={submit}>
      <h2 className="text-lg font-semibold">Payout limits{now && ` in ${now.currency}`}</h2>
      {!now && (
        <SelectField label="Currency" onChange={set('currency')} options={currencyOptions} value={fields['currency']} />
      )}
      <div className="grid gap-3 phone:grid-cols-2">
        {names.map((name) => (
          <TextField
            hint="Empty: no limit"
            inputMode="decimal"
            key={name}
            label={words[name]}
            onChange={set(name)}
            value={fields[name]}
          />
        ))}
      </div>
      <ReasonField onChange={set('reason')} value={fields['reason']} />
      <Foot error={save.error} isBusy={save.isBusy} onClose={onClose} verb="Set the limits" />
    </form>
  )
}

interface ApprovalsDialogProps {
  /** Undefined: the dialog is closed. */
  readonly controls: Controls | undefined
  readonly onClose: () => void
}

export function ApprovalsDialog({ controls, onClose }: ApprovalsDialogProps) {
  return (
    <Wide isOpen={controls !== undefined} onClose={onClose} title="Change the approval rules">
      {controls && <ApprovalsForm controls={controls} onClose={onClose} />}
    </Wide>
  )
}

function ApprovalsForm({ controls, onClose }: ApprovalsDialogProps & { readonly controls: Controls }) {
  const place = usePlace()
  const aboveOf = (wanted: string) => controls.currencies.find((each) => each.currency === wanted)?.approvalAbove ?? ''
  const first = controls.currencies.find(({ approvalAbove }) => approvalAbove !== undefined)?.currency ?? 'KES'
  const [currency, setCurrency] = useState(first)
  const [above, setAbove] = useState(aboveOf(first))
  const [newBeneficiaries, setNewBeneficiaries] = useState(controls.newBeneficiariesNeedApproval)
  const [bulk, setBulk] = useState(controls.bulkNeedsApproval)
  const [reason, setReason] = useState('')
  const save = useAction({
    run: (body: Operations['putPayoutControlsApprovals']['body']) =>
      merchantApi(place)('putPayoutControlsApprovals', { body }),
    done: () => 'Rules saved. They count from the next payout on.',
    changes: [['controls', place]],
    onDone: onClose,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isChanged = above.trim() !== aboveOf(currency)
    save.run({ ...(isChanged && { currency, above: textOf(above) }), newBeneficiaries, bulk, reason: reason.trim() })
  }
  const choose = (next: string) => {
    setCurrency(next)
    setAbove(aboveOf(next))
  }
  return (
    <form className="grid gap-4 p-5" onSubmit={submit}>
      <h2 className="text-lg font-semibold">Approval rules</h2>
      <div className="grid gap-3 phone:grid-cols-2">
        <SelectField
          label="Currency"
          onChange={(event) => choose(event.target.value)}
          options={currencyOptions}
          value={currency}
        />
        <TextField
          hint="Empty: no approval by amount"
          inputMode="decimal"
          label="A second person decides above"
          onChange={(event) => setAbove(event.target.value)}
          value={above}
        />
      </div>
      <CheckField isChecked={newBeneficiaries} label="The first payout to an account" onChange={setNewBeneficiaries} />
      <CheckField isChecked={bulk} label="Every payout of a bulk" onChange={setBulk} />
      <ReasonField onChange={(event) => setReason(event.target.value)} value={reason} />
      <Foot error={save.error} isBusy={save.isBusy} onClose={onClose} verb="Set the rules" />
    </form>
  )
}

interface WideProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly title: string
  readonly children: ReactNode
}

const Wide = (props: WideProps) => <Dialog className="w-[520px] max-w-[calc(100vw-24px)]" {...props} />

interface FootProps {
  readonly error: Error | null
  readonly isBusy: boolean
  readonly verb: string
  readonly onClose: () => void
}

const Foot = ({ error, isBusy, verb, onClose }: FootProps) => (
  <>
    <ActionProblem error={error} />
    <div className="flex justify-end gap-2">
      <Button look="quiet" onClick={onClose}>
        Cancel
      </Button>
      <Button isBusy={isBusy} look="primary" type="submit">
        {verb}
      </Button>
    </div>
  </>
)
