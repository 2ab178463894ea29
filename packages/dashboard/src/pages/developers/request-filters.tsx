import { useNavigate, useSearch } from '@tanstack/react-router'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { zoneChoice, zoneWord } from '../../ui/zone.ts'
import type { LoggedRequest } from './developers-query.ts'
import type { DeveloperSearch } from './developers-search.ts'

const statuses = [
  { value: '', word: 'All' },
  { value: '2xx', word: 'Accepted (2xx)' },
  { value: '4xx', word: 'Refused (4xx)' },
  { value: '5xx', word: 'Failed (5xx)' },
]

const names = ['status', 'path', 'requestId', 'startDate', 'endDate'] as const

/** All of them are in the URL. Paths are those that were seen. */
export function RequestFilters({ requests }: { readonly requests: readonly LoggedRequest[] }) {
  const search = useSearch({ from: '/m/$merchantId/$env/developers' })
  const zone = zoneWord(zoneChoice.use())
  const navigate = useNavigate({ from: '/m/$merchantId/$env/developers' })
  const set = (change: DeveloperSearch) =>
    void navigate({ search: (before) => ({ ...before, open: undefined, ...change }) as never, replace: true })
  const paths = [...new Set([...requests.map(({ path }) => path), ...(search.path ? [search.path] : [])])].sort()
  const isFiltered = names.some((name) => search[name] !== undefined)
  return (
    <div className="flex flex-wrap items-end gap-2 max-phone:grid max-phone:w-full max-phone:grid-cols-2">
      <SelectField
        label="Status"
        onChange={(event) => set({ status: event.target.value || (undefined as never) })}
        options={statuses}
        value={search.status ?? ''}
      />
      <SelectField
        className="phone:max-w-[260px]"
        label="Path"
        onChange={(event) => set({ path: event.target.value || (undefined as never) })}
        options={[{ value: '', word: 'All' }, ...paths.map((path) => ({ value: path, word: path }))]}
        value={search.path ?? ''}
      />
      <TextField
        label={`From day, ${zone}`}
        onChange={(event) => set({ startDate: event.target.value || (undefined as never) })}
        type="date"
        value={search.startDate ?? ''}
      />
      <TextField
        label="To day"
        onChange={(event) => set({ endDate: event.target.value || (undefined as never) })}
        type="date"
        value={search.endDate ?? ''}
      />
      <TextField
        className="max-phone:col-span-2"
        key={search.requestId ?? ''}
        defaultValue={search.requestId ?? ''}
        label="Request id"
        onBlur={(event) => set({ requestId: event.target.value.trim() || (undefined as never) })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') set({ requestId: event.currentTarget.value.trim() || (undefined as never) })
        }}
        placeholder="req_…"
      />
      {isFiltered && (
        <Button
          className="h-9"
          look="quiet"
          onClick={() => set(Object.fromEntries(names.map((name) => [name, undefined])) as never)}
        >
          Clear filters
        </Button>
      )}
    </div>
  )
}
