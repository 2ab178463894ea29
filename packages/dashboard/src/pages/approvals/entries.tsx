import { useQuery } from '@tanstack/react-query'
import type { Place } from '../../api/place.ts'
import { Money } from '../../ui/money.tsx'
import { entriesQuery } from './approvals-query.ts'

interface EntriesProps {
  readonly place: Place
  readonly transactionId: string
}

/** What the ledger holds for the payout, and what becomes of it by either decision. */
export function Entries({ place, transactionId }: EntriesProps) {
  const { data } = useQuery(entriesQuery(place, transactionId))
  if (!data || data.entries.length === 0) return null
  return (
    <>
      <h3 className="mt-3 mb-1 text-xs font-medium text-ink-2">The ledger holds this</h3>
      <table className="w-full">
        <thead className="sr-only">
          <tr>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          {data.entries.map(({ number, debit, credit, amount, currency }) => (
            <tr className="border-b border-line" key={number}>
              <td className="py-1.5">{debit.name}</td>
              <td className="py-1.5 text-ink-3">{credit.name}</td>
              <td className="py-1.5 text-right">
                <Money amount={amount} currency={currency} />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          {data.sums.map(({ currency, held, difference }) => (
            <tr className="border-t border-line-3" key={currency}>
              <th className="py-1.5 text-left font-semibold" colSpan={2} scope="row">
                Held
              </th>
              <td className="py-1.5 text-right">
                <span className={difference === '0' ? 'border-b-3 border-double border-ink' : ''}>
                  <Money amount={held} currency={currency} />
                </span>
              </td>
            </tr>
          ))}
        </tfoot>
      </table>
      <p className="mt-1.5 text-xs text-ink-3">
        Approved: the holds are posted when the provider confirms. Rejected: they end, and the money is available again.
      </p>
    </>
  )
}
