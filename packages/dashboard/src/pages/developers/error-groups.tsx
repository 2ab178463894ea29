import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Time } from '../../ui/time.tsx'
import type { LoggedRequest } from './developers-query.ts'
import { errorWordsQuery } from './error-words-query.ts'
import { HttpStatus } from './http-status.tsx'

interface Group {
  readonly key: string
  readonly last: LoggedRequest
  readonly count: number
}

/** The same refusal of the same route, once, with how often it came and what to do. */
export function ErrorGroups({ requests }: { readonly requests: readonly LoggedRequest[] }) {
  const navigate = useNavigate({ from: '/m/$merchantId/$env/developers' })
  const { data: words = {} } = useQuery(errorWordsQuery)
  const open = ({ status, path }: LoggedRequest) =>
    void navigate({ search: { tab: 'requests', status: String(status), path } })
  return (
    <DataTable
      columns={columnsOf(words, open)}
      empty={<Empty title="No request was refused">Among what is loaded, every request was accepted.</Empty>}
      keyOf={({ key }) => key}
      label="Errors by kind"
      rows={groupsOf(requests)}
    />
  )
}

function groupsOf(requests: readonly LoggedRequest[]): Group[] {
  const groups = Map.groupBy(requests, ({ errorCode, method, path }) => `${errorCode} ${method} ${path}`)
  return [...groups]
    .flatMap(([key, some]) => (some[0] ? [{ key, last: some[0], count: some.length }] : []))
    .sort((one, other) => other.count - one.count)
}

const columnsOf = (
  words: Readonly<Record<string, { readonly fix: string }>>,
  open: (request: LoggedRequest) => void,
): readonly Column<Group>[] => [
  {
    head: 'Error',
    cell: ({ last }) => (
      <button className="text-left hover:text-brand" onClick={() => open(last)} type="button">
        <b className="block font-mono text-xs font-semibold">{last.errorCode}</b>
        <span className="block font-mono text-xs text-ink-3">
          {last.method} {last.path}
        </span>
      </button>
    ),
  },
  { head: 'Status', cell: ({ last: { status } }) => <HttpStatus status={status} /> },
  { head: 'Times', isNumber: true, cell: ({ count }) => count.toLocaleString('en') },
  { head: 'Last', isWideOnly: true, cell: ({ last: { at } }) => <Time at={at} className="text-xs text-ink-3" /> },
  {
    head: 'What to do',
    isWideOnly: true,
    className: 'max-w-[480px]',
    cell: ({ last: { errorCode = '' } }) => <span className="text-xs text-ink-2">{words[errorCode]?.fix ?? '–'}</span>,
  },
]
