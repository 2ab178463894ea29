import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Place } from '../../api/place.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Legend } from '../../ui/charts/legend.tsx'
import { LineChart } from '../../ui/charts/line-chart.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Time } from '../../ui/time.tsx'
import { type Rate, ratesQuery } from './balance-queries.ts'

interface RatesCardProps {
  readonly place: Place
  readonly currency: string
  /** Of the other wallets. */
  readonly currencies: readonly string[]
}

/** The exchange rates of the last 30 days between the wallet's currency and another. */
export function RatesCard({ place, currency, currencies }: RatesCardProps) {
  const others = currencies.filter((other) => other !== currency)
  const [chosen, setChosen] = useState('')
  const other = others.includes(chosen) ? chosen : (others.find((each) => each === 'USD') ?? others[0])
  const [isTable, setTable] = useState(false)
  const { data, isLoading } = useQuery({ ...ratesQuery(place, currency, other ?? ''), enabled: other !== undefined })
  if (other === undefined) return null
  const rates = (data ?? []).toSorted((a, b) => a.updatedAt.localeCompare(b.updatedAt))
  return (
    <Card
      about="last 30 days"
      actions={
        rates.length > 0 && (
          <Button onClick={() => setTable(!isTable)}>{isTable ? 'View as chart' : 'View as table'}</Button>
        )
      }
      title="Exchange rates"
    >
      <SelectField
        className="mb-3 max-w-[220px]"
        label={`${currency} and`}
        onChange={({ target }) => setChosen(target.value)}
        options={others.map((value) => ({ value, word: value }))}
        value={other}
      />
      {rates.length === 0 && !isLoading && <p className="text-ink-3">No rate of this pair in the last 30 days.</p>}
      {rates.length > 0 && (isTable ? <RatesTable rates={rates} /> : <RatesChart rates={rates} />)}
    </Card>
  )
}

const sides = [
  { key: 'buy', word: 'you get', colour: 'var(--v1)', isDashed: false },
  { key: 'sell', word: 'you pay', colour: 'var(--v2)', isDashed: true },
] as const

function RatesChart({ rates }: { readonly rates: readonly Rate[] }) {
  const last = rates.at(-1)
  if (!last) return null
  const label = `${last.currencyPair}: for one unit you get ${last.buy} and pay ${last.sell} now`
  return (
    <>
      <LineChart
        label={label}
        series={sides.map(({ key, word, colour, isDashed }) => ({
          name: word,
          colour,
          isDashed,
          points: [
            ...rates.map((rate) => ({ at: new Date(rate.updatedAt), value: rate[key] })),
            { at: new Date(), value: last[key] },
          ],
        }))}
      />
      <Legend
        entries={sides.map(({ key, word, colour }) => ({
          word: `${last.currencyPair}, ${word}`,
          colour,
          value: Number(last[key].toPrecision(7)),
        }))}
      />
    </>
  )
}

const columns: readonly Column<Rate>[] = [
  { head: 'From', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  { head: 'Pair', cell: ({ currencyPair }) => currencyPair },
  { head: 'You get', isNumber: true, cell: ({ buy }) => buy },
  { head: 'You pay', isNumber: true, cell: ({ sell }) => sell },
]

const RatesTable = ({ rates }: { readonly rates: readonly Rate[] }) => (
  <div className="max-h-[320px] overflow-y-auto">
    <DataTable columns={columns} keyOf={({ updatedAt }) => updatedAt} label="Rates by time" rows={rates.toReversed()} />
  </div>
)
