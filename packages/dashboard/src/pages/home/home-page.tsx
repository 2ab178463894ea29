import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { Place } from '../../api/place.ts'
import { permissionsIn, useMe } from '../../session.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { buttonLook } from '../../ui/button-look.ts'
import { Icon } from '../../ui/icons.tsx'
import { Page } from '../../ui/page.tsx'
import { Segments } from '../../ui/segments.tsx'
import { zoneChoice, zoneName, zoneWord } from '../../ui/zone.ts'
import { walletsQuery } from '../payouts/payout-queries.ts'
import { AttentionCard } from './attention-card.tsx'
import { EmptyHome } from './empty-home.tsx'
import { FlowCard } from './flow-card.tsx'
import { LatestPayments } from './latest-payments.tsx'
import { MethodRates } from './method-rates.tsx'
import { StatTiles } from './stat-tiles.tsx'
import { latestQuery, type Summary, summaryQuery } from './summary-query.ts'
import { WalletsCard } from './wallets-card.tsx'

/** More are a list that opens: none is left out. */
const segmentsMax = 5

/** Today in one currency, what needs a person, and the newest payments. */
export function HomePage() {
  const place = useParams({ strict: false }) as Place
  const { currency, wallets, latest, summary, isEmpty, zone, error } = useHome(place)
  return (
    <Page
      about={summary && <span className="max-phone:hidden">{todayText(summary, zoneWord(zone))}</span>}
      actions={<Actions currency={currency} place={place} summary={isEmpty ? undefined : summary} />}
      title="Home"
    >
      <ActionProblem error={error} />
      {summary && !isEmpty && (
        <StatTiles hoursPassed={Math.floor(hoursIn(summary)) + 1} place={place} summary={summary} />
      )}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 wide:grid-cols-[minmax(0,8fr)_minmax(0,4fr)]">
        <div className={column}>
          {isEmpty && <EmptyHome place={place} />}
          {summary && !isEmpty && <FlowCard now={hoursIn(summary)} summary={summary} />}
          {latest && !isEmpty && <LatestPayments payments={latest} place={place} />}
        </div>
        <div className={column}>
          {summary && (
            <div className="max-wide:-order-1">
              <AttentionCard attention={summary.attention} place={place} />
            </div>
          )}
          {summary && <MethodRates methods={summary.methods} />}
          {wallets && <WalletsCard currency={currency} place={place} wallets={wallets.filter(isUsed)} />}
        </div>
      </div>
    </Page>
  )
}

/** On a phone the parts are one column, with what needs attention first. */
const column = 'min-w-0 gap-4 max-wide:contents wide:grid'

/** The currency of the URL, else the usual one of the newest payments, else of the first wallet. */
function useHome(place: Place) {
  const search = useSearch({ strict: false }) as { readonly currency?: string }
  const zone = zoneChoice.use()
  const { data: user } = useQuery(walletsQuery(place))
  const latest = useQuery(latestQuery(place))
  const currency = search.currency ?? usualOf(latest.data ?? []) ?? user?.wallets[0]?.currency
  const summary = useQuery({
    ...summaryQuery(place, currency ?? '', zoneName(zone)),
    enabled: currency !== undefined && latest.data !== undefined,
  })
  return {
    currency,
    zone,
    wallets: user?.wallets,
    latest: latest.data,
    summary: summary.data,
    isEmpty: latest.data?.length === 0,
    error: latest.error ?? summary.error,
  }
}

/** A single payment in another currency does not change what the page shows. */
function usualOf(payments: readonly { readonly currency: string }[]): string | undefined {
  const byCurrency = [...Map.groupBy(payments, ({ currency }) => currency)]
  return byCurrency.toSorted(([, left], [, right]) => right.length - left.length)[0]?.[0]
}

const isUsed = ({ balance, pending }: { readonly balance: number; readonly pending: number }) =>
  balance !== 0 || pending !== 0

interface ActionsProps {
  readonly place: Place
  readonly currency: string | undefined
  readonly summary: Summary | undefined
}

function Actions({ place, currency, summary }: ActionsProps) {
  const may = permissionsIn(useMe(), place)
  const navigate = useNavigate()
  const currencies = [...new Set([currency ?? '', ...(summary?.currencies ?? [])])]
  return (
    <>
      {summary && currencies.length > 1 && (
        <CurrencyChoice
          chosen={currency ?? ''}
          currencies={currencies.toSorted((a, b) => a.localeCompare(b))}
          onChoose={(name) =>
            void navigate({ to: '/m/$merchantId/$env', params: place, search: { currency: name }, replace: true })
          }
        />
      )}
      {may.has('payouts:create') && (
        <Link className={buttonLook('primary')} params={place} to="/m/$merchantId/$env/payouts/new">
          <Icon name="plus" />
          New payout
        </Link>
      )}
    </>
  )
}

interface CurrencyChoiceProps {
  readonly chosen: string
  readonly currencies: readonly string[]
  readonly onChoose: (currency: string) => void
}

function CurrencyChoice({ chosen, currencies, onChoose }: CurrencyChoiceProps) {
  const options = currencies.map((name) => ({ name, word: name }))
  if (options.length <= segmentsMax)
    return <Segments chosen={chosen} label="Currency" onChoose={onChoose} options={options} />
  return (
    <select
      aria-label="Currency"
      className="h-8 rounded-sm border border-line-3 bg-surface px-2 font-medium max-phone:text-lg"
      onChange={({ target }) => onChoose(target.value)}
      value={chosen}
    >
      {currencies.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
}

/** Hours since the start of the day when the server counted, in the zone of the summary. */
function hoursIn({ at, zone }: Summary): number {
  const parts = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone })
  const [hours = 0, minutes = 0] = parts.format(new Date(at)).split(':').map(Number)
  return hours + minutes / 60
}

function todayText({ at, zone }: Summary, zoneText: string): string {
  const date = new Date(at)
  const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: zone })
  const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: zone })
  return `${day.format(date)}, until ${time.format(date)} ${zoneText}`
}
