import { useQuery } from '@tanstack/react-query'
import { merchantApi } from '../../api/merchant-api.ts'
import type { Place } from '../../api/place.ts'
import { ActionProblem } from '../../ui/action-problem.tsx'
import { Button } from '../../ui/button.tsx'
import { Note } from '../../ui/note.tsx'
import { Time } from '../../ui/time.tsx'
import { useAction } from '../../ui/use-action.ts'
import { Code, JsonCode } from './json-code.tsx'
import { NeedsPermission } from './needs-permission.tsx'
import { webhooksQuery } from './payment-queries.ts'
import type { WebhookRecord } from './webhook-records.ts'

interface WebhooksTabProps {
  readonly place: Place
  readonly transactionId: string
  readonly may: ReadonlySet<string>
}

/** What was sent to the merchant's endpoints about the payment, and what came back. */
export function WebhooksTab({ place, transactionId, may }: WebhooksTabProps) {
  const isAllowed = may.has('webhooks:read')
  const { data, error } = useQuery(webhooksQuery(place, transactionId, isAllowed))
  if (!isAllowed) return <NeedsPermission permission="webhooks:read" what="webhooks" />
  if (error) return <Note look="fail">{error.message}</Note>
  if (!data) return <div aria-busy="true" className="skeleton delayed mt-4 h-40" />
  if (data.length === 0)
    return (
      <p className="pt-6 text-ink-3">
        No webhook was made for this payment. Add an endpoint under Developers, Webhooks; it gets the events from then
        on.
      </p>
    )
  const newestFirst = [...data].sort((left, right) => (left.createdAt < right.createdAt ? 1 : -1))
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 pt-4">
      {newestFirst.map((record) => (
        <Delivery key={record.id} mayResend={may.has('webhooks:resend')} place={place} record={record} />
      ))}
    </div>
  )
}

interface DeliveryProps {
  readonly place: Place
  readonly record: WebhookRecord
  readonly mayResend: boolean
}

const tones = { CREATED: 'text-ink-2', FAILED: 'text-fail', SUCCESS: 'text-ok' } as const

function Delivery({ place, record, mayResend }: DeliveryProps) {
  const { id, event, response, attempts, status, createdAt, webhookUrl, nextAttemptAt } = record
  const resend = useAction({
    run: (webhook: string) => merchantApi(place)('postWebhooksIdResend', { path: { id: webhook } }),
    done: () => 'Webhook sent again',
    changes: [webhooksQuery(place, record.data.transactionId, true).queryKey],
  })
  return (
    <article aria-label={`Webhook ${event}`} className="rounded-card border border-line">
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1 px-3 py-2">
        <b className={`font-mono text-xs ${tones[status]}`}>
          {response.status || (status === 'CREATED' ? 'new' : '–')}
        </b>
        <b className="font-semibold">{event}</b>
        <span className="text-xs text-ink-3">
          {attempts === 1 ? '1 attempt' : `${attempts} attempts`} · <Time at={createdAt} />
          {response.durationMs !== undefined && ` · ${response.durationMs} ms`}
        </span>
        <span className="flex-1" />
        {mayResend && (
          <Button icon="resend" isBusy={resend.isBusy} onClick={() => resend.run(id)}>
            Resend
          </Button>
        )}
      </header>
      {resend.error && (
        <div className="px-3 pb-2">
          <ActionProblem error={resend.error} />
        </div>
      )}
      {nextAttemptAt !== undefined && (
        <p className="px-3 pb-2 text-xs text-ink-2">
          Sent again by itself at <Time at={nextAttemptAt} />.
        </p>
      )}
      <details className="border-t border-line px-3 py-1.5">
        <summary className="min-h-6 cursor-pointer text-xs leading-6 text-ink-2">Request and response</summary>
        <div className="grid grid-cols-[minmax(0,1fr)] gap-2 pt-1 pb-2">
          <Code label="Request">{`POST ${webhookUrl}\nwebhook-id: ${record.eventId}`}</Code>
          <JsonCode label="Data of the request" value={{ event, data: record.data }} />
          <p className="text-xs text-ink-3">{responseWords(record)}</p>
          {response.body !== undefined && response.body !== '' && <Code label="Response">{response.body}</Code>}
        </div>
      </details>
    </article>
  )
}

function responseWords({ response, attempts }: WebhookRecord): string {
  if (response.status !== '') return `The last response was HTTP ${response.status}.`
  if (response.error !== undefined) return `There was no response: ${response.error}.`
  return attempts === 0 ? 'It was not sent yet.' : 'There was no response.'
}
