import type { Context } from '../context.ts'
import { allEndpoints, type EndpointTables } from '../events/endpoint-tables.ts'
import { timing } from '../payments/resolve/timing.ts'
import { reach } from '../platform/failpoints.ts'
import { showId, timeOfId } from '../platform/ids.ts'
import { logRetry } from '../platform/log-retry.ts'
import { type Metrics, observeBatches } from '../platform/metrics.ts'
import type { Watch } from '../platform/wakeups.ts'
import { idsOfPayment, withWorkIds } from '../platform/work-ids.ts'
import { claimDeliveries, type Delivery, newPlace } from '../webhooks/claim.ts'
import { deliver, type Gates, openGates } from '../webhooks/deliver.ts'
import { type Attempted, createReporter, type Reporter } from '../webhooks/report.ts'
import { isSuccess } from '../webhooks/schedule.ts'
import { type DeliverySlots, divideSlots } from './delivery-slots.ts'

const endpointsMax = 100
const limits = { quickMax: 1000, quickMs: 1000, slowMax: 1000, underWayMax: 3000 }

/**
 * Delivers webhooks: claims endpoints with due work, posts, stores the responses. Slow endpoints delay no others. Default and added
 * endpoints are claimed separately, and share the slots.
 */
export function startDeliveries(ctx: Context): Watch {
  const gates = openGates({ sandboxRanges: ctx.config.webhookRanges, timeoutMs: timing.webhookTimeoutMs })
  const slots = divideSlots(limits, () => wakeAll())
  const underWay = new Set<Promise<void>>()
  const watches = allEndpoints.map((tables) => watchEndpoints(ctx, tables, { gates, slots, underWay }))
  const wakeAll = () => {
    for (const watch of watches) watch.wake()
  }
  return {
    stop: async () => {
      await Promise.all(watches.map((watch) => watch.stop()))
      await Promise.allSettled(underWay)
      await Promise.all([gates.live.close(), gates.sandbox.close()])
    },
  }
}

interface Shared {
  readonly gates: Gates
  readonly slots: DeliverySlots
  readonly underWay: Set<Promise<void>>
}

function watchEndpoints(ctx: Context, tables: EndpointTables, { gates, slots, underWay }: Shared) {
  const reporter = createReporter(ctx.db.write, tables, ctx.log, observeBatches(ctx.metrics, 'webhooks'))
  const counted: Reporter = {
    submit: (attempted) => {
      countAttempt(ctx.metrics, attempted)
      return reporter.submit(attempted)
    },
  }
  const deliverer = { gates, vault: ctx.vault, reporter: counted }
  const place = newPlace()

  const begin = (delivery: Delivery) => {
    const giveBack = slots.take(delivery)
    const { merchant_id, transaction_id } = delivery
    const ids = { merchantId: showId('merchant', merchant_id), ...idsOfPayment(transaction_id) }
    const attempt = withWorkIds(ids, () => deliver(deliverer, delivery))
      .catch((error) =>
        withWorkIds(ids, () => logRetry(ctx.log, error, {}, 'webhook delivery failed, will be retried')),
      )
      .finally(() => {
        giveBack()
        underWay.delete(attempt)
        watch.wake() // Its endpoint may have more to do.
      })
    underWay.add(attempt)
  }
  /** Ends as soon as nothing is due. It does not wait for attempts, so that a slow one delays no other wakeup. */
  const watch = ctx.wakeups.onWake('webhooks', timing.webhookPollEveryMs, async () => {
    let claimed: Delivery[] = []
    do {
      claimed = slots.hasRoom()
        ? await claimDeliveries(ctx.db.write, tables, endpointsMax, { place, leftOut: slots.leftOut() })
        : []
      if (claimed.length > 0) reach('webhook.claimed')
      for (const delivery of claimed) begin(delivery)
    } while (claimed.length > 0)
  })
  return watch
}

function countAttempt(metrics: Metrics, { delivery: { env, event_id, attempts }, posted }: Attempted): void {
  const refused = posted.kind === 'responded' ? `http_${Math.floor(posted.status / 100)}xx` : posted.kind
  metrics.webhookAttempts.inc({ env, result: isSuccess(posted) ? 'success' : refused })
  metrics.webhookDuration.observe({ env }, posted.durationMs / 1000)
  if (attempts > 0) return
  const waitedMs = Date.now() - posted.durationMs - timeOfId(event_id)
  metrics.webhookFirstAttempt.observe({ env }, Math.max(0, waitedMs) / 1000)
}
