import { Button } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { Detail } from '../../ui/detail.tsx'
import { Facts } from '../../ui/facts.tsx'
import { JsonBlock } from '../../ui/json-block.tsx'
import { Time } from '../../ui/time.tsx'
import type { Delivery } from './developers-query.ts'
import { HttpStatus } from './http-status.tsx'
import { PaymentLink } from './payment-link.tsx'
import { useResend } from './use-resend.ts'

interface DeliveryDetailProps {
  readonly delivery: Delivery
  readonly onClose: () => void
}

/** One delivery: what was sent, what the receiver responded, and when it is tried again. */
export function DeliveryDetail({ delivery, onClose }: DeliveryDetailProps) {
  const { resend, isBusy, mayResend } = useResend()
  const { id, event, response, webhookUrl, attempts, nextAttemptAt, data } = delivery
  return (
    <Detail
      of="delivery"
      id={delivery.id}
      title={
        <>
          {response.status !== '' && <HttpStatus status={response.status} />}
          <h2 className="min-w-0 flex-1 truncate font-mono text-xs font-semibold">{event}</h2>
        </>
      }
      actions={
        mayResend && (
          <Button isBusy={isBusy} onClick={() => resend([id])}>
            Resend
          </Button>
        )
      }
      onClose={onClose}
    >
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
      <PaymentLink transactionId={data.transactionId} />
    </Detail>
  )
}
