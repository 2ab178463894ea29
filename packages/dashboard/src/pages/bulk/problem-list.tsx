import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import type { Place } from '../../api/place.ts'
import { Button } from '../../ui/button.tsx'
import { buttonLook } from '../../ui/button-look.ts'
import { TextField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icons.tsx'
import { plainMessage } from '../payouts/plain-message.ts'
import { type Column, columnOfField } from './bulk-file.ts'
import type { Bulk, CheckedRow } from './use-bulk.ts'

interface ProblemListProps {
  readonly place: Place
  readonly bulk: Bulk
}

/** Beyond this, the file itself must be corrected. */
const listedMax = 50

/** Every row that cannot be paid, with what is wrong and how to put it right, here or in the file. */
export function ProblemList({ place, bulk }: ProblemListProps) {
  const problems = bulk.rows.filter(({ state }) => state === 'problem')
  const leftOut = bulk.rows.filter(({ state }) => state === 'left-out')
  if (problems.length + leftOut.length === 0) return null
  return (
    <ul aria-label="Rows with problems" className="border-t border-line">
      {problems.slice(0, listedMax).map((checked) => (
        <ProblemRow bulk={bulk} checked={checked} key={checked.row.number} place={place} />
      ))}
      {problems.length > listedMax && (
        <li className="border-b border-line px-4 py-3 text-ink-3">
          {problems.length - listedMax} more. Correct the file and choose it again.
        </li>
      )}
      {leftOut.map(({ row }) => (
        <li className="flex items-center gap-3 border-b border-line px-4 py-2 last:border-0" key={row.number}>
          <span className="w-10 text-ink-3">{row.number}</span>
          <span className="min-w-0 flex-1 truncate text-ink-3">
            {row.fields.accountName ?? row.fields.externalReference} is left out.
          </span>
          <Button onClick={() => bulk.leaveOut(row.number, false)}>Take in again</Button>
        </li>
      ))}
    </ul>
  )
}

function ProblemRow({ checked, bulk, place }: ProblemListProps & { readonly checked: CheckedRow }) {
  const { row, problems } = checked
  const [edited, setEdited] = useState<Column>()
  const { accountName, accountNumber, externalAccountId, amount = '–', currency = '' } = row.fields
  const editable = [...new Set(problems.flatMap(({ field }) => columnOfField(field) ?? []))]
  return (
    <li className="grid grid-cols-[40px_minmax(0,1fr)] gap-x-3 gap-y-2 border-b border-line px-4 py-3 last:border-0 wide:grid-cols-[40px_minmax(0,200px)_minmax(0,1fr)_auto]">
      <span className="text-ink-3">
        <span className="sr-only">Row </span>
        {row.number}
      </span>
      <span className="min-w-0">
        <b className="block truncate font-medium">{accountName ?? externalAccountId ?? '–'}</b>
        <span className="block truncate text-xs text-ink-3">
          {accountNumber} · {currency} {amount}
        </span>
      </span>
      <span className="grid min-w-0 gap-1.5 max-wide:col-start-2">
        {problems.map(({ field, message, fix }) => (
          <span key={`${field} ${message}`}>
            <span className="flex gap-1.5 font-medium text-fail">
              <Icon className="mt-0.5" name="failed" size={14} />
              {plainMessage(message)}
            </span>
            <span className="block text-xs text-ink-3">{fix}</span>
          </span>
        ))}
      </span>
      <span className="flex flex-wrap items-start justify-end gap-1.5 max-wide:col-start-2 max-wide:justify-start">
        <EarlierPayment checked={checked} place={place} rows={bulk.rows} />
        {editable.map((column) => (
          <Button key={column} onClick={() => setEdited(column)}>
            Edit {words[column] ?? column}
          </Button>
        ))}
        <Button onClick={() => bulk.leaveOut(row.number, true)}>
          Leave out<span className="sr-only"> row {row.number}</span>
        </Button>
      </span>
      {edited !== undefined && (
        <EditForm
          column={edited}
          key={edited}
          onDone={(value) => {
            if (value !== undefined) bulk.edit(row.number, edited, value)
            setEdited(undefined)
          }}
          value={row.fields[edited] ?? ''}
        />
      )}
    </li>
  )
}

const words: Readonly<Partial<Record<Column, string>>> = {
  accountNumber: 'number',
  accountName: 'name',
  externalReference: 'reference',
  externalAccountId: 'beneficiary',
  businessNumber: 'business number',
  branchCode: 'branch',
  debitCurrency: 'wallet',
  debitCountry: 'wallet country',
}

interface EditFormProps {
  readonly column: Column
  readonly value: string
  readonly onDone: (value: string | undefined) => void
}

function EditForm({ column, value, onDone }: EditFormProps) {
  const [text, setText] = useState(value)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onDone(text)
  }
  return (
    <form className="col-start-2 flex flex-wrap items-end gap-2 wide:col-span-3" onSubmit={submit}>
      <TextField
        autoFocus
        label={`New ${words[column] ?? column}`}
        onChange={({ target }) => setText(target.value)}
        value={text}
      />
      <Button className="h-9" look="primary" type="submit">
        Check again
      </Button>
      <Button className="h-9" look="quiet" onClick={() => onDone(undefined)}>
        Cancel
      </Button>
    </form>
  )
}

const referenceUsed = 'E-API-D.S-28'

/** A reference that an earlier payment has leads to that payment, unless another row of the file has it too. */
function EarlierPayment({
  checked: { row, problems },
  rows,
  place,
}: {
  readonly checked: CheckedRow
  readonly rows: readonly CheckedRow[]
  readonly place: Place
}) {
  const reference = row.fields.externalReference ?? ''
  const isUsed = problems.some(({ errorCode }) => errorCode === referenceUsed)
  const isInFile = rows.some((other) => other.row !== row && other.row.fields.externalReference === reference)
  if (!isUsed || isInFile) return null
  return (
    <Link className={buttonLook()} params={place} search={{ open: reference }} to="/m/$merchantId/$env/payments">
      Open it
    </Link>
  )
}
