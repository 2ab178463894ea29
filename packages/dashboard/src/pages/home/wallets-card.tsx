import { Link } from '@tanstack/react-router'
import type { Place } from '../../api/place.ts'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Money } from '../../ui/money.tsx'
import type { Wallet } from '../payouts/payout-draft.ts'

const columns: readonly Column<Wallet>[] = [
  {
    head: 'Wallet',
    cell: ({ currency, country }) => (
      <>
        <b className="font-semibold">{currency}</b> <span className="text-ink-3">{country}</span>
      </>
    ),
  },
  {
    head: 'Available',
    isNumber: true,
    cell: ({ available, currency }) => <Money amount={available} currency={currency} />,
  },
  { head: 'Held', isNumber: true, cell: ({ pending, currency }) => <Money amount={pending} currency={currency} /> },
]

/** What the merchant has. Wallets that never held anything are on the page of balances. */
export function WalletsCard({ place, wallets }: { readonly place: Place; readonly wallets: readonly Wallet[] }) {
  return (
    <Card
      actions={
        <Link
          className="text-xs font-medium text-brand hover:underline"
          params={place}
          to="/m/$merchantId/$env/balances"
        >
          Balances
        </Link>
      }
      isFlush
      title="Wallets"
    >
      <DataTable
        columns={columns}
        keyOf={({ currency, country }) => `${currency} ${country}`}
        label="Wallets"
        rows={wallets}
      />
    </Card>
  )
}
