import { Icon } from '../../../ui/icons.tsx'
import { Time } from '../../../ui/time.tsx'
import { nameText } from '../parts/words.ts'
import type { Payment } from './queries.ts'

/** Every event of the payment, the newest first. */
export function EventsTab({ payment: { events } }: { readonly payment: Payment }) {
  return (
    <ol className="grid gap-3">
      {events.toReversed().map((event) => (
        <li className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3" key={`${event.at} ${event.cause} ${event.state}`}>
          <Time at={event.at} className="text-xs leading-5 text-ink-3" />
          <div className="min-w-0">
            <p>{event.message}</p>
            <p className="text-xs text-ink-3">
              {nameText(event.state)}, by {nameText(event.cause)}
              {event.notifiesMerchant && (
                <>
                  {' '}
                  <Icon className="inline" name="check" size={12} /> merchant notified
                </>
              )}
            </p>
            <Detail detail={event.detail} />
          </div>
        </li>
      ))}
    </ol>
  )
}

function Detail({ detail }: { readonly detail: object }) {
  if (Object.keys(detail).length === 0) return null
  return (
    <details className="mt-1 text-xs">
      <summary className="cursor-pointer text-ink-2">Detail</summary>
      <pre className="mt-1 overflow-x-auto rounded-sm bg-surface-2 p-2 font-mono text-2xs whitespace-pre-wrap break-words">
        {JSON.stringify(detail, null, 2)}
      </pre>
    </details>
  )
}
