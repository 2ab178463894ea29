import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { shortId } from '../../ui/copy-text.tsx'
import { Empty } from '../../ui/empty.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Note } from '../../ui/note.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { type VirtualColumn, VirtualTable } from '../../ui/virtual-table.tsx'
import { useMay, usePlace } from '../use-place.ts'
import { AuditDetail } from './audit-detail.tsx'
import { AuditResult } from './audit-result.tsx'
import { actionWords } from './audit-words.ts'
import { type AuditEntry, auditQuery } from './settings-query.ts'
import type { SettingsSearch } from './settings-search.ts'

/** The audit trail on a page of its own. */
export function AuditPage() {
  return (
    <Page about="What people, keys and the operator did, newest first" title="Audit trail">
      {useMay().has('audit:read') ? (
        <AuditTrail />
      ) : (
        <p className="text-ink-2">
          This page needs the permission audit:read, which owners have. An owner of your team can grant it.
        </p>
      )}
    </Page>
  )
}

/** Entries of the merchant. Nothing can be changed or removed. */
export function AuditTrail() {
  const place = usePlace()
  const search = useSearch({ strict: false }) as SettingsSearch
  const navigate = useNavigate()
  const set = (change: Partial<Record<keyof SettingsSearch, string | undefined>>) =>
    void navigate({ to: '.', search: ((before: object) => ({ ...before, ...change })) as never, replace: true })
  const { data, error, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery(auditQuery(place))
  const entries = useMemo(() => data?.pages.flat() ?? [], [data])
  const shown = entries.filter(({ actor, action }) => fits(search.actor, actor.id) && fits(search.action, action))
  const opened = entries.find(({ id }) => id === search.open)
  return (
    <div className="grid gap-3">
      <Filters entries={entries} search={search} set={set} />
      {error && <Note look="fail">{error.message}</Note>}
      <div className={`grid items-start gap-4 ${opened ? 'wide:grid-cols-[7fr_5fr]' : ''}`}>
        <Card className="overflow-hidden" isFlush>
          <div className="-mt-4 flex h-[min(640px,calc(100vh-340px))] min-h-[320px] flex-col">
            {data && shown.length === 0 && !hasNextPage ? (
              <Empty title="No entry fits">Remove a filter to see the others.</Empty>
            ) : (
              <VirtualTable
                columns={columns}
                hasMore={hasNextPage && !isFetching}
                keyOf={({ id }) => id}
                label="Audit trail"
                onEnd={() => void fetchNextPage()}
                onOpen={({ id }) => set({ open: id })}
                opened={search.open}
                phoneRow={(entry) => <PhoneRow entry={entry} />}
                rows={shown}
              />
            )}
            <footer className="border-t border-line px-6 py-2.5 text-xs text-ink-3 max-phone:px-4">
              {entries.length.toLocaleString('en')} loaded. Entries are chained: none can be changed or removed unseen.
            </footer>
          </div>
        </Card>
        {opened && <AuditDetail entry={opened} onClose={() => set({ open: undefined })} />}
      </div>
    </div>
  )
}

const fits = (wanted: string | undefined, value: string) => wanted === undefined || wanted === value

interface FiltersProps {
  readonly entries: readonly AuditEntry[]
  readonly search: SettingsSearch
  readonly set: (change: { actor?: string | undefined; action?: string | undefined }) => void
}

/** By who and by what, among what is loaded. */
function Filters({ entries, search, set }: FiltersProps) {
  const actors = [...new Map(entries.map(({ actor }) => [actor.id, actor.name || actor.id]))]
  const actions = [...new Set(entries.map(({ action }) => action))].sort()
  const all = { value: '', word: 'All' }
  return (
    <div className="flex flex-wrap items-end gap-2">
      <SelectField
        label="By"
        onChange={(event) => set({ actor: event.target.value || undefined })}
        options={[all, ...actors.map(([value, word]) => ({ value, word }))]}
        value={search.actor ?? ''}
      />
      <SelectField
        className="max-w-full"
        label="What"
        onChange={(event) => set({ action: event.target.value || undefined })}
        options={[all, ...actions.map((action) => ({ value: action, word: actionWords(action) }))]}
        value={search.action ?? ''}
      />
      {(search.actor ?? search.action) !== undefined && (
        <Button className="h-9" look="quiet" onClick={() => set({ actor: undefined, action: undefined })}>
          Clear filters
        </Button>
      )}
    </div>
  )
}

const columns: readonly VirtualColumn<AuditEntry>[] = [
  { head: 'Time', width: '120px', cell: ({ at }) => <Time at={at} className="text-ink-3" /> },
  {
    head: 'By',
    width: 'minmax(140px,1fr)',
    cell: ({ actor }) => <b className="font-medium">{actor.name || actor.id}</b>,
  },
  { head: 'What', width: 'minmax(180px,1fr)', cell: ({ action }) => <span title={action}>{actionWords(action)}</span> },
  { head: 'Result', width: '96px', cell: ({ result }) => <AuditResult result={result} /> },
  {
    head: 'Subject',
    width: '180px',
    from: 'medium',
    cell: ({ subject }) => <span className="font-mono text-xs text-ink-3">{shortId(subject)}</span>,
  },
  {
    head: 'Reason',
    width: 'minmax(140px,1fr)',
    from: 'large',
    cell: ({ reason }) => <span className="text-ink-2">{reason ?? '–'}</span>,
  },
]

const PhoneRow = ({ entry }: { readonly entry: AuditEntry }) => (
  <span className="grid h-full grid-cols-[1fr_auto] content-center gap-x-3 gap-y-0.5">
    <span className="truncate font-medium">{actionWords(entry.action)}</span>
    <AuditResult result={entry.result} />
    <span className="truncate text-xs text-ink-3">{entry.actor.name || entry.actor.id}</span>
    <Time at={entry.at} className="text-xs text-ink-3" />
  </span>
)
