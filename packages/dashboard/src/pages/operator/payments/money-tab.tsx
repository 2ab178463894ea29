import { moneyText } from '../../../ui/money.tsx'
import { DrawnEntries } from '../parts/drawn-entries.tsx'
import type { Payment } from './queries.ts'

/** The double entries of the payment, drawn, with what is posted. No double rule: each entry has both sides, so there is nothing to verify. */
export function MoneyTab({ payment: { entries, sums, externalReference } }: { readonly payment: Payment }) {
  if (entries.length === 0) return <p className="text-ink-3">No money has been touched.</p>
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
