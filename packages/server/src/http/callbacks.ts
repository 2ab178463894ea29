import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { Environment } from '../platform/db.ts'
import type { InboundRequest } from '../providers/contract.ts'
import { receiveCallback } from '../transactions/receive-callback.ts'
import type { Access, App } from './app.ts'

/** Where providers report. A callback is answered once what it says is durable. */
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
  await receiveCallback(ctx, { env, provider, address: request.ip }, inbound(request))
  return {}
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
