import { moneyText } from '../../../ui/money.tsx'
import { Note } from '../../../ui/note.tsx'
import { DrawnEntries } from '../parts/drawn-entries.tsx'
import type { Payment } from './queries.ts'

/** The double entries of the payment, drawn, with what is posted. No double rule: each entry has both sides, so there is nothing to verify. */
export function MoneyTab({ payment }: { readonly payment: Payment }) {
  const { id, entries, archivedMonth } = payment
  if (archivedMonth === undefined)
    return entries.length === 0 ? (
      <p className="text-ink-3">No money has been touched.</p>
    ) : (
      <Entries payment={payment} />
    )
  return (
    <div className="grid gap-3">
      <Note>
        The ledger entries of {archivedMonth} are archived. This page shows only entries that were booked later. Read
        all with <code className="font-mono text-xs break-all">malipo archive read {id} --from FOLDER</code>
      </Note>
      {entries.length > 0 && <Entries payment={payment} />}
    </div>
  )
}

function Entries({ payment: { entries, sums, externalReference } }: { readonly payment: Payment }) {
  return (
    <div className="grid gap-3">
      <p className="text-xs text-ink-3">Arrow: from debit to credit. Dashed: held, or a hold that ended.</p>
      <DrawnEntries entries={entries} label={`Entries of ${externalReference}`} />
      {sums.length === 0 && <p className="text-ink-3">Nothing is posted yet.</p>}
      {sums.map(({ currency, debits, credits }) => (
        <p className="text-xs text-ink-2" key={currency}>
          {currency} debits <b className="font-semibold">{moneyText(debits, currency)}</b>, credits{' '}
          <b className="font-semibold">{moneyText(credits, currency)}</b>
        </p>
      ))}
    </div>
  )
}
