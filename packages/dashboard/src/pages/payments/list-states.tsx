import { CallError } from '../../api/call.ts'
import type { Place } from '../../api/place.ts'
import { Button } from '../../ui/button.tsx'
import { copyText } from '../../ui/copy-text.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icons.tsx'
import { timeText } from '../../ui/time-text.ts'
import { zoneChoice, zoneName } from '../../ui/zone.ts'
import { fields, isSet, wordsOf } from './filter-fields.ts'
import type { PaymentFilters } from './filters.ts'

interface EmptyListProps {
  readonly place: Place
  readonly filters: PaymentFilters
  readonly q: string
  readonly onClear: () => void
}

/** Nothing yet, or nothing that the filters select: these are not the same. */
export function EmptyList({ place, filters, q, onClear }: EmptyListProps) {
  const used = fields.filter((field) => isSet(filters, field))
  if (used.length === 0 && q === '')
    return (
      <Empty title="No payments yet">
        {place.env === 'sandbox' ? (
          <>
            <p>The first charge fills this list within 2 seconds. No real money moves:</p>
            <code className="mt-3 block rounded-md border border-line bg-surface-2 px-3 py-2 text-left font-mono text-xs break-words text-ink-2">
              npm run malipo -- charge momo --amount 1500 --currency KES --phone +254703456789
            </code>
          </>
        ) : (
          <p>Charges and payouts of your server appear here as they happen.</p>
        )}
      </Empty>
    )
  const words = used.map((field) => {
    const { operator, value } = wordsOf(filters, field)
    return `${field.word.toLowerCase()} ${operator} ${value}`
  })
  const text = [...words, ...(q === '' ? [] : ['your search'])].join(', ')
  return (
    <Empty action={<Button onClick={onClear}>Show all payments</Button>} title="No payment matches">
      <p>No payment passes these filters: {text}.</p>
    </Empty>
  )
}

interface FailedListProps {
  readonly error: Error
  readonly onAgain: () => void
}

/** The list could not be read at all. */
export function FailedList({ error, onAgain }: FailedListProps) {
  const refusal = error instanceof CallError ? error : undefined
  const id = refusal?.requestId
  if (refusal?.status === 403) return <Forbidden refusal={refusal} />
  return (
    <div className="grid justify-items-center gap-2 px-6 py-16 text-center" role="alert">
      <span className="grid size-9 place-items-center rounded-md bg-fail-soft text-fail">
        <Icon name="failed" size={18} />
      </span>
      <h2 className="mt-1 text-lg font-semibold">Payments could not be loaded</h2>
      <p className="max-w-[420px] text-ink-3">
        {sentence(error.message)} {refusal?.fix} No payment is affected: this page only reads.
      </p>
      <div className="mt-1 flex gap-2">
        <Button look="primary" onClick={onAgain}>
          Try again
        </Button>
        {id !== undefined && (
          <Button icon="copy" onClick={() => void copyText(`${error.message} Request ${id}`, 'Details')}>
            Copy details
          </Button>
        )}
      </div>
      {id !== undefined && <p className="text-xs text-ink-3">request {id}</p>}
    </div>
  )
}

/** Names the permission that is missing, and who can grant it. */
function Forbidden({ refusal }: { readonly refusal: CallError }) {
  return (
    <Empty title="You may not see payments here">
      <p>{refusal.details[0]?.message ?? refusal.message}.</p>
      <p>A person with the role owner can grant it under Settings, Team.</p>
    </Empty>
  )
}

/** Rows stay when they cannot be read again, with the time from which they are. */
export function StaleNote({ error, onAgain, at }: FailedListProps & { readonly at: number }) {
  const zone = zoneName(zoneChoice.use())
  return (
    <div
      className="mx-6 mb-3 flex items-center gap-3 rounded-md border border-warn-line bg-warn-soft px-3.5 py-2 text-warn max-phone:mx-4"
      role="alert"
    >
      <Icon name="warn" />
      <p className="flex-1">
        <b>More could not be loaded.</b> The rows below are from {timeText(new Date(at), zone)}. {error.message}
      </p>
      <Button onClick={onAgain}>Try again</Button>
    </div>
  )
}

const rows = Array.from({ length: 14 }, (_, row) => `row ${row}`)

/** The list without its data. */
export function LoadingList() {
  return (
    <div aria-busy="true" aria-label="Loading payments" className="delayed border-t border-line" role="status">
      {rows.map((row) => (
        <div className="flex h-9 items-center gap-4 border-b border-line px-6" key={row}>
          <span className="skeleton size-5" />
          <span className="skeleton h-3 w-20" />
          <span className="skeleton h-3 w-28" />
          <span className="skeleton h-3 w-24" />
          <span className="skeleton h-3 flex-1" />
          <span className="skeleton h-3 w-24 max-phone:hidden" />
        </div>
      ))}
    </div>
  )
}

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)
