import type { WebhookBody } from '../payments/notify/webhook-body.ts'
import { type BatchTx, sql } from '../platform/db.ts'
import type { Attempted } from './report.ts'
import { isLast, isSuccess } from './schedule.ts'

/**
 * Plays what a sandbox payment asks of its webhooks, with the replies that are kept in the same transaction: one that was taken
 * is delivered once more, and a beginning that was held back follows its end. Records of live have no scenario, so there
 * is nothing to play. Endpoints are locked already, as everywhere before records.
 */
export async function play(tx: BatchTx, attempted: readonly Attempted[]): Promise<void> {
  const again = attempted.filter(isToRepeat).map(({ delivery }) => delivery.id)
  const ends = attempted.filter(isEnd).map(({ delivery }) => delivery.id)
  if (again.length + ends.length === 0) return
  await tx.query(sql`
    with due as (
      update webhook_records w
      set next_attempt_at = record_time(), scenario = null
      where w.id = any(${again}::uuid[])
        and w.scenario = 'duplicate-webhook'
      returning w.merchant_id, w.env
    ), released as (
      update webhook_records w
      set next_attempt_at = record_time(), scenario = null
      from webhook_records ended
      where ended.id = any(${ends}::uuid[])
        and w.transaction_id = ended.transaction_id
        and w.id <> ended.id
        and w.scenario = 'out-of-order-webhook'
        and w.attempts = 0
        and w.next_attempt_at is null
      returning w.merchant_id, w.env
    )
    update webhook_endpoints e
    set next_due = greatest(record_time(), e.rests_until)
    where (e.merchant_id, e.env) in (select * from due union select * from released)`)
}

/** Only what was taken can come a second time; what was not is tried again anyway. */
const isToRepeat = ({ delivery, posted }: Attempted) => delivery.scenario === 'duplicate-webhook' && isSuccess(posted)

/** The end was taken, or nobody will try it again. */
const isEnd = ({ delivery, posted }: Attempted) =>
  delivery.scenario === 'out-of-order-webhook' &&
  (isSuccess(posted) || isLast(delivery.attempts + 1)) &&
  (JSON.parse(delivery.body) as WebhookBody).data.status !== 'pending'
