import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { operatorApi } from '../../../api/operator-api.ts'
import type { Schemas } from '../../../generated/operator-api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { SelectField, TextField } from '../../../ui/field.tsx'
import { Page } from '../../../ui/page.tsx'
import { Time } from '../../../ui/time.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { operatorKey } from '../parts/use-operator.ts'
import { EntryCard } from './entry-card.tsx'
import { EnvTag } from './env-tag.tsx'

export type AuditEntry = Schemas['AuditEntry']

const pageSize = 100

interface Filters {
  readonly actor?: string
  readonly action?: string
  readonly subject?: string
  readonly merchant?: string
  readonly result?: string
}

const auditQuery = (filters: Filters) =>
  infiniteQueryOptions({
    queryKey: [operatorKey, 'audit', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam: after, signal }) =>
      (await operatorApi('getAudit', { query: { ...(filters as object), limit: pageSize, after }, signal })).data,
    getNextPageParam: (page) => (page.length < pageSize ? undefined : page.at(-1)?.id),
  })

/** Who did what, when and why. Entries are chained: none can be changed or taken out without a trace. */
export function AuditPage() {
  const { open, ...filters } = useSearch({ from: '/operator/audit' })
  const navigate = useNavigate({ from: '/operator/audit' })
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery(auditQuery(filters))
  const entries = data?.pages.flat()
  const chosen = entries?.find(({ id }) => id === open)
  const show = (id: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, open: id }) as never, replace: true, resetScroll: false })
  return (
    <Page about="Every action of a person or machine, live and sandbox, newest first" title="Audit">
      <AuditFilters filters={filters} />
      <QueryProblem error={error} />
      <div className={`grid items-start gap-4 ${chosen ? 'wide:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]' : ''}`}>
        {entries && (
          <Card className="pt-0!" isFlush>
            <DataTable
              columns={columnsOf(show)}
              empty={<Empty title="No entry fits">Change the filters, or take an action: it appears here.</Empty>}
              isSelected={({ id }) => id === open}
              keyOf={({ id }) => id}
              label="Entries of the audit trail, table"
              rows={entries}
            />
            {hasNextPage && (
              <div className="border-t border-line p-3">
                <Button isBusy={isFetching} onClick={() => void fetchNextPage()}>
                  Show older entries
                </Button>
              </div>
            )}
          </Card>
        )}
        {chosen && <EntryCard entry={chosen} onClose={() => show(undefined)} />}
      </div>
    </Page>
  )
}

const results = [
  { value: '', word: 'Any' },
  { value: 'done', word: 'Done' },
  { value: 'refused', word: 'Refused' },
]

function AuditFilters({ filters }: { readonly filters: Filters }) {
  const navigate = useNavigate({ from: '/operator/audit' })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const fields = [...new FormData(event.currentTarget)].filter(([, value]) => String(value).trim() !== '')
    void navigate({ search: Object.fromEntries(fields.map(([name, value]) => [name, String(value).trim()])) as never })
  }
  return (
    <form
      className="grid grid-cols-[repeat(4,minmax(0,1fr))_auto] items-end gap-3 max-wide:grid-cols-2"
      key={JSON.stringify(filters)}
      onSubmit={submit}
    >
      <TextField defaultValue={filters.actor} label="Who, by id" name="actor" placeholder="person_…" />
      <TextField defaultValue={filters.action} label="Action" name="action" placeholder="payment.resolve" />
      <TextField defaultValue={filters.subject} label="Subject" name="subject" placeholder="txn_…" />
      <SelectField defaultValue={filters.result ?? ''} label="Result" name="result" options={results} />
      <Button className="h-9" icon="filter" type="submit">
        Filter
      </Button>
    </form>
  )
}

const columnsOf = (show: (id: string) => void): readonly Column<AuditEntry>[] => [
  {
    head: 'Time',
    cell: ({ at, env }) => (
      <>
        <Time at={at} className="block text-ink-2" />
        <EnvTag env={env} />
      </>
    ),
  },
  {
    head: 'Action',
    cell: ({ id, action, subject, names, actor }) => (
      <button className="min-h-6 min-w-0 text-left hover:text-brand" onClick={() => show(id)} type="button">
        <b className="block font-semibold">{action}</b>
        {names[subject] !== undefined && <span className="block text-xs text-ink-2">{names[subject]}</span>}
        <span className="block max-w-[220px] truncate font-mono text-xs text-ink-3 max-phone:max-w-[150px]">
          {subject}
        </span>
        <span className="block max-w-[220px] truncate text-xs text-ink-3 phone:hidden">by {actor.name}</span>
      </button>
    ),
  },
  {
    head: 'Who',
    isWideOnly: true,
    cell: ({ actor, role }) => (
      <>
        {actor.name}
        <span className="block text-xs text-ink-3">{role ?? actor.kind}</span>
      </>
    ),
  },
  { head: 'Reason', isWideOnly: true, className: 'text-ink-2', cell: ({ reason }) => reason ?? '–' },
  {
    head: 'Result',
    cell: ({ result }) =>
      result === 'done' ? (
        <Badge icon="done" tone="ok" word="Done" />
      ) : (
        <Badge icon="failed" tone="fail" word="Refused" />
      ),
  },
]
