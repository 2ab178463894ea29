import type { WebhookBody } from '../payments/notify/webhook-body.ts'
import { showId } from '../platform/ids.ts'
import type { WebhookRecord } from './store.ts'

export function presentRecord(record: WebhookRecord) {
  const { id, event, body, created_at, status, attempts, next_attempt_at, url, response } = record
  const { data } = JSON.parse(body) as Pick<WebhookBody, 'data'>
  return {
    id: showId('webhook', id),
    createdAt: created_at.toISOString(),
    event,
    data,
    response,
    webhookUrl: url,
    status,
    attempts,
    ...(next_attempt_at && status === 'FAILED' && { nextAttemptAt: next_attempt_at.toISOString() }),
  }
}
