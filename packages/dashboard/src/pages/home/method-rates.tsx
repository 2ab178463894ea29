import { Card } from '../../ui/card.tsx'
import { Sparkline } from '../../ui/charts/sparkline.tsx'
import { methodOf } from '../payments/counterparty.ts'
import type { Summary } from './summary-query.ts'

/** The success rate of each method over seven days, on one scale. */
export function MethodRates({ methods }: { readonly methods: Summary['methods'] }) {
  if (methods.length === 0) return null
  return (
    <Card about="last 7 days" title="Success rate by method">
      <ul className="grid">
        {methods.map(({ method, successful, ended, days }) => (
          <li
            className="grid grid-cols-[minmax(0,1fr)_48px_60px_64px] phone:grid-cols-[minmax(0,1fr)_92px_60px_76px] items-center gap-2 border-t border-line py-2 first:border-0"
            key={method}
          >
            <span className="truncate font-medium">{methodOf({ method })}</span>
            <Sparkline
              domain={[0, 1]}
              height={22}
              values={days.map((day) => (day.ended === 0 ? undefined : day.successful / day.ended))}
            />
            <b className="text-right font-semibold tabular-nums">
              {((successful / Math.max(1, ended)) * 100).toFixed(1)} %
            </b>
            <span className="text-right text-ink-3 tabular-nums">
              {successful.toLocaleString('en')} / {ended.toLocaleString('en')}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}
