import { queryOptions, useQuery } from '@tanstack/react-query'
import { operatorApi } from '../../../api/operator-api.ts'
import type { Environment } from '../../../api/place.ts'
import { Card } from '../../../ui/card.tsx'
import { Sparkline } from '../../../ui/charts/sparkline.tsx'
import { type Column, DataTable } from '../../../ui/data-table.tsx'
import { Empty } from '../../../ui/empty.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { ReasonAction } from '../parts/reason-action.tsx'
import { operatorKey } from '../parts/use-operator.ts'
import { countText, percentText, providerText, secondsText, upperFirst } from '../parts/words.ts'
import { type BoardRow, isDegraded, ProviderState } from './provider-state.tsx'

const boardQuery = (env: Environment) =>
  queryOptions({
    queryKey: [operatorKey, 'board', env],
    refetchInterval: 30_000,
    queryFn: async ({ signal }) => (await operatorApi('getProvidersBoard', { query: { env }, signal })).data,
  })

/** How each provider does, the worst first. */
export function ProviderBoard({ env }: { readonly env: Environment }) {
  const { data, error } = useQuery(boardQuery(env))
  return (
    <Card about="success rate, by the time of acceptance" isFlush title="Providers">
      <div className="px-4">
        <QueryProblem error={error} />
      </div>
      {data && (
        <DataTable
          columns={columnsOf(env, data.rows)}
          empty={
            <Empty title="No provider is configured here">
              Set a provider’s keys in the configuration and start Malipo again.
            </Empty>
          }
          keyOf={({ provider, operation }) => `${provider} ${operation}`}
          label="Providers, table"
          rows={data.rows}
        />
      )}
    </Card>
  )
}

const columnsOf = (env: Environment, rows: readonly BoardRow[]): readonly Column<BoardRow>[] => [
  {
    head: 'Provider',
    cell: ({ provider, operation, open }) => (
      <>
        <b className="block font-semibold">{providerText(provider)}</b>
        <span className="text-xs whitespace-nowrap text-ink-3">
          {upperFirst(operation)}s, {countText(open)} open
        </span>
      </>
    ),
  },
  {
    head: '24 hours',
    isWideOnly: true,
    cell: (row) => <HourRates row={row} />,
  },
  {
    head: '15 min',
    isNumber: true,
    cell: (row) => (
      <b className={`font-semibold whitespace-nowrap ${isDegraded(row) ? 'text-fail' : ''}`}>
        {percentText(row.last15Minutes.successRate)}
      </b>
    ),
  },
  { head: '24 h', isNumber: true, isWideOnly: true, cell: (row) => percentText(row.last24Hours.successRate) },
  { head: 'p50', isNumber: true, isWideOnly: true, cell: (row) => secondsText(row.p50Seconds) },
  { head: 'p95', isNumber: true, isWideOnly: true, cell: (row) => secondsText(row.p95Seconds) },
  { head: 'State', cell: (row) => <ProviderState row={row} /> },
  {
    head: 'Action',
    isNumber: true,
    // A pause is for all that the provider does, so it is offered once.
    cell: (row) =>
      rows.find(({ provider }) => provider === row.provider) === row && <PauseOrResume env={env} row={row} />,
  },
]

/** The scale starts at 50 % unless a rate is lower. */
function HourRates({ row }: { readonly row: BoardRow }) {
  const rates = row.hours.map(({ successRate }) => successRate)
  const known = rates.filter((rate) => rate !== undefined)
  if (known.length === 0) return <span className="text-xs text-ink-3">nothing ended</span>
  return (
    <div className="w-26">
      <Sparkline
        colour={isDegraded(row) ? 'var(--v5)' : 'var(--v1)'}
        domain={[Math.min(0.5, ...known), 1]}
        height={28}
        label={`Success rate of ${providerText(row.provider)} ${row.operation}s by hour, ${percentText(row.last24Hours.successRate)} in 24 hours`}
        values={rates}
      />
    </div>
  )
}

function PauseOrResume({ env, row }: { readonly env: Environment; readonly row: BoardRow }) {
  const { provider, state } = row
  const name = providerText(provider)
  const second = env === 'live' ? <p>Live money: another person must approve it before it happens.</p> : null
  const shared = { permission: 'providers:pause', of: `${name}: all that it does` } as const
  if (state === 'paused')
    return (
      <ReasonAction
        {...shared}
        done={`${name} runs again`}
        icon="play"
        run={(reason) => operatorApi('postProvidersProviderResume', { path: { provider }, body: { env, reason } })}
        title={`Resume ${name}`}
        verb={env === 'live' ? 'Propose to resume it' : 'Resume it'}
        word="Resume"
      >
        <p>Payments that wait are sent at once, and new ones as they come.</p>
        {second}
      </ReasonAction>
    )
  return (
    <ReasonAction
      {...shared}
      done={`${name} is paused`}
      icon="pause"
      run={(reason) => operatorApi('postProvidersProviderPause', { path: { provider }, body: { env, reason } })}
      title={`Pause ${name}`}
      verb={env === 'live' ? 'Propose to pause it' : 'Pause it'}
      word="Pause"
    >
      <p>
        Nothing is sent to {name} and nothing is queried there; its callbacks still count. New payments go to another
        provider where one can take them. Where none can:
      </p>
      <ul className="list-disc pl-5">
        <li>Mobile money prompts, payouts and refunds are accepted and wait until it is resumed.</li>
        <li>
          Cards, bank transfers and mobile money that needs the customer’s code or page are refused with HTTP 503.
        </li>
      </ul>
      <p>Customers cannot enter a PIN or code for a charge that {name} already has.</p>
      {second}
    </ReasonAction>
  )
}
