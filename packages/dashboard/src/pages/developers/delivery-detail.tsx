import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Icon } from '../../ui/icons.tsx'
import { JsonBlock } from '../../ui/json-block.tsx'
import { Time } from '../../ui/time.tsx'
import { usePlace } from '../use-place.ts'
import type { Delivery } from './developers-query.ts'
import { HttpStatus } from './http-status.tsx'
import { useResend } from './use-resend.ts'

interface DeliveryDetailProps {
  readonly delivery: Delivery
  readonly onClose: () => void
}

/** One delivery: what was sent, what the receiver responded, and when it is tried again. */
export function DeliveryDetail({ delivery, onClose }: DeliveryDetailProps) {
  const place = usePlace()
  const { resend, isBusy, mayResend } = useResend()
  const ref = useRef<HTMLElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another delivery takes the focus again.
  useEffect(() => ref.current?.focus(), [delivery.id])
  const { id, event, response, webhookUrl, attempts, nextAttemptAt, data } = delivery
  return (
    <section
      aria-label="Delivery"
      className="grid min-w-0 gap-3.5 rounded-card border border-line p-4 outline-none max-wide:order-first"
      ref={ref}
      tabIndex={-1}
    >
      <header className="flex items-center gap-2">
        {response.status !== '' && <HttpStatus status={response.status} />}
        <h2 className="min-w-0 flex-1 truncate font-mono text-xs font-semibold">{event}</h2>
        {mayResend && (
          <Button isBusy={isBusy} onClick={() => resend([id])}>
            Resend
          </Button>
        )}
        <button aria-label="Close the delivery" className="p-1.5" onClick={onClose} type="button">
          <Icon name="close" />
        </button>
      </header>
      <Facts
        facts={[
          [
            'Sent to',
            <code className="font-mono text-xs break-all" key="url">
              {webhookUrl}
            </code>,
          ],
          ['Attempts', String(attempts)],
          ['Made', <Time at={delivery.createdAt} key="made" />],
          ['Next attempt', nextAttemptAt === undefined ? 'none' : <Time at={nextAttemptAt} key="next" />],
          ['webhook-id', <CopyText key="id" text={delivery.eventId} what="Event id" />],
          ['Response took', response.durationMs === undefined ? '–' : `${Math.round(response.durationMs)} ms`],
        ]}
      />
      {response.error !== undefined && <p className="text-fail">{response.error}</p>}
      {response.body !== undefined && response.body !== '' && (
        <JsonBlock label="Response body, first 2 KiB" value={response.body} />
      )}
      <JsonBlock label="Data of the event" value={data} />
      <Link
        className="inline-flex h-8 items-center justify-center gap-1.5 rounded-sm border border-line-2 px-3 font-medium hover:bg-hover"
        params={place}
        search={{ open: data.transactionId }}
        to="/m/$merchantId/$env/payments"
      >
        <Icon name="payments" />
        Open the payment
      </Link>
    </section>
  )
}
