import { operatorApi } from '../../../api/operator-api.ts'
import { TextField } from '../../../ui/field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { useOperator } from '../parts/use-operator.ts'
import { providerText } from '../parts/words.ts'
import type { Float } from './floats.tsx'

/** Recording a top-up, and the threshold that raises the alert. */
export function FloatActions({ float }: { readonly float: Float }) {
  const { may } = useOperator()
  if (!may('money:move')) return null
  const { provider, env, country, currency, mark } = float
  const place = { provider, env, country, currency }
  const of = `at ${providerText(provider)} ${country} in ${currency}`
  return (
    <div className="flex flex-wrap gap-2">
      <FormDialog
        done="The float is adjusted"
        of={of}
        run={({ amount = '', evidence = '', reason = '' }) =>
          operatorApi('postFloatsAdjust', { body: { ...place, amount, evidence, reason } })
        }
        title={`Record a top-up ${of}`}
        verb={env === 'live' ? 'Propose the top-up' : 'Record the top-up'}
        word="Top up"
      >
        <p className="text-ink-2">
          Send the money to the provider first. This brings our books to its figure: debit float, credit treasury.
          {env === 'live' && ' Live money: another person must approve it.'}
        </p>
        <TextField
          hint={`In ${currency}. A minus takes away.`}
          inputMode="decimal"
          label="Amount"
          name="amount"
          required
        />
        <TextField
          hint="The bank line or the provider’s receipt. It is used once."
          label="Evidence"
          name="evidence"
          required
        />
      </FormDialog>
      <FormDialog
        done="The threshold is set"
        look="quiet"
        of={of}
        run={({ amount = '', reason = '' }) => operatorApi('putFloatsMark', { body: { ...place, amount, reason } })}
        title={`Threshold of the float ${of}`}
        verb="Set the threshold"
        word="Threshold"
      >
        <p className="text-ink-2">Below this amount the float is marked, and an alert is raised.</p>
        <TextField
          defaultValue={mark}
          hint={`In ${currency}`}
          inputMode="decimal"
          label="Amount"
          name="amount"
          required
        />
      </FormDialog>
    </div>
  )
}
