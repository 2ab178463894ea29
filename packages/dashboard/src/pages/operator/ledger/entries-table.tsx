import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { moneyParts } from '../../../ui/money.tsx'
import { Time } from '../../../ui/time.tsx'
import { accountLines } from '../parts/words.ts'
import type { Entry } from './queries.ts'

interface EntriesTableProps {
  readonly entries: readonly Entry[]
  readonly currency: string
  readonly opened: string | undefined
  readonly onOpen: (transactionId: string) => void
}

/** Each entry with the balance after it. */
export function EntriesTable({ entries, currency, opened, onOpen }: EntriesTableProps) {
  return (
    <DataTable
      columns={columnsOf(currency, onOpen)}
      empty={<Empty title="No entry yet">The first payment through this account makes the first one.</Empty>}
      isSelected={({ transactionId }) => transactionId !== undefined && transactionId === opened}
      keyOf={({ at, transactionId, number, debit, credit, balance }) =>
        [at, transactionId, number, debit, credit, balance].join(' ')
      }
      label="Entries, table"
      rows={entries}
    />
  )
}

function Plain({
  amount,
  currency,
  isStrong = false,
}: {
  amount: string | undefined
  currency: string
  isStrong?: boolean
}) {
  if (amount === undefined) return null
  const { sign, whole, decimals } = moneyParts(amount, currency)
  return (
    <span className="whitespace-nowrap">
      <span className={isStrong ? 'font-semibold' : ''}>
        {sign}
        {whole}
      </span>
      <span className="text-ink-3">{decimals}</span>
    </span>
  )
}

const columnsOf = (currency: string, onOpen: (id: string) => void): readonly Column<Entry>[] => [
  { head: 'Time', isWideOnly: true, cell: ({ at }) => <Time at={at} className="text-ink-3" /> },
  {
    head: 'Event',
    cell: ({ event, at }) => (
      <>
        <span className="font-mono text-xs">{event}</span>
        <Time at={at} className="block text-2xs text-ink-3 phone:hidden" />
      </>
    ),
  },
  {
    head: 'Reference',
    cell: ({ transactionId, externalReference }) =>
      transactionId === undefined ? (
        '–'
      ) : (
        <button
          aria-label={`Draw the entries of ${externalReference ?? transactionId}`}
          className="min-h-6 text-left font-mono text-xs break-all hover:text-brand hover:underline"
          onClick={() => onOpen(transactionId)}
          type="button"
        >
          {externalReference ?? transactionId}
        </button>
      ),
  },
  {
    head: 'Other side',
    isWideOnly: true,
    className: 'text-ink-2',
    cell: ({ otherSide }) => accountLines(otherSide)[0],
  },
  { head: 'Debit', isNumber: true, cell: ({ debit }) => <Plain amount={debit} currency={currency} /> },
  { head: 'Credit', isNumber: true, cell: ({ credit }) => <Plain amount={credit} currency={currency} /> },
  { head: 'Balance', isNumber: true, cell: ({ balance }) => <Plain amount={balance} currency={currency} isStrong /> },
]
