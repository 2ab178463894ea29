import type { FastifyRequest } from 'fastify'
import { laneOf } from '../alarms/alarms.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Environment } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { attemptOfKey } from '../platform/ids.ts'
import type { CallbackNews, InboundRequest } from '../providers/contract.ts'
import type { News } from '../transactions/decision.ts'
import { askWhatIsTrue, isContraryTo } from '../transactions/dispatch.ts'
import type { Access, App } from './app.ts'

/**
 * Where providers tell us news. It is verified, settled and only then thanked for: a provider whose callback got lost on
 * the way to the database sends it again. What cannot be proved only makes us ask.
 */
export function registerCallbacks(app: App, ctx: Context): void {
  const config: Access = { isPublic: true }
  app.register((scope, _, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (__, body, parsed) => parsed(null, body))
    for (const [env, path] of [
      ['live', '/callbacks/:provider'],
      ['sandbox', '/callbacks/sandbox/:provider'],
    ] as const)
      scope.post(path, { config, schema: { hide: true } as object }, (request) => receive(ctx, env, request))
    done()
  })
}

async function receive(ctx: Context, env: Environment, request: FastifyRequest): Promise<object> {
  const { provider } = request.params as { provider: string }
  const connector = ctx.connectors[env].get(provider)
  if (!connector?.callbacks) throw new AppError('ROUTE_NOT_FOUND')
  const verdict = await connector.callbacks.read(inbound(request))
  if (!verdict.isGenuine) {
    ctx.metrics.authFailures.inc({ at: 'callback' })
    ctx.log.debug({ provider, env, why: verdict.why }, 'a callback was not believed')
    throw new AppError('UNAUTHORIZED')
  }
  reach('callback.verified')
  const settled = verdict.news.map((news) => settle(ctx, env, provider, news, verdict.isProof))
  await Promise.all(settled)
  reach('callback.settled')
  return {}
}

async function settle(
  ctx: Context,
  env: Environment,
  provider: string,
  { key, said }: CallbackNews,
  isProof: boolean,
): Promise<void> {
  const found = attemptOfKey(key)
  const news: News = isProof ? { kind: 'said', said } : { kind: 'hint' }
  const standing =
    found &&
    (await ctx.settler.submit({
      transaction_id: found.transactionId,
      attempt: found.attempt,
      cause: 'callback',
      from: { env, provider },
      news,
    }))
  if (!standing) ctx.log.warn({ provider, env, key }, 'a callback names no payment of ours')
  if (standing && news.kind === 'hint') ctx.bell.ring(laneOf(env, provider))
  const isBooked = isProof && said.state === 'received' // Each receipt has an id: an old callback says nothing new.
  if (!standing || isBooked) return
  const { transaction } = standing
  const isToAsk = isContraryTo(standing, found.attempt, said)
  // Until it answers it is to call again.
  if (isToAsk && !(await askWhatIsTrue(ctx, { ...transaction, provider }, found.attempt)))
    throw new AppError('PROVIDER_UNAVAILABLE')
}

function inbound(request: FastifyRequest): InboundRequest {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')])
  return {
    method: request.method,
    path: request.url,
    host: request.host,
    headers: Object.fromEntries(headers),
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  }
}
