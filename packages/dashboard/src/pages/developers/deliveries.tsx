import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Time } from '../../ui/time.tsx'
import { DeliveryDetail } from './delivery-detail.tsx'
import { type Delivery, deliveriesMax } from './developers-query.ts'
import { HttpStatus } from './http-status.tsx'
import { useResend } from './use-resend.ts'

/** The last deliveries to all endpoints. Each can be read, and sent again. */
export function Deliveries({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const search = useSearch({ from: '/m/$merchantId/$env/developers' })
  const navigate = useNavigate({ from: '/m/$merchantId/$env/developers' })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const { resend, isBusy, error, mayResend } = useResend()
  const failed = deliveries.filter(({ status }) => status === 'FAILED')
  const shown = search.view === 'failed' ? failed : deliveries
  const opened = deliveries.find(({ id }) => id === search.open)
  const open = (id: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, open: id }) as never, replace: true })
  const toggle = (id: string) =>
    setSelected(new Set(selected.has(id) ? [...selected].filter((each) => each !== id) : [...selected, id]))
  const chosen = shown.filter(({ id }) => selected.has(id))
  return (
    <div className={`grid items-start gap-4 ${opened ? 'wide:grid-cols-[7fr_5fr]' : ''}`}>
      <Card
        about={deliveries.length === deliveriesMax ? `The last ${deliveriesMax}` : undefined}
        actions={
          <>
            {mayResend && chosen.length > 0 && (
              <Button isBusy={isBusy} onClick={() => resend(chosen.map(({ id }) => id))}>
                Resend {chosen.length} selected
              </Button>
            )}
            <Segments
              chosen={search.view === 'failed' ? 'failed' : 'all'}
              label="Deliveries to show"
              onChoose={(view) =>
                void navigate({
                  search: (before) => ({ ...before, view: view === 'failed' ? view : undefined }) as never,
                })
              }
              options={[
                { name: 'all', word: 'All' },
                { name: 'failed', word: 'Failed', count: failed.length },
              ]}
            />
          </>
        }
        isFlush
        title="Deliveries"
      >
        <div className="px-4">
          <ActionProblem error={error} />
        </div>
        <DataTable
          columns={columnsOf({ mayResend, isBusy, selected, toggle, open, resend })}
          empty={<NoDelivery isFiltered={search.view === 'failed'} />}
          isSelected={({ id }) => id === search.open}
          keyOf={({ id }) => id}
          label="Table of deliveries"
          rows={shown}
        />
      </Card>
      {opened && <DeliveryDetail delivery={opened} onClose={() => open(undefined)} />}
    </div>
  )
}

const NoDelivery = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No delivery failed">The filter shows failed deliveries only.</Empty>
  ) : (
    <Empty title="Nothing was sent yet">
      The first payment sends its first webhook. Make one: npm run malipo -- charge momo --amount 1500 --currency KES
      --phone +254703456789
    </Empty>
  )

interface RowActions {
  readonly mayResend: boolean
  readonly isBusy: boolean
  readonly selected: ReadonlySet<string>
  readonly toggle: (id: string) => void
  readonly open: (id: string) => void
  readonly resend: (ids: readonly string[]) => void
}

function columnsOf({ mayResend, isBusy, selected, toggle, open, resend }: RowActions): readonly Column<Delivery>[] {
  const choose: Column<Delivery> = {
    head: 'Select',
    isWideOnly: true,
    cell: ({ id }) => (
      <input
        aria-label={`Select delivery ${id}`}
        checked={selected.has(id)}
        className="size-4 accent-[var(--brand)]"
        onChange={() => toggle(id)}
        type="checkbox"
      />
    ),
  }
  const send: Column<Delivery> = {
    head: 'Actions',
    isNumber: true,
    isWideOnly: true,
    cell: ({ id }) => (
      <Button aria-label={`Resend delivery ${id}`} disabled={isBusy} onClick={() => resend([id])}>
        Resend
      </Button>
    ),
  }
  return [...(mayResend ? [choose] : []), ...facts(open), ...(mayResend ? [send] : [])]
}

const facts = (open: (id: string) => void): readonly Column<Delivery>[] => [
  { head: 'Time', isWideOnly: true, cell: ({ createdAt }) => <Time at={createdAt} className="text-ink-3" /> },
  {
    head: 'Event',
    cell: ({ id, event, data }) => (
      <button className="min-h-6 text-left hover:text-brand" onClick={() => open(id)} type="button">
        <span className="block font-mono text-xs font-semibold">{event}</span>
        <span className="block font-mono text-xs break-all text-ink-3">{data.externalReference}</span>
      </button>
    ),
  },
  { head: 'Last response', cell: ({ response }) => <Response response={response} /> },
  { head: 'Attempts', cell: (delivery) => <Attempts delivery={delivery} /> },
  {
    head: 'Next attempt',
    isWideOnly: true,
    cell: ({ nextAttemptAt }) =>
      nextAttemptAt === undefined ? (
        <span className="text-ink-3">–</span>
      ) : (
        <Time at={nextAttemptAt} className="text-ink-3" />
      ),
  },
]

function Response({ response: { status, error } }: Pick<Delivery, 'response'>) {
  if (status !== '') return <HttpStatus status={status} />
  return <span className="font-mono text-xs text-ink-3">{error ?? 'none yet'}</span>
}

/** One mark for each attempt, as far as there is room; the words say the same. */
function Attempts({ delivery: { attempts, status } }: { readonly delivery: Delivery }) {
  const isDone = status === 'SUCCESS'
  const failed = isDone ? attempts - 1 : attempts
  const words = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}${isDone ? ', delivered' : ''}`
  return (
    <span className="inline-flex items-center gap-1">
      <span className="sr-only">{words}</span>
      {Array.from({ length: Math.min(failed, 3) }, (_, index) => `attempt ${index}`).map((key) => (
        <span className="grid size-[18px] place-items-center rounded-xs bg-fail-soft text-fail" key={key}>
          <Icon name="failed" size={11} />
        </span>
      ))}
      {failed > 3 && <span className="text-xs text-ink-3">+{failed - 3}</span>}
      {isDone && (
        <span className="grid size-[18px] place-items-center rounded-xs bg-ok-soft text-ok">
          <Icon name="done" size={11} />
        </span>
      )}
    </span>
  )
}
