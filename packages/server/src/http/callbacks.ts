import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { receiveCallback } from '../payments/resolve/receive-callback.ts'
import type { Environment } from '../platform/db.ts'
import type { InboundRequest } from '../providers/contract.ts'
import type { Access, App } from './app.ts'
import { refusalOfShape } from './body-shape.ts'

/** The routes for provider callbacks. The response is sent once the report is durable. */
export function registerCallbacks(app: App, ctx: Context): void {
  const authority = new URL(ctx.config.publicUrl).host
  const config: Access = { isPublic: true, budget: 'callback' }
  app.register((scope, _, done) => {
    scope.removeAllContentTypeParsers()
    // JSON's structural characters are the same bytes in every encoding that providers use.
    scope.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (__, body, parsed) =>
      parsed(refusalOfShape(body.toString('latin1')) ?? null, body),
    )
    for (const [env, path] of [
      ['live', '/callbacks/:provider'],
      ['sandbox', '/callbacks/sandbox/:provider'],
    ] as const)
      scope.post(path, { config, schema: { hide: true } as object }, (request) =>
        receive(ctx, { env, request, authority }),
      )
    done()
  })
}

interface Sent {
  readonly env: Environment
  readonly request: FastifyRequest
  readonly authority: string
}

async function receive(ctx: Context, { env, request, authority }: Sent): Promise<object> {
  const { provider } = request.params as { provider: string }
  await receiveCallback(ctx, { env, provider, address: request.ip }, inbound(request, authority))
  return {}
}

function inbound(request: FastifyRequest, authority: string): InboundRequest {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')])
  return {
    method: request.method,
    path: request.url,
    authority,
    headers: Object.fromEntries(headers),
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
  }
}
