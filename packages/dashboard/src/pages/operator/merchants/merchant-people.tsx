import { Card } from '../../../ui/card.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Needs } from '../parts/needs.tsx'
import { Nothing } from '../parts/nothing.tsx'
import type { Overview } from './queries.ts'

type Person = NonNullable<Overview['people']>[number]

/** People of the merchant, whom its own owner manages. */
export function MerchantPeople({ merchant: { people } }: { readonly merchant: Overview }) {
  return (
    <Card isFlush title="People">
      {people ? (
        <DataTable
          columns={columns}
          empty={<Nothing title="No person yet">Invite its owner with malipo people invite --merchant.</Nothing>}
          keyOf={({ id }) => id}
          label="People, table"
          rows={people}
        />
      ) : (
        <div className="px-4 pb-4">
          <Needs permission="people:read" what="Seeing people" />
        </div>
      )}
    </Card>
  )
}

const columns: readonly Column<Person>[] = [
  {
    head: 'Person',
    cell: ({ name, email }) => (
      <>
        <b className="block font-semibold">{name}</b>
        <span className="text-xs break-all text-ink-3">{email}</span>
      </>
    ),
  },
  { head: 'Roles', cell: ({ roles }) => roles.map(({ role }) => role).join(', ') },
]
