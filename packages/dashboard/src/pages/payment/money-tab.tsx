import { useQuery } from '@tanstack/react-query'
import type { Place } from '../../api/place.ts'
import type { Schemas } from '../../generated/merchant-api.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icons.tsx'
import { moneyParts } from '../../ui/money.tsx'
import { Note } from '../../ui/note.tsx'
import { fromMinor } from './minor-units.ts'
import { accountsOf, type Line, type Posting, postingsOf, type TAccount } from './money-accounts.ts'
import { entriesQuery } from './payment-queries.ts'

interface MoneyTabProps {
  readonly place: Place
  readonly transactionId: string
}

/** The payment's double entries as T-accounts. The double rule stands only under a difference that the server says is zero. */
export function MoneyTab({ place, transactionId }: MoneyTabProps) {
  const { data, error } = useQuery(entriesQuery(place, transactionId))
  if (error) return <Note look="fail">{error.message}</Note>
  if (!data) return <div aria-busy="true" className="skeleton delayed mt-4 h-40" />
  const { archivedMonth } = data
  if (data.entries.length === 0)
    return archivedMonth === undefined ? (
      <p className="pt-6 text-ink-3">No money has moved. Entries appear when the payment is booked.</p>
    ) : (
      <div className="pt-4">
        <Archived month={archivedMonth} />
      </div>
    )
  const postings = postingsOf(data.entries)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5 pt-4">
      {archivedMonth !== undefined && <Archived month={archivedMonth} />}
      <p className="text-xs text-ink-3">
        Debit left, credit right. The same number marks the two sides of one entry.
        {postings.some(({ state }) => state === 'held') && ' What is hatched is held until the payment ends.'}
      </p>
      <div className="grid gap-x-4 gap-y-5 phone:grid-cols-2">
        {accountsOf(postings).map((account) => (
          <Account account={account} key={account.key} />
        ))}
      </div>
      {data.sums.map((sum) => (
        <SumBar key={sum.currency} sum={sum} />
      ))}
      <DataTable
        columns={[
          { head: '#', cell: ({ number }) => number },
          {
            head: 'Event',
            isWideOnly: true,
            cell: ({ event, state }) => `${event}, ${state}`,
            className: 'text-ink-2',
          },
          { head: 'From (debit)', cell: ({ debit }) => debit.name },
          { head: 'To (credit)', cell: ({ credit }) => credit.name },
          {
            head: 'Amount',
            isNumber: true,
            className: 'font-semibold whitespace-nowrap',
            cell: ({ amount, currency }) => `${currency} ${plain(amount, currency)}`,
          },
        ]}
        keyOf={({ number }) => String(number)}
        label="Entries"
        rows={postings}
      />
    </div>
  )
}

function Archived({ month }: { readonly month: string }) {
  return (
    <Note>
      The operator keeps the ledger entries of {month} in its archive. This page shows only entries that were booked
      later. Ask the operator for the archived ones.
    </Note>
  )
}

function plain(amount: number | string, currency: string): string {
  const { sign, whole, decimals } = moneyParts(amount, currency)
  return `${sign}${whole}${decimals}`
}

function Account({ account }: { readonly account: TAccount }) {
  const { name, country, currency, debits, credits, net } = account
  const word = net === 0n ? 'net' : net > 0n ? 'net debit' : 'net credit'
  const scope = [currency, country].filter((part) => part !== '').join(', ')
  return (
    <section aria-label={`${name}, ${scope}`} className="min-w-0 text-xs tabular-nums">
      <p className="border-b border-ink pb-1.5 text-center">
        <b className="block font-semibold">{name}</b>
        <span className="text-2xs text-ink-3">{scope}</span>
      </p>
      <div className="grid min-h-11 grid-cols-2 border-b border-line-2">
        <Side currency={currency} lines={debits} word="debit" />
        <Side currency={currency} lines={credits} word="credit" />
      </div>
      <p className="flex justify-between px-2 py-1.5">
        <span className="text-ink-3">{word}</span>
        <b className="font-semibold">{plain(fromMinor(net < 0n ? -net : net, currency), currency)}</b>
      </p>
    </section>
  )
}

const lookOf: Readonly<Record<Posting['state'], string>> = {
  posted: '',
  held: 'bg-[repeating-linear-gradient(135deg,var(--line)_0_2px,transparent_2px_6px)]',
  released: 'text-ink-3 line-through',
}

interface SideProps {
  readonly lines: readonly Line[]
  readonly currency: string
  readonly word: 'debit' | 'credit'
}

function Side({ lines, currency, word }: SideProps) {
  return (
    <ul aria-label={word} className={`py-1.5 ${word === 'credit' ? 'border-l border-ink' : ''}`}>
      {lines.map(({ number, amount, state }) => (
        <li className={`flex justify-between gap-2 px-2 leading-5 ${lookOf[state]}`} key={number}>
          <span className="text-2xs text-ink-3">{number}</span>
          <span>
            {plain(amount, currency)}
            {state !== 'posted' && <span className="sr-only"> {state}</span>}
          </span>
        </li>
      ))}
    </ul>
  )
}

function SumBar({ sum }: { readonly sum: Schemas['EntrySum'] }) {
  const { currency, debits, credits, held, difference } = sum
  const isBalanced = difference === '0'
  const figures = [
    ['Debits', debits],
    ['Credits', credits],
  ] as const
  return (
    <div
      className={`flex flex-wrap items-center gap-x-4 gap-y-1 rounded-md px-3.5 py-2.5 ${isBalanced ? 'bg-ok-soft text-ok' : 'bg-fail-soft text-fail'}`}
    >
      <b className="flex flex-1 items-center gap-2 font-semibold whitespace-nowrap">
        <Icon name={isBalanced ? 'done' : 'failed'} />
        {isBalanced ? 'Balanced' : 'Not balanced'}
        {held > 0 && <span className="text-xs font-normal">{plain(held, currency)} held</span>}
      </b>
      <dl className="flex gap-5 text-xs text-ink tabular-nums">
        {figures.map(([word, figure]) => (
          <div key={word}>
            <dt className="text-2xs text-ink-2">
              {word} {currency}
            </dt>
            <dd className="font-semibold">{plain(figure, currency)}</dd>
          </div>
        ))}
        <div>
          <dt className="text-2xs text-ink-2">Difference</dt>
          <dd className={`font-semibold ${isBalanced ? 'text-ok' : 'text-fail'}`}>
            <span className={isBalanced ? 'border-b-[3px] border-double border-current' : ''}>
              {plain(fromMinor(BigInt(difference), currency), currency)}
            </span>
          </dd>
        </div>
      </dl>
    </div>
  )
}
