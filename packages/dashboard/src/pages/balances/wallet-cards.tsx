import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import { Button } from '../../ui/button.tsx'
import { countryText } from '../../ui/country.ts'
import { Money } from '../../ui/money.tsx'
import { useIsPhone } from '../../ui/use-media.ts'
import type { PaymentFilters } from '../payments/filters.ts'
import type { Wallet } from '../payouts/payout-draft.ts'
import type { Period } from './balance-queries.ts'

interface WalletCardsProps {
  readonly place: Place
  readonly wallets: readonly Wallet[]
  readonly owed: readonly Schemas['Debt'][]
  readonly chosen: Period
}

/** More than these are shown on request: a sandbox has a wallet in every currency. */
const shownMax = { phone: 4, wide: 8 }

/** One card for each wallet, the chosen one and those with money held or owed first. */
export function WalletCards({ place, wallets, owed, chosen }: WalletCardsProps) {
  const [isWhole, setWhole] = useState(false)
  const isChosen = ({ currency, country }: Wallet) => currency === chosen.currency && country === chosen.country
  const debtOf = ({ currency, country }: Wallet) =>
    owed.find((debt) => debt.currency === currency && debt.country === country)?.amount ?? 0
  const rank = (wallet: Wallet) =>
    (isChosen(wallet) ? 4 : 0) + (wallet.pending > 0 || debtOf(wallet) > 0 ? 2 : 0) + (wallet.balance !== 0 ? 1 : 0)
  const most = useIsPhone() ? shownMax.phone : shownMax.wide
  const ranked = wallets.toSorted((a, b) => rank(b) - rank(a))
  const shown = isWhole ? ranked : ranked.slice(0, most)
  return (
    <section aria-label="Wallets" className="grid gap-3">
      <ul className="grid gap-3 phone:grid-cols-2 wide:grid-cols-4">
        {shown.map((wallet) => (
          <WalletCard
            isChosen={isChosen(wallet)}
            key={`${wallet.currency} ${wallet.country}`}
            owed={debtOf(wallet)}
            place={place}
            wallet={wallet}
          />
        ))}
      </ul>
      {wallets.length > most && (
        <Button className="justify-self-start" look="quiet" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${wallets.length} wallets`}
        </Button>
      )}
    </section>
  )
}

interface WalletCardProps {
  readonly place: Place
  readonly wallet: Wallet
  readonly owed: number
  readonly isChosen: boolean
}

function WalletCard({ place, wallet, owed, isChosen }: WalletCardProps) {
  const { currency, country, available, pending, balance } = wallet
  return (
    <li
      className={`grid content-start gap-2.5 rounded-card border p-4 ${isChosen ? 'border-brand ring-1 ring-brand' : 'border-line'}`}
    >
      <Link
        aria-current={isChosen ? 'true' : undefined}
        className="grid gap-0.5 hover:text-brand"
        params={place}
        resetScroll={false}
        search={(before) => ({ ...before, currency, country })}
        to="/m/$merchantId/$env/balances"
      >
        <span className="font-medium text-ink-2">
          {currency} wallet, {countryText(country)}
        </span>
        <Money amount={available} className="text-xl" currency={currency} />
        <span className="text-xs text-ink-3">available{isChosen && ', statement below'}</span>
      </Link>
      <span className="grid gap-1 border-t border-line pt-2 text-xs">
        <span className="flex min-h-6 items-center justify-between gap-2 text-ink-2">
          Balance with held
          <Money amount={balance} currency={currency} />
        </span>
        <Part
          amount={pending}
          currency={currency}
          place={place}
          search={{ status: 'pending', type: 'withdrew', currency }}
          word="Held for payouts"
        />
        {owed > 0 && (
          <Part
            amount={owed}
            currency={currency}
            place={place}
            search={{ type: 'adjustment', currency }}
            word="Owed to the operator"
          />
        )}
      </span>
    </li>
  )
}

interface PartProps {
  readonly word: string
  readonly amount: number
  readonly currency: string
  readonly place: Place
  readonly search: PaymentFilters
}

/** A part of a balance, and the payments behind it. */
function Part({ word, amount, currency, place, search }: PartProps) {
  return (
    <Link
      className="flex min-h-6 items-center justify-between gap-2 text-ink-2 hover:text-brand hover:underline"
      params={place}
      search={search}
      to="/m/$merchantId/$env/payments"
    >
      {word}
      <Money amount={amount} currency={currency} />
    </Link>
  )
}
