import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { operatorApi } from '../../../api/operator-api.ts'
import type { Schemas } from '../../../generated/operator-api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Page } from '../../../ui/page.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { useStaffSecret } from '../parts/staff-secret.tsx'
import { operatorKey, useOperator } from '../parts/use-operator.ts'
import { InviteDialog } from './invite-dialog.tsx'
import { PersonActions } from './person-actions.tsx'
import { RolesTable } from './roles-table.tsx'

export type Person = Schemas['Person']

const pageSize = 200

const peopleQuery = infiniteQueryOptions({
  queryKey: [operatorKey, 'people'],
  initialPageParam: undefined as string | undefined,
  queryFn: async ({ pageParam: after, signal }) =>
    (await operatorApi('getPeople', { query: { limit: pageSize, after }, signal })).data,
  getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.id),
})

const isStaff = ({ roles }: Person) => roles.some(({ merchant }) => merchant === null)

/** Staff of the operator with their roles. People of merchants are on the merchant's page. */
export function PeoplePage() {
  const { may } = useOperator()
  const { keep, dialog } = useStaffSecret()
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(peopleQuery)
  return (
    <Page about="Staff of the operator" actions={may('people:write') && <InviteDialog onDone={keep} />} title="People">
      {dialog}
      <QueryProblem error={error} />
      {data && (
        <Card isFlush title="Staff">
          <DataTable
            columns={columnsOf(keep)}
            keyOf={({ id }) => id}
            label="Staff, table"
            rows={data.pages.flat().filter(isStaff)}
          />
          {hasNextPage && (
            <div className="border-t border-line p-3">
              <Button onClick={() => void fetchNextPage()}>Look through more people</Button>
            </div>
          )}
        </Card>
      )}
      <RolesTable />
    </Page>
  )
}

const columnsOf = (keep: (result: unknown) => void): readonly Column<Person>[] => [
  {
    head: 'Person',
    cell: ({ name, email, state }) => (
      <>
        <b className="block font-semibold">{name}</b>
        <span className="block text-xs break-all text-ink-3">{email}</span>
        {state === 'ended' && <Badge icon="expired" tone="gone" word="Disabled" />}
      </>
    ),
  },
  {
    head: 'Roles',
    cell: ({ roles }) => (
      <ul>
        {roles
          .filter(({ merchant }) => merchant === null)
          .map(({ id, role, countries, currencies }) => (
            <li key={id}>
              {role}
              <span className="text-xs text-ink-3"> {[...countries, ...currencies].join(', ') || 'everywhere'}</span>
            </li>
          ))}
      </ul>
    ),
  },
  { head: 'Actions', isNumber: true, cell: (person) => <PersonActions onDone={keep} person={person} /> },
]
