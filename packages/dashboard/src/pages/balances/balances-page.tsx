import { useQuery } from '@tanstack/react-query'
import { lazyRouteComponent, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import type { Place } from '../../api/place.ts'
import { permissionsIn, useMe } from '../../session.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { dayBefore } from '../../ui/time-text.ts'
import { zoneChoice, zoneName } from '../../ui/zone.ts'
import type { Wallet } from '../payouts/payout-draft.ts'
import { walletsQuery } from '../payouts/payout-queries.ts'
import type { Period } from './balance-queries.ts'
import { FlowCard } from './flow-card.tsx'
import { PeriodFields } from './period-fields.tsx'
import { RatesCard } from './rates-card.tsx'
import { StatementCard } from './statement-card.tsx'
import { WalletCards } from './wallet-cards.tsx'

/** Loaded when the page is there, so that it opens at once. */
const ConvertDialog = lazyRouteComponent(() => import('./convert-dialog.tsx'), 'ConvertDialog')

/** What the merchant has, and how it came to that. */
export function BalancesPage() {
  const place = useParams({ strict: false }) as Place
  const search = useSearch({ strict: false }) as Partial<Period>
  const navigate = useNavigate({ from: '/m/$merchantId/$env/balances' })
  const { data: user, error } = useQuery(walletsQuery(place))
  const [isConverting, setConverting] = useState(false)
  useEffect(() => void ConvertDialog.preload?.(), [])
  const may = permissionsIn(useMe(), place)
  const wallets = user?.wallets ?? []
  const wallet = chosenOf(wallets, search)
  const zone = zoneName(zoneChoice.use())
  const period = wallet && periodOf(wallet, search, zone)
  return (
    <Page
      actions={
        may.has('payouts:create') &&
        wallets.length > 1 && <Button onClick={() => setConverting(true)}>Convert between wallets</Button>
      }
      title="Balances"
    >
      <ActionProblem error={error} />
      {user && !wallet && <Empty title="No wallets yet">A wallet appears when the operator enables a currency.</Empty>}
      {user && wallet && period && (
        <>
          <WalletCards chosen={period} owed={user.owed} place={place} wallets={wallets} />
          <PeriodFields
            onChange={(days) => void navigate({ search: (before) => ({ ...before, ...days }), replace: true })}
            period={period}
          />
          <StatementCard period={period} place={place} />
          <FlowCard period={period} place={place} />
          <RatesCard
            currencies={[...new Set(wallets.map(({ currency }) => currency))]}
            currency={wallet.currency}
            place={place}
          />
          {isConverting && (
            <Suspense>
              <ConvertDialog from={wallet} onClose={() => setConverting(false)} place={place} wallets={wallets} />
            </Suspense>
          )}
        </>
      )}
    </Page>
  )
}

/** The wallet of the URL, or the one with the most to see. */
function chosenOf(wallets: readonly Wallet[], { currency, country }: Partial<Period>): Wallet | undefined {
  const same = wallets.filter((wallet) => wallet.currency === currency)
  return (
    same.find((wallet) => wallet.country === country) ??
    same[0] ??
    wallets.find(({ balance }) => balance !== 0) ??
    wallets[0]
  )
}

const daysShown = 30

function periodOf({ currency, country }: Wallet, search: Partial<Period>, zone: string): Period {
  const { startDate = dayBefore(daysShown - 1, zone), endDate = dayBefore(0, zone) } = search
  return { currency, country, startDate, endDate, zone }
}
