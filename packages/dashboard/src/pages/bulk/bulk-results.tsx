import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Money } from '../../ui/money.tsx'
import { Note } from '../../ui/note.tsx'
import { Page } from '../../ui/page.tsx'
import { resultFile } from './bulk-file.ts'
import type { CheckedRow } from './use-bulk.ts'

export interface BulkResult {
  readonly checked: CheckedRow
  readonly outcome: Schemas['BulkResults']['data'][number]
}

interface BulkResultsProps {
  readonly place: Place
  readonly name: string
  readonly results: readonly BulkResult[]
  readonly onAnother: () => void
}

const shownFirst = 20

/** What became of each row, the refused ones first. */
export function BulkResults({ place, name, results, onAnother }: BulkResultsProps) {
  const refused = results.filter(({ outcome }) => !outcome.success)
  const accepted = results.length - refused.length
  const waiting = results.filter(({ checked, outcome }) => outcome.success && checked.item?.needsApproval).length
  const [isWhole, setWhole] = useState(false)
  const rows = [...refused, ...results.filter(({ outcome }) => outcome.success)]
  const most = refused.length + shownFirst
  return (
    <Page
      about={name}
      actions={<Actions onAnother={onAnother} results={results} />}
      title={`${accepted.toLocaleString('en')} payouts accepted`}
    >
      {waiting > 0 && (
        <Note look="wait">
          {waiting.toLocaleString('en')} wait until another person approves them. Their money is held; without a
          decision within 72 hours they are rejected and it returns.
        </Note>
      )}
      {refused.length > 0 && (
        <Note look="fail">
          {refused.length.toLocaleString('en')} were refused and nothing was paid for them. Each row says why.
        </Note>
      )}
      <Card about="in the order of the file, refused ones first" isFlush title="Rows">
        <DataTable
          columns={columnsFor(place)}
          keyOf={({ checked }) => String(checked.row.number)}
          label="Result of each row"
          rows={isWhole ? rows : rows.slice(0, most)}
        />
        {rows.length > most && !isWhole && (
          <div className="flex items-center justify-between border-t border-line px-4 py-2.5 text-ink-3">
            <span>
              {most.toLocaleString('en')} of {rows.length.toLocaleString('en')}
            </span>
            <Button onClick={() => setWhole(true)}>Show all</Button>
          </div>
        )}
      </Card>
    </Page>
  )
}

function Actions({ results, onAnother }: Pick<BulkResultsProps, 'results' | 'onAnother'>) {
  return (
    <>
      <Button icon="download" onClick={() => download(results)}>
        Download the results
      </Button>
      <Button onClick={onAnother}>Another file</Button>
    </>
  )
}

function download(results: readonly BulkResult[]): void {
  const lines = results.map(({ checked: { row, item }, outcome }) => [
    String(row.number),
    outcome.externalReference,
    String(item?.amount ?? ''),
    item?.currency ?? '',
    row.fields.accountName ?? '',
    outcome.success ? 'accepted' : (outcome.errorCode ?? 'refused'),
    outcome.transactionId ?? '',
    outcome.message,
  ])
  const url = URL.createObjectURL(new Blob([resultFile(lines)], { type: 'text/csv' }))
  const link = document.createElement('a')
  link.href = url
  link.download = 'payout-results.csv'
  link.click()
  URL.revokeObjectURL(url)
}

const columnsFor = (place: Place): Column<BulkResult>[] => [
  { head: 'Row', cell: ({ checked }) => <span className="text-ink-3">{checked.row.number}</span> },
  { head: 'Name', cell: ({ checked }) => checked.row.fields.accountName ?? checked.row.fields.externalAccountId },
  {
    head: 'Amount',
    isNumber: true,
    cell: ({ checked: { item } }) => <Money amount={item?.amount ?? 0} currency={item?.currency ?? ''} />,
  },
  {
    head: 'Reference',
    isWideOnly: true,
    cell: ({ outcome }) => <span className="font-mono text-xs">{outcome.externalReference}</span>,
  },
  { head: 'Result', cell: ({ checked, outcome }) => <Outcome checked={checked} outcome={outcome} /> },
  {
    head: 'Payment',
    cell: ({ outcome: { transactionId, externalReference } }) =>
      transactionId !== undefined && (
        <Link
          aria-label={`Open the payment ${externalReference}`}
          className="inline-block py-1 font-medium text-brand hover:underline"
          params={place}
          search={{ open: transactionId }}
          to="/m/$merchantId/$env/payments"
        >
          Open
        </Link>
      ),
  },
]

function Outcome({ checked, outcome }: BulkResult) {
  if (!outcome.success)
    return (
      <span className="flex gap-1.5 text-fail">
        <Icon className="mt-0.5" name="failed" size={14} />
        {outcome.message}
      </span>
    )
  return checked.item?.needsApproval ? 'Waits for approval' : 'Accepted'
}
