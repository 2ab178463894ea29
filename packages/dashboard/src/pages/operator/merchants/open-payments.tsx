import { Link } from '@tanstack/react-router'
import { Card } from '../../../ui/card.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Note } from '../../../ui/note.tsx'
import { Time } from '../../../ui/time.tsx'
import { Nothing } from '../parts/nothing.tsx'
import { ageText, countText, nameText, shortText, upperFirst } from '../parts/words.ts'
import type { Overview } from './queries.ts'
import type { PartProps } from './wallets.tsx'

type Open = Overview['openPayments'][number]

/** What is under way, and webhook endpoints that fail. */
export function OpenPayments({ merchant, env }: PartProps) {
  const last = merchant.lastPayments.find((each) => each.env === env)
  const failing = merchant.webhooks.filter(
    (each) => each.env === env && (each.state === 'failing' || each.state === 'disabled'),
  )
  return (
    <Card
      about={
        last && (
          <>
            last payment <Time at={last.at} isRelative />
          </>
        )
      }
      actions={
        <Link
          className="text-xs font-medium text-brand"
          search={{ merchant: merchant.id, show: 'all' }}
          to="/operator/payments"
        >
          All its payments
        </Link>
      }
      isFlush
      title="Open payments"
    >
      {failing.map(({ endpoint, state, failures }) => (
        <div className="px-4 pb-3" key={endpoint}>
          <Note look="warn">
            Webhook endpoint {shortText(endpoint)} is {state} after {countText(failures)} failures. Its owner fixes it
            under Developers.
          </Note>
        </div>
      ))}
      <DataTable
        columns={columns}
        empty={<Nothing title="Nothing is open">Every payment of this merchant has ended.</Nothing>}
        keyOf={({ state }) => state}
        label="Open payments, table"
        rows={merchant.openPayments.filter((each) => each.env === env)}
      />
    </Card>
  )
}

/** As everywhere else; other states are words already. */
const stateWords: Readonly<Record<string, string>> = {
  unapproved: 'Awaiting approval',
  waiting: 'Awaiting customer',
  unknown: 'In doubt',
}

const columns: readonly Column<Open>[] = [
  { head: 'State', cell: ({ state }) => stateWords[state] ?? upperFirst(nameText(state)) },
  { head: 'Payments', isNumber: true, cell: ({ payments }) => countText(payments) },
  { head: 'Oldest', isNumber: true, cell: ({ oldestSeconds }) => ageText(oldestSeconds) },
]
