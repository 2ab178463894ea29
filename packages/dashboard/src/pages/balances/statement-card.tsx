import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { urlOf } from '../../api/call.ts'
import { merchantRoot } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { operations } from '../../generated/merchant-api.ts'
import { permissionsIn, useMe } from '../../session.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { buttonLook } from '../../ui/button-look.ts'
import { Card } from '../../ui/card.tsx'
import { countryText } from '../../ui/country.ts'
import { Empty } from '../../ui/empty.tsx'
import { Verified } from '../../ui/figures.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Money } from '../../ui/money.tsx'
import { Time } from '../../ui/time.tsx'
import { useIsPhone } from '../../ui/use-media.ts'
import { type VirtualColumn, VirtualTable } from '../../ui/virtual-table.tsx'
import { zoneChoice, zoneWord } from '../../ui/zone.ts'
import { kindOf, methodOf } from '../payments/counterparty.ts'
import { flowQuery, type Line, type Period, statementQuery } from './balance-queries.ts'

const headHeight = 36
const heightMax = 480

interface StatementCardProps {
  readonly place: Place
  readonly period: Period
}

/** Every movement of a wallet with the balance after it. */
export function StatementCard({ place, period }: StatementCardProps) {
  const { data, error, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery(statementQuery(place, period))
  const navigate = useNavigate()
  const may = permissionsIn(useMe(), place)
  const lines = useMemo(() => data?.pages.flatMap((page) => page.data.lines.map(numbered)) ?? [], [data])
  const rowHeight = useIsPhone() ? 60 : 36
  const columns = useMemo(() => columnsFor(period.currency), [period.currency])
  const [first, last] = [data?.pages[0]?.data, data?.pages.at(-1)?.data]
  const open = ({ transactionId }: Line) =>
    transactionId !== '' &&
    void navigate({ to: '/m/$merchantId/$env/payments', params: place, search: { open: transactionId } })
  return (
    <Card
      about={`${period.currency} wallet, ${countryText(period.country)}. Days and times in ${zoneWord(zoneChoice.use())}${may.has('payments:export') ? ', times in the CSV in UTC' : ''}`}
      actions={may.has('payments:export') && <Export period={period} place={place} />}
      isFlush
      title="Statement"
    >
      <div className="px-4">
        <ActionProblem error={error} />
      </div>
      {first && last && (
        <>
          <Totals period={period} place={place} />
          <Balance amount={first.opening} currency={period.currency} word={`Opening balance, ${period.startDate}`} />
          {lines.length === 0 ? (
            <Empty title="No movement in these days">Choose other days, or another wallet above.</Empty>
          ) : (
            <div
              className="flex flex-col"
              style={{ height: Math.min(lines.length * rowHeight + headHeight, heightMax) }}
            >
              <VirtualTable
                columns={columns}
                hasMore={hasNextPage && !isFetching}
                keyOf={({ key }) => key}
                label="Lines of the statement"
                onEnd={() => void fetchNextPage()}
                onOpen={open}
                phoneRow={(line) => <PhoneLine currency={period.currency} line={line} />}
                rows={lines}
              />
            </div>
          )}
          <Balance
            amount={last.closing}
            currency={period.currency}
            isVerified={!hasNextPage}
            word={
              hasNextPage ? 'Balance after the loaded lines; scroll for more' : `Closing balance, ${period.endDate}`
            }
          />
        </>
      )}
    </Card>
  )
}

/** What the ledger has for all of the days, also for lines that are not loaded. */
function Totals({ place, period }: StatementCardProps) {
  const { data: flow } = useQuery(flowQuery(place, period))
  if (!flow) return null
  const { opening, closing, totals, currency } = flow
  const figures = [
    ['Opening balance', opening],
    ['In', totals.in],
    ['Out', -totals.out],
    ['Fees', -totals.fees],
    ['Closing balance', closing],
  ] as const
  return (
    <dl aria-label="Totals" className="grid grid-cols-5 gap-x-4 gap-y-2 px-6 pb-4 max-wide:grid-cols-1 max-phone:px-4">
      {figures.map(([name, amount]) => {
        const shown = <Money amount={amount} currency={currency} />
        return (
          <div className="flex justify-between gap-x-4 wide:grid wide:justify-start" key={name}>
            <dt className="text-xs text-ink-3">{name}</dt>
            <dd>{name === 'Closing balance' ? <Verified>{shown}</Verified> : shown}</dd>
          </div>
        )
      })}
    </dl>
  )
}

type NumberedLine = Line & { readonly key: string }

/** A payment has several lines of one moment: its place makes each one known. */
const numbered = (line: Line, index: number): NumberedLine => ({
  ...line,
  key: `${line.at} ${line.transactionId} ${line.kind} ${line.balance} ${index}`,
})

interface BalanceProps {
  readonly word: string
  readonly amount: number
  readonly currency: string
  readonly isVerified?: boolean
}

function Balance({ word, amount, currency, isVerified = false }: BalanceProps) {
  const shown = <Money amount={amount} currency={currency} />
  return (
    <p className="flex flex-wrap justify-between gap-x-4 border-t border-line px-6 py-2.5 font-medium max-phone:px-4">
      {word}
      {isVerified ? <Verified>{shown}</Verified> : shown}
    </p>
  )
}

/** The server writes the file: what is exported is what the ledger has. */
function Export({ place, period }: StatementCardProps) {
  const url = urlOf(merchantRoot(place), operations.getExportsStatement, {
    query: { ...period, format: 'csv', bom: '1' },
  })
  return (
    <a
      className={buttonLook()}
      download={`statement-${period.currency}-${period.startDate}-${period.endDate}.csv`}
      href={url}
    >
      <Icon name="download" />
      Export CSV
    </a>
  )
}

const kinds: Readonly<Record<string, string>> = {
  fee: 'Fee',
  exchange: 'Exchange',
  refund: 'Refund',
  adjustment: 'Adjustment',
  funding: 'Funding',
  archived: 'Sum of archived lines',
}

/** What a line is for, in words. */
function kindText({ kind, type, method }: Line): string {
  const word = kinds[kind] ?? kindOf({ type })
  return method === '' ? word : `${word}, ${methodOf({ method }).toLowerCase()}`
}

const columnsFor = (currency: string): VirtualColumn<NumberedLine>[] => [
  { head: 'Time', width: '120px', cell: ({ at }) => <Time at={at} className="text-ink-2" /> },
  { head: 'Kind', width: 'minmax(150px,1fr)', cell: kindText },
  { head: 'Counterparty', width: 'minmax(120px,1fr)', from: 'medium', cell: ({ counterparty }) => counterparty },
  {
    head: 'Reference',
    width: 'minmax(120px,1fr)',
    from: 'large',
    cell: ({ externalReference }) => <span className="font-mono text-xs">{externalReference}</span>,
  },
  {
    head: 'Amount',
    width: '150px',
    isNumber: true,
    cell: ({ amount }) => <Money amount={amount} currency={currency} />,
  },
  {
    head: 'Balance',
    width: '150px',
    isNumber: true,
    cell: ({ balance }) => <Money amount={balance} currency={currency} />,
  },
]

function PhoneLine({ line, currency }: { readonly line: Line; readonly currency: string }) {
  return (
    <span className="grid h-full grid-cols-[1fr_auto] content-center gap-x-3 gap-y-0.5">
      <span className="truncate font-medium">{kindText(line)}</span>
      <Money amount={line.amount} currency={currency} />
      <Time at={line.at} className="text-xs text-ink-3" />
      <span className="text-xs text-ink-3">
        <Money amount={line.balance} currency={currency} />
      </span>
    </span>
  )
}
