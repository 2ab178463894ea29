import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Money } from '../../ui/money.tsx'
import type { CheckedRow } from './use-bulk.ts'

const shownFirst = 8

/** The rows that would be paid, in the order of the file. */
export function ReadyRows({ ready }: { readonly ready: readonly CheckedRow[] }) {
  const [isWhole, setWhole] = useState(false)
  if (ready.length === 0) return null
  return (
    <Card about="in the order of the file" isFlush title="Ready rows">
      <DataTable
        columns={columns}
        keyOf={({ row }) => String(row.number)}
        label="Rows to be paid"
        rows={isWhole ? ready : ready.slice(0, shownFirst)}
      />
      {ready.length > shownFirst && (
        <div className="flex items-center justify-between border-t border-line px-4 py-2.5 text-ink-3">
          <span>
            {(isWhole ? ready.length : shownFirst).toLocaleString('en')} of {ready.length.toLocaleString('en')}
          </span>
          <Button onClick={() => setWhole(!isWhole)}>{isWhole ? 'Show fewer' : 'Show all'}</Button>
        </div>
      )}
    </Card>
  )
}

const columns: readonly Column<CheckedRow>[] = [
  { head: 'Row', cell: ({ row }) => <span className="text-ink-3">{row.number}</span> },
  { head: 'Name', cell: ({ row }) => row.fields.accountName ?? row.fields.externalAccountId },
  { head: 'Account', cell: ({ row }) => row.fields.accountNumber, isWideOnly: true },
  { head: 'Destination', cell: ({ item, row }) => item?.operator?.name ?? row.fields.destination, isWideOnly: true },
  {
    head: 'Amount',
    isNumber: true,
    cell: ({ item }) => <Money amount={item?.amount ?? 0} currency={item?.currency ?? ''} />,
  },
  {
    head: 'Reference',
    isWideOnly: true,
    cell: ({ row }) => <span className="font-mono text-xs">{row.fields.externalReference}</span>,
  },
]
