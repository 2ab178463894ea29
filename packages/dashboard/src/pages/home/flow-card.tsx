import { useState } from 'react'
import { fromMinor, toMinor } from '../../ui/amount.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { type HourBar, HourChart } from '../../ui/charts/hour-chart.tsx'
import { Legend } from '../../ui/charts/legend.tsx'
import { colourOf, inOrder, outColour, refundColour } from '../../ui/charts/series.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { moneyParts, moneyText } from '../../ui/money.tsx'
import { methodOf } from '../payments/counterparty.ts'
import { dayText, total } from './stat-tiles.tsx'
import type { Summary } from './summary-query.ts'

type Hour = Summary['hours'][number]

interface FlowCardProps {
  readonly summary: Summary
  /** Hours since the start of the day, in the zone of the summary. */
  readonly now: number
}

/** Money in and out by hour, with last week behind it. Its sums are those of the tiles. */
export function FlowCard({ summary, now }: FlowCardProps) {
  const [isTable, setTable] = useState(false)
  const { currency, hours, lastWeek } = summary
  const methods = inOrder([...new Set(hours.flatMap((hour) => Object.keys(hour.in)))])
  return (
    <Card
      about={`${currency} by hour, completed, without fees`}
      actions={
        <>
          <span className="inline-flex items-center gap-1.5 text-xs text-ink-2 max-phone:hidden">
            <span className="w-4 border-t border-dashed border-[var(--ghost)]" />
            {dayText(lastWeek.day)}
          </span>
          <Button onClick={() => setTable(!isTable)}>{isTable ? 'View as chart' : 'View as table'}</Button>
        </>
      }
      isFlush={isTable}
      title="Collected, paid out and refunded"
    >
      {isTable ? (
        <HourTable methods={methods} summary={summary} />
      ) : (
        <>
          <HourChart
            bars={hours.map((hour) => barOf(hour, methods))}
            label={labelOf(summary)}
            now={now}
            tooltip={({ hour }) => <Tooltip currency={currency} hour={hours[hour]} methods={methods} />}
            wordsOf={({ hour }) => wordsOf(hours[hour], currency)}
          />
          <Legend entries={entriesOf(summary, methods)} />
        </>
      )}
    </Card>
  )
}

const barOf = (hour: Hour, methods: readonly string[]): HourBar => ({
  hour: hour.hour,
  parts: methods.map((method) => ({ colour: colourOf(method), value: amountOf(hour.in, method) })),
  outParts: [
    { colour: outColour, value: total(hour.out) },
    { colour: refundColour, value: hour.refunded },
  ],
  ghostIn: hour.lastWeekIn,
  ghostOut: hour.lastWeekOut + hour.lastWeekRefunded,
})

const amountOf = (byMethod: Readonly<Record<string, number>>, method: string) => byMethod[method] ?? 0

const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`
const spanOf = ({ hour }: Hour) => `${clock(hour)} to ${clock(hour + 1)}`

/** Exact, whatever the amounts. */
function sum(amounts: readonly number[], currency: string): string {
  return fromMinor(
    amounts.reduce((minor, amount) => minor + toMinor(amount, currency), 0n),
    currency,
  )
}

function figure(amount: number | string, currency: string): string {
  const { sign, whole, decimals } = moneyParts(amount, currency)
  return `${sign}${whole}${decimals}`
}

const paidOutIn = (hour: Hour) => Object.values(hour.out)

function labelOf({ currency, today: { collected, paidOut, refunded } }: Summary): string {
  const text = ({ amount }: { readonly amount: number }) => moneyText(amount, currency)
  return `Money by hour: ${text(collected)} collected, ${text(paidOut)} paid out and ${text(refunded)} refunded today`
}

function wordsOf(hour: Hour | undefined, currency: string): string {
  if (!hour) return ''
  const text = (amounts: readonly number[]) => moneyText(sum(amounts, currency), currency)
  const [collected, paid] = [text(Object.values(hour.in)), text(paidOutIn(hour))]
  return `${spanOf(hour)}: ${collected} collected, ${paid} paid out, ${text([hour.refunded])} refunded`
}

function entriesOf({ hours, currency }: Summary, methods: readonly string[]) {
  const entry = (word: string, colour: string, amounts: readonly number[]) => ({
    ...{ word, colour },
    value: figure(sum(amounts, currency), currency),
  })
  return [
    ...methods.map((method) =>
      entry(
        methodOf({ method }),
        colourOf(method),
        hours.map((hour) => amountOf(hour.in, method)),
      ),
    ),
    entry('Paid out', outColour, hours.flatMap(paidOutIn)),
    entry(
      'Refunded',
      refundColour,
      hours.map(({ refunded }) => refunded),
    ),
  ]
}

interface TooltipProps {
  readonly hour: Hour | undefined
  readonly methods: readonly string[]
  readonly currency: string
}

function Tooltip({ hour, methods, currency }: TooltipProps) {
  if (!hour) return null
  const rows = [
    { word: 'Collected', colour: 'transparent', amount: sum(Object.values(hour.in), currency) },
    ...methods.map((method) => ({
      word: methodOf({ method }),
      colour: colourOf(method),
      amount: sum([amountOf(hour.in, method)], currency),
    })),
    { word: 'Paid out', colour: outColour, amount: sum(paidOutIn(hour), currency) },
    { word: 'Refunded', colour: refundColour, amount: sum([hour.refunded], currency) },
    { word: 'Collected last week', colour: 'transparent', amount: sum([hour.lastWeekIn], currency) },
  ]
  return (
    <>
      <b className="mb-1.5 block font-semibold">{spanOf(hour)}</b>
      <dl className="grid gap-1">
        {rows.map(({ word, colour, amount }) => (
          <div className="flex items-center gap-1.5" key={word}>
            <dt className="flex flex-1 items-center gap-1.5 text-ink-2">
              <span className="size-2 shrink-0 rounded-[2px]" style={{ background: colour }} />
              {word}
            </dt>
            <dd className="font-medium tabular-nums">{figure(amount, currency)}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

const totals: readonly { readonly head: string; readonly read: (hour: Hour) => readonly number[] }[] = [
  { head: 'Paid out', read: paidOutIn },
  { head: 'Refunded', read: ({ refunded }) => [refunded] },
  { head: 'Collected last week', read: ({ lastWeekIn }) => [lastWeekIn] },
  { head: 'Paid out last week', read: ({ lastWeekOut }) => [lastWeekOut] },
  { head: 'Refunded last week', read: ({ lastWeekRefunded }) => [lastWeekRefunded] },
]

function HourTable({
  summary: { hours, currency },
  methods,
}: {
  readonly summary: Summary
  readonly methods: readonly string[]
}) {
  const columns: Column<Hour>[] = [
    { head: 'Hour', cell: spanOf },
    ...methods.map(
      (method): Column<Hour> => ({
        head: methodOf({ method }),
        isNumber: true,
        cell: (hour) => figure(amountOf(hour.in, method), currency),
      }),
    ),
    ...totals.map(
      ({ head, read }): Column<Hour> => ({
        head,
        isNumber: true,
        cell: (hour) => figure(sum(read(hour), currency), currency),
      }),
    ),
  ]
  return <DataTable columns={columns} keyOf={({ hour }) => String(hour)} label="Money by hour" rows={hours} />
}
