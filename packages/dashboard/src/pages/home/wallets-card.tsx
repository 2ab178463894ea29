import { Link } from '@tanstack/react-router'
import type { Place } from '../../api/place.ts'
import { Card } from '../../ui/card.tsx'
import { countryText } from '../../ui/country.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { moneyParts } from '../../ui/money.tsx'
import type { Wallet } from '../payouts/payout-draft.ts'

const columns: readonly Column<Wallet>[] = [
  {
    head: 'Wallet',
    cell: ({ currency, country }) => (
      <>
        <b className="font-semibold">{currency}</b> <span className="text-ink-3">{countryText(country)}</span>
      </>
    ),
  },
  {
    head: 'Available',
    isNumber: true,
    cell: ({ available, currency }) => <Figure amount={available} currency={currency} />,
  },
  { head: 'Held', isNumber: true, cell: ({ pending, currency }) => <Figure amount={pending} currency={currency} /> },
]

/** The row names the currency. */
function Figure({ amount, currency }: { readonly amount: number; readonly currency: string }) {
  const { sign, whole, decimals } = moneyParts(amount, currency)
  return (
    <span className="whitespace-nowrap tabular-nums">
      {sign}
      <b className="font-semibold">{whole}</b>
      <span className="text-ink-3">{decimals}</span>
    </span>
  )
}

const shownMax = 6

interface WalletsCardProps {
  readonly place: Place
  readonly wallets: readonly Wallet[]
  /** The currency that the page is about. */
  readonly currency: string | undefined
}

/** What the merchant has: the wallet of this page and those with money held first. All are on the page of balances. */
export function WalletsCard({ place, wallets, currency }: WalletsCardProps) {
  const rank = (wallet: Wallet) => (wallet.currency === currency ? 2 : 0) + (wallet.pending > 0 ? 1 : 0)
  const shown = wallets.toSorted((a, b) => rank(b) - rank(a)).slice(0, shownMax)
  return (
    <Card
      actions={
        <Link
          className="text-xs font-medium text-brand hover:underline"
          params={place}
          to="/m/$merchantId/$env/balances"
        >
          {wallets.length > shownMax ? `All ${wallets.length}` : 'Balances'}
        </Link>
      }
      isFlush
      title="Wallets"
    >
      <DataTable
        columns={columns}
        empty={<p className="px-4 pb-4 text-ink-3">No wallet has money yet.</p>}
        keyOf={({ currency, country }) => `${currency} ${country}`}
        label="What each wallet holds"
        rows={shown}
      />
    </Card>
  )
}
