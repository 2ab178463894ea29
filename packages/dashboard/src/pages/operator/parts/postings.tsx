import type { Schemas } from '../../../generated/operator-api.ts'
import { Money } from '../../../ui/money.tsx'
import { accountLines, entryKinds } from './words.ts'

type Posting = Schemas['Proposal']['postings'][number]

interface PostingsProps {
  readonly postings: readonly Posting[]
  /** What the list is: `If approved, the ledger does this`. */
  readonly title: string
}

/** Ledger entries before they are made, as a dry run of the server made them. */
export function Postings({ postings, title }: PostingsProps) {
  return (
    <section>
      <h3 className="mb-1 text-xs font-medium text-ink-2">{title}</h3>
      {postings.length === 0 ? (
        <p className="text-xs text-ink-3">No entries: no money moves.</p>
      ) : (
        <ol>
          {postings.map((posting, index) => (
            <li
              className="flex items-start gap-3 border-b border-line py-2 text-xs last:border-0"
              // biome-ignore lint/suspicious/noArrayIndexKey: the entries of one dry run have an order and no id.
              key={index}
            >
              <span className="grid size-5 shrink-0 place-items-center rounded-full bg-surface-3 text-2xs font-semibold text-ink-2">
                {index + 1}
              </span>
              <span className="min-w-0 flex-1">
                <b className="font-medium">{entryKinds[posting.kind] ?? posting.kind}</b>
                <span className="block text-ink-3">
                  from {nameOf(posting.debit)} to {nameOf(posting.credit)}
                </span>
              </span>
              <Money amount={posting.amount} currency={posting.currency} />
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

function nameOf(account: string): string {
  const [what, of] = accountLines(account)
  return of === '' ? what : `${what} of ${of}`
}
