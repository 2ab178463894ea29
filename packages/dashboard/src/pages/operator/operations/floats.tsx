import { queryOptions, useQuery } from '@tanstack/react-query'
import { operatorApi } from '../../../api/operator-api.ts'
import type { Environment } from '../../../api/place.ts'
import type { Schemas } from '../../../generated/operator-api.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { countryText } from '../../../ui/country.ts'
import { Empty } from '../../../ui/empty.tsx'
import { Money, moneyText } from '../../../ui/money.tsx'
import { QueryProblem } from '../parts/query-problem.tsx'
import { operatorKey } from '../parts/use-operator.ts'
import { providerText } from '../parts/words.ts'
import { FloatActions } from './float-actions.tsx'

export type Float = Schemas['Float']

const floatsQuery = queryOptions({
  queryKey: [operatorKey, 'floats'],
  refetchInterval: 30_000,
  queryFn: async ({ signal }) => (await operatorApi('getFloats', { signal })).data,
})

/** Our money at providers, and how long it lasts. All bars have one scale, so that they can be compared. */
export function Floats({ env }: { readonly env: Environment }) {
  const { data, error } = useQuery(floatsQuery)
  const floats = data?.filter((each) => each.env === env)
  return (
    <Card about="our money at providers; runway at the pace of 24 hours, up to 48 hours" isFlush title="Floats">
      <div className="px-4">
        <QueryProblem error={error} />
      </div>
      {floats?.length === 0 && <Empty title="No float yet">It appears when a provider first holds our money.</Empty>}
      <ul className="grid grid-cols-4 overflow-hidden rounded-b-card border-t border-line max-wide:grid-cols-2 max-phone:grid-cols-1">
        {floats?.map((float) => (
          <li
            className="-mb-px -ml-px grid min-w-0 content-start gap-2 border-b border-l border-line p-4"
            key={`${float.provider} ${float.country} ${float.currency}`}
          >
            <FloatTile float={float} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

const scaleHours = 48

function runwayText(float: Float): string {
  if (isNegative(float)) return 'A top-up is not recorded'
  const { hoursLeft } = float
  if (hoursLeft === undefined) return 'No outflow in 24 h'
  return hoursLeft > scaleHours ? `More than ${scaleHours} h left` : `${hoursLeft.toFixed(1)} h left`
}

/** The provider cannot have paid money that it did not hold: a top-up was not recorded. */
const isNegative = ({ amount }: Float) => amount.startsWith('-')

function FloatTile({ float }: { readonly float: Float }) {
  const { provider, country, amount, currency, mark, isLow } = float
  const isBelowZero = isNegative(float)
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-semibold">
          {providerText(provider)} {countryText(country)}
        </h3>
        <span className="flex-1" />
        {isBelowZero ? (
          <Badge icon="warn" tone="fail" word="Below zero" />
        ) : (
          isLow && <Badge icon="warn" tone="warn" word="Below threshold" />
        )}
      </div>
      <Money amount={amount} className={`text-lg ${isBelowZero ? 'text-fail' : ''}`} currency={currency} />
      <Runway float={float} />
      <p className="text-xs text-ink-3">
        <b className={`font-semibold ${isLow || isBelowZero ? 'text-fail' : 'text-ink-2'}`}>{runwayText(float)}</b>
        {mark === undefined ? ', no threshold' : `, threshold ${moneyText(mark, currency)}`}
      </p>
      <FloatActions float={float} />
    </>
  )
}

/** The threshold in hours of the present outflow is its tick on the bar. */
function Runway({ float }: { readonly float: Float }) {
  const { amount, mark, isLow, hoursLeft } = float
  if (hoursLeft === undefined || isNegative(float))
    return <div aria-hidden="true" className="h-1.5 rounded-full bg-surface-3" />
  const part = (hours: number) => `${Math.min(100, Math.max(0, (hours / scaleHours) * 100))}%`
  const tick = mark === undefined || Number(amount) <= 0 ? undefined : (Number(mark) / Number(amount)) * hoursLeft
  return (
    <div aria-hidden="true" className="relative h-1.5 rounded-full bg-surface-3">
      <div
        className={`h-full rounded-full ${isLow ? 'bg-[var(--v5)]' : 'bg-[var(--v1)]'}`}
        style={{ width: part(hoursLeft) }}
      />
      {tick !== undefined && <i className="absolute -top-1 h-3.5 w-0.5 bg-ink" style={{ left: part(tick) }} />}
    </div>
  )
}
