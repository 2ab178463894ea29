import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { operatorApi } from '../../../api/operator-api.ts'
import type { Schemas } from '../../../generated/operator-api.ts'
import { TextField } from '../../../ui/field.tsx'
import { Note } from '../../../ui/note.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Postings } from '../parts/postings.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { operatorKey, useOperator } from '../parts/use-operator.ts'
import type { SuspenseCase } from './suspense-page.tsx'

type Clearing = Schemas['Clearing']

const words: Readonly<Record<Clearing['kind'], { readonly word: string; readonly what: string }>> = {
  'credit-merchant': {
    word: 'Credit the merchant',
    what: 'The money belongs to the merchant: its wallet is credited by an adjustment, and it is notified.',
  },
  'debit-merchant': {
    word: 'Debit the merchant',
    what: 'The merchant got money that it must give back: its wallet is debited by an adjustment, and it is notified.',
  },
  'return-to-payer': {
    word: 'Return to the payer',
    what: 'You sent the money back to the payer at the provider. This records it.',
  },
  'write-off': { word: 'Write off', what: 'The case is closed against our own income or cost.' },
}

/** Every way to clear a case that is possible now, each with its entries before they are made. */
export function Clear({ found }: { readonly found: SuspenseCase }) {
  const { may } = useOperator()
  const [payment, setPayment] = useState('')
  const wanted = payment.trim() === '' ? {} : { payment: payment.trim() }
  const { data, error } = useQuery({
    queryKey: [operatorKey, 'clearings', found.id, wanted],
    enabled: may('payments:resolve'),
    queryFn: async ({ signal }) =>
      (await operatorApi('getSuspenseCaseIdClearings', { path: { caseId: found.id }, query: wanted, signal })).data,
  })
  if (!may('payments:resolve')) return null
  return (
    <section className="grid gap-3">
      <h3 className="text-xs font-medium text-ink-2">Clear it</h3>
      {found.transactionId === undefined && (
        <TextField
          hint="Needed to credit a merchant: txn_…, or the key of an attempt"
          label="Payment that the money belongs to"
          onChange={(event) => setPayment(event.target.value)}
          value={payment}
        />
      )}
      <QueryProblem error={error} />
      <div className="flex flex-wrap gap-2">
        {data
          ?.filter(({ isPossible }) => isPossible)
          .map((clearing) => (
            <ClearDialog clearing={clearing} found={found} key={clearing.kind} wanted={wanted} />
          ))}
      </div>
      {data
        ?.filter(({ isPossible }) => !isPossible)
        .map(({ kind, refusal }) => (
          <p className="text-xs text-ink-3" key={kind}>
            {words[kind].word} is not possible: {refusal?.replace(/: --.*$/, '')}.
          </p>
        ))}
    </section>
  )
}

interface ClearDialogProps {
  readonly found: SuspenseCase
  readonly clearing: Clearing
  readonly wanted: { readonly payment?: string }
}

function ClearDialog({ found, clearing: { kind, postings }, wanted }: ClearDialogProps) {
  const { word, what } = words[kind]
  const isLive = found.env === 'live'
  return (
    <FormDialog
      done="The case is cleared"
      run={({ reason = '', evidence = '' }) =>
        operatorApi('postSuspenseCaseIdClear', {
          path: { caseId: found.id },
          body: { kind, reason, evidence, ...wanted },
        })
      }
      title={word}
      verb={isLive ? `Propose: ${word.toLowerCase()}` : `${word} and close the case`}
      word={word}
    >
      <p className="text-ink-2">{what}</p>
      <Postings postings={postings} title="The ledger does this" />
      <Note look="fail">This is final. It cannot be taken back.</Note>
      {isLive && (
        <p className="text-xs text-ink-3">
          Live money: above the threshold another person must approve it before it happens.
        </p>
      )}
      <TextField
        hint="What proves it: a line of a statement, the reference of the refund."
        label="Evidence"
        maxLength={500}
        name="evidence"
        required
      />
    </FormDialog>
  )
}
