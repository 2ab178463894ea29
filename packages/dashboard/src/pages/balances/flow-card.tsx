import { useQuery } from '@tanstack/react-query'
import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { Place } from '../../api/place.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import type { SankeyPart } from '../../ui/charts/money-sankey.tsx'
import { colourOf } from '../../ui/charts/series.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Money, moneyText } from '../../ui/money.tsx'
import { useIsPhone } from '../../ui/use-media.ts'
import { methodOf } from '../payments/counterparty.ts'
import { flowQuery, type MoneyFlow, type Period } from './balance-queries.ts'

/** A phone does not load it. */
const MoneySankey = lazyRouteComponent(() => import('../../ui/charts/money-sankey.tsx'), 'MoneySankey')

interface FlowCardProps {
  readonly place: Place
  readonly period: Period
}

interface Part extends SankeyPart {
  readonly side: 'In' | 'Out'
  readonly count: number | undefined
}

/** Where the money of a wallet came from and where it went, from the ledger. A phone is too narrow for the chart. */
export function FlowCard({ place, period }: FlowCardProps) {
  const { data: flow, error } = useQuery(flowQuery(place, period))
  const [isChosen, setTable] = useState(false)
  const isPhone = useIsPhone()
  const isTable = isChosen || isPhone
  const parts = flow ? partsOf(flow) : []
  const moved = parts.some(({ count }) => count !== undefined)
  return (
    <Card
      about={`${period.currency} wallet, ${period.startDate} to ${period.endDate}`}
      actions={
        moved &&
        !isPhone && <Button onClick={() => setTable(!isTable)}>{isTable ? 'View as chart' : 'View as table'}</Button>
      }
      isFlush={isTable}
      title="Money flow"
    >
      <ActionProblem error={error} />
      {flow && !moved && <Empty title="No money moved in these days" />}
      {flow && moved && <p className={`text-ink-3 ${isTable ? 'px-4' : ''} pb-3`}>{sentenceOf(flow)}</p>}
      {flow &&
        moved &&
        (isTable ? (
          <FlowTable currency={flow.currency} parts={parts} />
        ) : (
          <Suspense fallback={<div className="h-[300px]" />}>
            <MoneySankey
              label={sentenceOf(flow)}
              sources={parts.filter(({ side }) => side === 'In')}
              targets={parts.filter(({ side }) => side === 'Out')}
              wallet={`${flow.currency} wallet`}
            />
          </Suspense>
        ))}
    </Card>
  )
}

function sentenceOf({ currency, opening, totalIn, totalOut, closing }: MoneyFlow): string {
  const text = (amount: number) => moneyText(amount, currency)
  return `${text(opening)} at the start and ${text(totalIn)} in are ${text(totalOut)} out and ${text(closing)} at the end.`
}

const words: Readonly<Record<string, string>> = {
  charge: 'Charges',
  payout: 'Payouts',
  refund: 'Refunds',
  fee: 'Fees',
  exchange: 'Exchange',
  conversion: 'Conversions',
  adjustment: 'Adjustments',
  funding: 'Funding',
  archived: 'Archived lines',
}

const kindColours: Readonly<Record<string, string>> = {
  fee: 'var(--v5)',
  refund: 'var(--v4)',
  conversion: 'var(--v2)',
  exchange: 'var(--v2)',
}

function partsOf({ currency, opening, in: into, out, closing }: MoneyFlow): Part[] {
  const shown = (side: 'In' | 'Out', flows: MoneyFlow['in']) =>
    flows.map(({ kind, method, amount, count }): Part => {
      const word = words[kind] ?? kind
      return {
        side,
        name: method === '' ? word : `${word}, ${methodOf({ method }).toLowerCase()}`,
        amount,
        count,
        text: moneyText(amount, currency),
        colour: method === '' ? (kindColours[kind] ?? 'var(--v6)') : colourOf(method),
      }
    })
  const balance = (side: 'In' | 'Out', name: string, amount: number): Part[] =>
    amount === 0
      ? []
      : [{ side, name, amount, count: undefined, text: moneyText(amount, currency), colour: 'var(--v6)' }]
  return [
    ...balance('In', 'Opening balance', opening),
    ...shown('In', into),
    ...shown('Out', out),
    ...balance('Out', 'Closing balance', closing),
  ]
}

function FlowTable({ parts, currency }: { readonly parts: readonly Part[]; readonly currency: string }) {
  const columns: Column<Part>[] = [
    { head: 'Side', cell: ({ side }) => <span className="text-ink-3">{side}</span> },
    { head: 'What', cell: ({ name }) => name },
    { head: 'Lines', isNumber: true, cell: ({ count }) => count?.toLocaleString('en') ?? '' },
    { head: 'Amount', isNumber: true, cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
  ]
  return (
    <DataTable
      columns={columns}
      keyOf={({ side, name }) => `${side} ${name}`}
      label="Money flow by kind"
      rows={parts}
    />
  )
}
