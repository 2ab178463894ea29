import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Card } from '../../ui/card.tsx'
import { shortId } from '../../ui/copy-text.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Note } from '../../ui/note.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Time } from '../../ui/time.tsx'
import { type VirtualColumn, VirtualTable } from '../../ui/virtual-table.tsx'
import { zoneChoice, zoneName } from '../../ui/zone.ts'
import { usePlace } from '../use-place.ts'
import { type LoggedRequest, requestsQuery } from './developers-query.ts'
import { ErrorGroups } from './error-groups.tsx'
import { HttpStatus } from './http-status.tsx'
import { RequestDetail } from './request-detail.tsx'
import { RequestFilters } from './request-filters.tsx'

/** The merchant's own requests, with what was refused and why. */
export function RequestsTab() {
  const place = usePlace()
  const search = useSearch({ from: '/m/$merchantId/$env/developers' })
  const navigate = useNavigate({ from: '/m/$merchantId/$env/developers' })
  const { data, error, fetchNextPage, hasNextPage, isFetching } = useInfiniteQuery(
    requestsQuery(place, search, zoneName(zoneChoice.use())),
  )
  const requests = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data])
  const opened = requests.find(({ requestId }) => requestId === search.open)
  const open = (requestId: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, open: requestId }) as never, replace: true })
  const errors = requests.filter(({ errorCode }) => errorCode !== undefined)
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <RequestFilters requests={requests} />
        <span className="flex-1" />
        <Segments
          chosen={search.view === 'errors' ? 'errors' : 'all'}
          label="Show"
          onChoose={(view) =>
            void navigate({ search: (before) => ({ ...before, view: view === 'errors' ? view : undefined }) as never })
          }
          options={[
            { name: 'all', word: 'Requests' },
            { name: 'errors', word: 'Grouped errors', count: new Set(errors.map(groupOf)).size },
          ]}
        />
      </div>
      {error && <Note look="fail">{error.message}</Note>}
      <div className={`grid items-start gap-4 ${opened ? 'wide:grid-cols-[7fr_5fr]' : ''}`}>
        <Card className="overflow-hidden" isFlush>
          {search.view === 'errors' ? (
            <ErrorGroups requests={errors} />
          ) : (
            <RequestList
              hasMore={hasNextPage && !isFetching}
              isEmpty={data !== undefined && requests.length === 0 && !hasNextPage}
              onEnd={() => void fetchNextPage()}
              onOpen={open}
              opened={search.open}
              requests={requests}
            />
          )}
        </Card>
        {opened && <RequestDetail onClose={() => open(undefined)} request={opened} />}
      </div>
    </div>
  )
}

/** What people change in the dashboard is in the log too. */
const pathWords = (path: string) => path.replace('/dashboard/v1/merchants/{merchantId}/{env}', 'dashboard …')

const groupOf = ({ errorCode = '', method, path }: LoggedRequest): string => `${errorCode} ${method} ${path}`

interface RequestListProps {
  readonly requests: readonly LoggedRequest[]
  readonly opened: string | undefined
  readonly hasMore: boolean
  readonly isEmpty: boolean
  readonly onEnd: () => void
  readonly onOpen: (requestId: string) => void
}

function RequestList({ requests, opened, hasMore, isEmpty, onEnd, onOpen }: RequestListProps) {
  if (isEmpty)
    return (
      <Empty title="No request fits">
        Requests are here about a second after their response, for at least 7 days. Remove a filter, or make one: npm
        run malipo -- whoami
      </Empty>
    )
  return (
    <div className="-mt-4 flex h-[min(640px,calc(100vh-340px))] min-h-[320px] flex-col">
      <VirtualTable
        columns={columns}
        hasMore={hasMore}
        keyOf={({ requestId }) => requestId}
        label="Requests"
        onEnd={onEnd}
        onOpen={({ requestId }) => onOpen(requestId)}
        opened={opened}
        phoneRow={(request) => <PhoneRow request={request} />}
        rows={requests}
      />
      <Figures requests={requests} />
    </div>
  )
}

const mono = 'font-mono text-xs'

const columns: readonly VirtualColumn<LoggedRequest>[] = [
  { head: 'Time', width: '104px', cell: ({ at }) => <Time at={at} className="text-ink-3" /> },
  { head: 'Method', width: '58px', cell: ({ method }) => <span className={`${mono} font-semibold`}>{method}</span> },
  {
    head: 'Path',
    width: 'minmax(160px,1fr)',
    cell: ({ path, requestId }) => (
      <span className={mono} title={`${path}\n${requestId}`}>
        {pathWords(path)}
      </span>
    ),
  },
  { head: 'Status', width: '52px', cell: ({ status }) => <HttpStatus status={status} /> },
  {
    head: 'Took',
    width: '70px',
    isNumber: true,
    cell: ({ durationMs }) => <span className="text-ink-3">{durationMs.toLocaleString('en')} ms</span>,
  },
  {
    head: 'Error',
    width: '170px',
    from: 'medium',
    cell: ({ errorCode }) => <span className={`${mono} text-ink-2`}>{errorCode ?? '–'}</span>,
  },
  {
    head: 'Key',
    width: '140px',
    from: 'large',
    cell: ({ credential }) => <span className={`${mono} text-ink-3`}>{shortId(credential)}</span>,
  },
  {
    head: 'Request',
    width: '150px',
    from: 'large',
    cell: ({ requestId }) => <span className={`${mono} text-ink-3`}>{shortId(requestId)}</span>,
  },
]

function PhoneRow({ request }: { readonly request: LoggedRequest }) {
  const { method, path, status, at, errorCode } = request
  return (
    <span className="grid h-full grid-cols-[1fr_auto] content-center gap-x-3 gap-y-0.5">
      <span className={`${mono} truncate font-semibold`}>
        {method} {pathWords(path)}
      </span>
      <HttpStatus status={status} />
      <span className={`${mono} truncate text-ink-3`}>{errorCode ?? '–'}</span>
      <Time at={at} className="text-xs text-ink-3" />
    </span>
  )
}

/** Figures of what is loaded, and of nothing else. */
function Figures({ requests }: { readonly requests: readonly LoggedRequest[] }) {
  const took = requests.map(({ durationMs }) => durationMs).sort((one, other) => one - other)
  const failed = requests.filter(({ status }) => status >= 400).length
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0
  return (
    <footer className="flex flex-wrap gap-x-4 border-t border-line px-6 py-2.5 text-xs text-ink-3 max-phone:px-4">
      <span className="flex-1">{requests.length.toLocaleString('en')} loaded, kept for at least 7 days</span>
      {took.length > 0 && (
        <span>
          p50 {at(0.5)} ms · p95 {at(0.95)} ms · {((failed / took.length) * 100).toFixed(1)} % refused
        </span>
      )}
    </footer>
  )
}
