import { useQuery } from '@tanstack/react-query'
import { operatorApi } from '../../../api/operator-api.ts'
import { amountsGrouped } from '../../../ui/amounts-grouped.ts'
import { TextField } from '../../../ui/field.tsx'
import { Note } from '../../../ui/note.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Postings } from '../parts/postings.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { useOperator } from '../parts/use-operator.ts'
import { type Payment, type Resolution, resolutionsQuery } from './queries.ts'

/** Both outcomes that a person can decide, each with the entries that it would make. */
export function Resolve({ payment }: { readonly payment: Payment }) {
  const { may } = useOperator()
  const { data, error } = useQuery({ ...resolutionsQuery(payment.id), enabled: may('payments:resolve') })
  if (!may('payments:resolve')) return null
  return (
    <section className="grid gap-2">
      <h3 className="text-xs font-medium text-ink-2">Resolve it by hand, with evidence</h3>
      <QueryProblem error={error} />
      <div className="flex flex-wrap gap-2">
        {data
          ?.filter(({ isPossible }) => isPossible)
          .map((resolution) => (
            <ResolveDialog key={resolution.outcome} payment={payment} resolution={resolution} />
          ))}
      </div>
      {data
        ?.filter(({ isPossible }) => !isPossible)
        .map(({ outcome, refusal }) => (
          <p className="text-xs text-ink-3" key={outcome}>
            Not as {outcome}: {refusal}.
          </p>
        ))}
    </section>
  )
}

interface ResolveDialogProps {
  readonly payment: Payment
  readonly resolution: Resolution
}

function ResolveDialog({ payment, resolution }: ResolveDialogProps) {
  const { outcome, postings, money, caution } = resolution
  const isLive = payment.env === 'live'
  const verb = isLive ? `Propose: ${outcome}` : `Resolve as ${outcome}`
  return (
    <FormDialog
      done={`Resolved as ${outcome}`}
      run={({ reason = '', evidence = '' }) =>
        operatorApi('postPaymentsPaymentResolve', {
          path: { payment: payment.id },
          body: { outcome, reason, evidence },
        })
      }
      title={`Resolve as ${outcome}`}
      verb={verb}
      word={verb}
    >
      {money !== undefined && <p className="text-ink-2">{amountsGrouped(money)}</p>}
      <Postings postings={postings} title="The ledger does this" />
      <Note look="fail">
        <p>This is final. It cannot be taken back.</p>
        {caution !== undefined && <p className="font-semibold">{amountsGrouped(caution)}</p>}
      </Note>
      {isLive && <p className="text-xs text-ink-3">Live money: another person must approve it before it happens.</p>}
      <TextField
        hint="What proves it: a line of a statement, a ticket of the provider in writing."
        label="Evidence"
        maxLength={500}
        name="evidence"
        required
      />
    </FormDialog>
  )
}
