import { type ReactNode, useState } from 'react'
import { merchantApi } from '../../api/merchant-api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Time } from '../../ui/time.tsx'
import { useAction } from '../../ui/use-action.ts'
import { usePlace } from '../use-place.ts'
import { type Delivery, deliveriesMax, type Endpoint } from './developers-query.ts'
import { HealthBars } from './endpoint-health.tsx'
import { useResend } from './use-resend.ts'

interface EndpointCardProps {
  readonly endpoint: Endpoint
  readonly deliveries: readonly Delivery[]
  readonly mayChange: boolean
  readonly onEdit: () => void
  readonly onSecret: (secret: string) => void
}

const looks = {
  healthy: { tone: 'ok', icon: 'done', word: 'Healthy' },
  failing: { tone: 'warn', icon: 'warn', word: 'Failing' },
  disabled: { tone: 'gone', icon: 'expired', word: 'Disabled' },
} as const

/** One endpoint: its health, its figures, and what can be done about it. */
export function EndpointCard({ endpoint, deliveries, mayChange, onEdit, onSecret }: EndpointCardProps) {
  const { url, description, events, health, id } = endpoint
  return (
    <section aria-label={`Endpoint ${url}`} className="rounded-card border border-line">
      <header className="flex flex-wrap items-center gap-2 px-4 pt-3.5">
        <span className="min-w-0">
          <code className="font-mono text-xs font-semibold break-all">{url}</code>
          <small className="block text-xs text-ink-3">
            {id === 'default' ? 'The webhook URL of your profile' : description || 'Added endpoint'} ·{' '}
            {events.length === 0 ? 'all events' : events.join(', ')}
          </small>
        </span>
        <Badge {...looks[health.status]} />
        <span className="flex-1" />
        {mayChange && <EndpointActions endpoint={endpoint} onEdit={onEdit} onSecret={onSecret} />}
      </header>
      <div className="grid gap-5 p-4 wide:grid-cols-[8fr_4fr]">
        <HealthBars deliveries={deliveries} />
        <Figures deliveries={deliveries} />
      </div>
      {health.status !== 'healthy' && <Trouble deliveries={deliveries} endpoint={endpoint} />}
    </section>
  )
}

function Figures({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  const ended = deliveries.filter(({ status }) => status !== 'CREATED')
  const delivered = ended.filter(({ status }) => status === 'SUCCESS').length
  const waiting = deliveries.filter(({ nextAttemptAt }) => nextAttemptAt !== undefined).length
  const took = ended.flatMap(({ response }) => response.durationMs ?? []).sort((one, other) => one - other)
  const rows: readonly (readonly [string, ReactNode])[] = [
    [
      deliveries.length === deliveriesMax ? 'Delivered, of the last loaded' : 'Delivered',
      `${delivered} of ${ended.length}`,
    ],
    ['Waiting for an attempt', waiting],
    ['Median response', took.length === 0 ? '–' : `${Math.round(took[Math.floor(took.length / 2)] ?? 0)} ms`],
    ['Retries end after', '3 days'],
  ]
  return (
    <dl className="grid content-start gap-1.5">
      {rows.map(([name, value]) => (
        <div className="flex justify-between gap-4" key={name}>
          <dt className="text-ink-3">{name}</dt>
          <dd className="font-medium">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Trouble({ endpoint: { health, isEnabled }, deliveries }: Pick<EndpointCardProps, 'endpoint' | 'deliveries'>) {
  const failed = deliveries.filter(({ status }) => status === 'FAILED')
  const { resend, isBusy, mayResend } = useResend()
  const last = failed[0]?.response
  return (
    <footer className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line px-4 py-2.5 text-xs text-ink-2">
      <Icon className="text-warn" name="warn" />
      <span className="min-w-0 flex-1">
        {isEnabled ? (
          <>
            {health.failures.toLocaleString('en')} deliveries in a row failed
            {health.failingSince !== undefined && (
              <>
                {' '}
                since <Time at={health.failingSince} />
              </>
            )}
            . {last && `Last response: ${last.status || last.error || 'none'}.`} Retries continue by themselves.
          </>
        ) : (
          'It gets no events. Enable it under Edit.'
        )}
      </span>
      {isEnabled && mayResend && failed.length > 0 && (
        <Button isBusy={isBusy} onClick={() => resend(failed.map(({ id }) => id))}>
          Resend {failed.length} failed
        </Button>
      )}
    </footer>
  )
}

type ActionsProps = Pick<EndpointCardProps, 'endpoint' | 'onEdit' | 'onSecret'>

function EndpointActions({ endpoint, onEdit, onSecret }: ActionsProps) {
  const place = usePlace()
  const [asked, setAsked] = useState<'rotate' | 'delete'>()
  const path = { id: endpoint.id }
  const close = () => setAsked(undefined)
  const rotate = useAction({
    run: async () => (await merchantApi(place)('postWebhookEndpointsIdRotateSecret', { path })).data.secret,
    done: () => undefined,
    onDone: (secret) => {
      close()
      onSecret(secret)
    },
  })
  const remove = useAction({
    run: () => merchantApi(place)('deleteWebhookEndpointsId', { path }),
    done: () => 'Endpoint deleted. Its deliveries stay readable.',
    changes: [
      ['endpoints', place],
      ['deliveries', place],
    ],
    onDone: close,
  })
  return (
    <span className="flex flex-wrap gap-1.5">
      <Button onClick={onEdit}>Edit</Button>
      <Button icon="key" onClick={() => setAsked('rotate')}>
        Rotate secret
      </Button>
      <Button look="danger" onClick={() => setAsked('delete')}>
        Delete
      </Button>
      <ConfirmDialog
        error={rotate.error}
        isBusy={rotate.isBusy}
        isOpen={asked === 'rotate'}
        onClose={close}
        onConfirm={() => rotate.run(undefined)}
        title="Rotate the signing secret"
        verb="Rotate the secret"
      >
        <p className="text-ink-2">
          A new secret is shown once. For 24 hours every webhook has two signatures, one of each secret, so your server
          can change in its own time.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        error={remove.error}
        isBusy={remove.isBusy}
        isFinal
        isOpen={asked === 'delete'}
        onClose={close}
        onConfirm={() => remove.run(undefined)}
        title="Delete the endpoint"
        verb="Delete the endpoint"
      >
        <p className="text-ink-2">
          {endpoint.url} gets no more events, and what waits for it ends. Your other endpoints are not affected.
        </p>
      </ConfirmDialog>
    </span>
  )
}
