import { useQuery } from '@tanstack/react-query'
import type { Place } from '../../api/place.ts'
import { Icon } from '../../ui/icons.tsx'
import { zoneChoice, zoneName } from '../../ui/zone.ts'
import { durationText } from './duration.ts'
import { entriesQuery, type OnePayment, requestsQuery, webhooksQuery } from './payment-queries.ts'
import { TimelineChart } from './timeline-chart.tsx'
import { doubtsOf, type Step, stepsOf, type Tone } from './timeline-steps.ts'

interface TimelineTabProps {
  readonly place: Place
  readonly payment: OnePayment
  readonly may: ReadonlySet<string>
}

/** What happened and when: on an axis to scale, then in words. */
export function TimelineTab({ place, payment, may }: TimelineTabProps) {
  const id = payment.transactionId
  const isDeveloper = may.has('webhooks:read')
  const { data: money } = useQuery(entriesQuery(place, id))
  const { data: webhooks = [] } = useQuery(webhooksQuery(place, id, isDeveloper))
  const { data: requests = [] } = useQuery(requestsQuery(place, id, isDeveloper))
  const steps = stepsOf({ payment, entries: money?.entries ?? [], webhooks, requests })
  const start = steps[0]?.at ?? 0
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4 pt-4">
      <TimelineChart doubts={doubtsOf(payment)} steps={steps} />
      <ol>
        {steps.map((step, index) => (
          <StepRow
            isFirst={index === 0}
            isLast={index === steps.length - 1}
            key={`${step.lane} ${step.at} ${step.fact}`}
            start={start}
            step={step}
          />
        ))}
      </ol>
      {money?.archivedMonth !== undefined && (
        <p className="text-xs text-ink-3">
          Without the ledger entries of {money.archivedMonth}, which the operator keeps in its archive.
        </p>
      )}
      {payment.explanation.next !== null && (
        <p className="text-xs text-ink-3">What happens next: {payment.explanation.next}.</p>
      )}
    </div>
  )
}

const colours: Readonly<Record<Tone, string>> = {
  plain: 'text-ink-2',
  ok: 'text-ok',
  fail: 'text-fail',
  doubt: 'text-doubt',
  wait: 'text-wait',
}

interface StepRowProps {
  readonly step: Step
  readonly start: number
  readonly isFirst: boolean
  readonly isLast: boolean
}

function StepRow({ step, start, isFirst, isLast }: StepRowProps) {
  const zone = zoneName(zoneChoice.use())
  const { at, icon, tone, fact, detail, isWaiting } = step
  return (
    <li className="grid grid-cols-[88px_16px_minmax(0,1fr)] gap-x-3.5 pb-3">
      <time
        className="text-right text-xs leading-5 text-ink-2 tabular-nums"
        dateTime={new Date(at).toISOString()}
        title={new Date(at).toISOString()}
      >
        {isFirst ? clockOf(at, zone) : `+${durationText(at - start)}`}
      </time>
      <span className={`relative flex justify-center pt-0.5 ${colours[tone]}`}>
        <Icon name={icon} size={15} />
        {!isLast && (
          <span
            className={`absolute top-[22px] bottom-[-12px] border-l ${isWaiting ? 'border-dotted border-line-3' : 'border-line-2'}`}
          />
        )}
      </span>
      <div>
        <p className="font-semibold break-words">{fact}</p>
        {detail !== undefined && <p className="text-xs break-words text-ink-3">{detail}</p>}
      </div>
    </li>
  )
}

/** `13:58:02.114` */
const clockOf = (at: number, timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', {
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 },
    timeZone,
  }).format(at)
