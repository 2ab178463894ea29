import { queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { operatorApi } from '../../../api/operator-api.ts'
import type { Environment } from '../../../api/place.ts'
import type { Schemas } from '../../../generated/operator-api.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { counted } from '../../../ui/counted.ts'
import { CurrencySums } from '../../../ui/currency-sums.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { Money } from '../../../ui/money.tsx'
import { Page } from '../../../ui/page.tsx'
import { Time } from '../../../ui/time.tsx'
import { operationsQuery } from '../operations/operations-query.ts'
import { QueryProblem } from '../parts/query-problem.tsx'
import { operatorKey, useOperator } from '../parts/use-operator.ts'
import { ageText, providerText, upperFirst } from '../parts/words.ts'
import { CaseCard } from './case-card.tsx'

export type SuspenseCase = Schemas['SuspenseCase']

const casesMax = 500

const casesQuery = (env: Environment) =>
  queryOptions({
    queryKey: [operatorKey, 'suspense', env],
    refetchInterval: 15_000,
    queryFn: async ({ signal }) => (await operatorApi('getSuspense', { query: { env, limit: casesMax }, signal })).data,
  })

/** Money that came or left without a payment that explains it. A person decides where it belongs. */
export function SuspensePage() {
  const { env } = useOperator()
  const { open } = useSearch({ from: '/operator/suspense' })
  const navigate = useNavigate({ from: '/operator/suspense' })
  const { data, error } = useQuery(casesQuery(env))
  const { data: check } = useQuery(operationsQuery(env))
  const show = (id: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, open: id }) as never, replace: true })
  return (
    <Page about="Money that waits for a decision" title="Suspense">
      <QueryProblem error={error} />
      <div
        className={`grid items-start gap-4 ${open === undefined ? '' : 'wide:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]'}`}
      >
        {data && (
          <Card about={`${data.length}${data.length === casesMax ? '+' : ''} open`} isFlush title="Open cases">
            <DataTable
              columns={columnsOf(show)}
              empty={
                <Empty title="No open case">
                  A case opens by itself when money comes late, twice, in another amount, or for an unknown payment.
                  Transfers that do not pay a charge in full yet are in suspense without a case.
                </Empty>
              }
              isSelected={({ id }) => id === open}
              keyOf={({ id }) => id}
              label="Open cases, table"
              rows={data}
            />
            <CurrencySums
              label="Sums of all open cases"
              sums={(check?.suspense ?? []).map(({ currency, amount, cases, oldestSeconds }) => ({
                ...{ currency, amount },
                about: `${counted(cases, 'case')}, oldest ${ageText(oldestSeconds)}`,
              }))}
            />
          </Card>
        )}
        {open !== undefined && <CaseCard id={open} key={open} onClose={() => show(undefined)} />}
      </div>
    </Page>
  )
}

const columnsOf = (show: (id: string) => void): readonly Column<SuspenseCase>[] => [
  {
    head: 'Since',
    cell: ({ openedAt, ageSeconds }) => (
      <>
        <Time at={openedAt} className="block text-ink-2" isDate />
        <span className="text-xs text-ink-3">{ageText(ageSeconds)}</span>
      </>
    ),
  },
  {
    head: 'Why',
    isWideOnly: true,
    cell: ({ kind, meaning }) => (
      <>
        <span className="font-mono text-xs">{kind}</span>
        <span className="block text-xs text-ink-3">{upperFirst(meaning)}</span>
      </>
    ),
  },
  { head: 'Provider', isWideOnly: true, cell: ({ provider, country }) => `${providerText(provider)} ${country}` },
  { head: 'Amount', isNumber: true, cell: ({ amount, currency }) => <Money amount={amount} currency={currency} /> },
  {
    head: 'Action',
    isNumber: true,
    cell: ({ id, amount, currency }) => (
      <Button aria-label={`Open the case of ${currency} ${amount}`} onClick={() => show(id)}>
        Open
      </Button>
    ),
  },
]
