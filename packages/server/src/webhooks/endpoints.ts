import assert from 'node:assert/strict'
import { recordAudit } from '../audit/record.ts'
import { auditOf, type Bearer } from '../auth/bearer.ts'
import type { Context } from '../context.ts'
import { AppError, invalid } from '../errors.ts'
import { defaultEndpointId, type EndpointKey } from '../events/endpoint-tables.ts'
import * as endpoints from '../merchants/endpoints.ts'
import { makeWebhookSecret, sealWebhookSecret } from '../merchants/webhook-secret.ts'
import { urlProblem } from '../merchants/webhook-url.ts'
import { databaseTimeMs } from '../platform/clock.ts'
import type { Environment, Tx } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { nameMerchants } from '../platform/named-merchants.ts'
import { showEndpointId } from './present.ts'
import { stoppedPerPage, stopRecords } from './stop.ts'

export interface NewEndpoint {
  readonly url: string
  readonly description: string
  readonly events: readonly string[]
  readonly is_enabled: boolean
}

/** Adds an endpoint with its own secret, which is returned only this once. It gets the events from now on. */
export async function addEndpoint(
  ctx: Context,
  bearer: Bearer,
  made: NewEndpoint,
): Promise<{ readonly endpoint: endpoints.Endpoint; readonly secret: string }> {
  refuseUrl(bearer.env, made.url)
  const key = keyOf(bearer, newId(await databaseTimeMs(ctx.db.write), ctx.config.cell))
  const secret = makeWebhookSecret()
  await audited(ctx, bearer, { action: 'webhook-endpoint.create', key, detail: { ...made } }, async (tx) => {
    const sealed_secret = sealWebhookSecret(ctx.vault, key, secret)
    if (!(await endpoints.insertAdded(tx, { ...key, ...made, sealed_secret })))
      throw new AppError('WEBHOOK_ENDPOINT_LIMIT')
  })
  return { endpoint: await findEndpoint(ctx, bearer, key.endpoint_id), secret }
}

export async function findEndpoint(ctx: Context, bearer: Bearer, id: string): Promise<endpoints.Endpoint> {
  const found = (await endpoints.listEndpoints(ctx.db.read, bearer)).find((endpoint) => endpoint.id === id)
  if (!found) throw new AppError('WEBHOOK_ENDPOINT_MISSING')
  return found
}

/**
 * Changes what is sent. An endpoint that the merchant disables gets no events, and its open records end: enabling it again sends
 * only what happens later. One that Malipo disabled, because it failed for too long or is gone, then gets what waits for it.
 */
export async function changeEndpoint(
  ctx: Context,
  bearer: Bearer,
  id: string,
  change: endpoints.EndpointChange,
): Promise<endpoints.Endpoint> {
  if (change.url !== undefined) refuseUrl(bearer.env, change.url)
  const key = keyOf(bearer, id)
  const isDisabled = change.is_enabled === false
  await audited(ctx, bearer, { action: 'webhook-endpoint.update', key, detail: { ...change } }, async (tx) => {
    const before = await endpoints.lockEndpoint(tx, key)
    if (!before) throw new AppError('WEBHOOK_ENDPOINT_MISSING')
    if (isDisabled || !before.is_enabled) await stopRecords(tx, key, 'the endpoint was disabled')
    await endpoints.updateEndpoint(tx, key, before, change)
  })
  if (isDisabled) await stopAll(ctx, key, 'the endpoint was disabled')
  else ctx.wakeups.wake('webhooks')
  return findEndpoint(ctx, bearer, id)
}

/** Deletes an endpoint, or empties the default. Its open records end, and all of them stay readable. */
export async function deleteEndpoint(ctx: Context, bearer: Bearer, id: string): Promise<void> {
  const key = keyOf(bearer, id)
  await audited(ctx, bearer, { action: 'webhook-endpoint.delete', key, detail: {} }, async (tx) => {
    if (!(await endpoints.lockEndpoint(tx, key))) throw new AppError('WEBHOOK_ENDPOINT_MISSING')
    await stopRecords(tx, key, 'the endpoint was deleted')
    if (id === defaultEndpointId) await endpoints.clearDefault(tx, key)
    else await endpoints.deleteAdded(tx, key)
  })
  await stopAll(ctx, key, 'the endpoint was deleted')
}

/** Creates a new signing secret for one endpoint. For a day deliveries are signed with the old one too. */
export async function rotateSecret(ctx: Context, bearer: Bearer, id: string): Promise<string> {
  const key = keyOf(bearer, id)
  const secret = makeWebhookSecret()
  await audited(ctx, bearer, { action: 'webhook-endpoint.rotate-secret', key, detail: {} }, async (tx) => {
    if (!(await endpoints.lockEndpoint(tx, key))) throw new AppError('WEBHOOK_ENDPOINT_MISSING')
    assert(
      await endpoints.replaceSecret(tx, key, sealWebhookSecret(ctx.vault, key, secret)),
      'a locked endpoint vanished',
    )
  })
  return secret
}

const keyOf = ({ merchant_id, env }: Bearer, endpoint_id: string): EndpointKey => ({ merchant_id, env, endpoint_id })

function refuseUrl(env: Environment, url: string): void {
  const problem = urlProblem(env, url)
  if (problem) throw invalid([{ field: 'url', message: `url ${problem}` }])
}

interface Act {
  readonly action: string
  readonly key: EndpointKey
  readonly detail: object
}

/** The change and its audit entry in one transaction. */
async function audited(
  ctx: Context,
  bearer: Bearer,
  { action, key, detail }: Act,
  change: (tx: Tx) => Promise<void>,
): Promise<void> {
  await ctx.db.write.transaction(async (tx) => {
    await nameMerchants(tx, [bearer.merchant_id])
    await change(tx)
    await recordAudit(tx, ctx.config.cell, {
      ...auditOf(bearer, action, detail),
      subject: showEndpointId(key.endpoint_id),
    })
  })
}

/** What did not fit into the first page. The sweep ends the rest if this process dies (webhooks/sweep.ts). */
async function stopAll(ctx: Context, key: EndpointKey, reason: Parameters<typeof stopRecords>[2]): Promise<void> {
  const page = () =>
    ctx.db.write.transaction(async (tx) => {
      await nameMerchants(tx, [key.merchant_id])
      return stopRecords(tx, key, reason)
    })
  while ((await page()) === stoppedPerPage);
}
