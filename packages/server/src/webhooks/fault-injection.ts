import type { EndpointTables } from '../events/endpoint-tables.ts'
import type { WebhookBody } from '../payments/notify/webhook-body.ts'
import type { BatchTx } from '../platform/db.ts'
import type { Attempted } from './report.ts'
import { isLast, isSuccess } from './schedule.ts'

/**
 * Injects a sandbox payment's webhook faults, in the transaction that stores the responses: a delivered webhook is delivered once
 * more, and a first webhook that was held back follows the last. Live records have no scenario, so nothing happens there.
 * Endpoints are locked already, as always before records.
 */
export async function injectFaults(
  tx: BatchTx,
  { sql }: EndpointTables,
  attempted: readonly Attempted[],
): Promise<void> {
  const again = attempted.filter(isToRepeat).map(({ delivery }) => delivery.id)
  const ends = attempted.filter(isEnd).map(({ delivery }) => delivery.id)
  if (again.length + ends.length === 0) return
  await tx.query(sql`
    with due as (
      update webhook_records w
      set next_attempt_at = record_time(), scenario = null
      where w.id = any(${again}::uuid[])
        and w.scenario = 'duplicate-webhook'
      returning w.merchant_id, w.env, w.endpoint_id
    ), released as (
      update webhook_records w
      set next_attempt_at = record_time(), scenario = null
      from webhook_records ended
      where ended.id = any(${ends}::uuid[])
        and w.transaction_id = ended.transaction_id
        and w.endpoint_id = ended.endpoint_id
        and w.id <> ended.id
        and w.scenario = 'out-of-order-webhook'
        and w.attempts = 0
        and w.next_attempt_at is null
      returning w.merchant_id, w.env, w.endpoint_id
    )
    update webhook_endpoints e
    set next_due = greatest(record_time(), e.rests_until), waiting_from = '00000000-0000-0000-0000-000000000000'
    where (e.merchant_id, e.env, e.id) in (select * from due union select * from released)`)
}

/** Only a delivered webhook is repeated; any other is retried anyway. */
const isToRepeat = ({ delivery, posted }: Attempted) => delivery.scenario === 'duplicate-webhook' && isSuccess(posted)

/** The final webhook was delivered, or has no retry left. */
const isEnd = ({ delivery, posted }: Attempted) =>
  delivery.scenario === 'out-of-order-webhook' &&
  (isSuccess(posted) || isLast(delivery.attempts + 1)) &&
  (JSON.parse(delivery.body) as WebhookBody).data.status !== 'pending'
