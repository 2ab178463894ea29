import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { openApiDocument } from '../openapi.ts'
import type { DeclaredRoute } from '../routes.ts'
import { referencePage } from './page.ts'
import { style } from './style.ts'

/** `/openapi.json` for programs and `/docs` for people, both generated from the routes. */
export function registerReference(app: App, routes: readonly DeclaredRoute[], publicUrl: string): void {
  const { origin } = new URL(publicUrl)
  const config = { isPublic: true }
  const document = once(() => openApiDocument(routes))
  const published = once(() => publish(JSON.stringify(document())))
  const page = once(() => publish(referencePage(document(), origin)))
  app.get('/openapi.json', { config }, (request, reply) =>
    send(request, reply.type('application/json; charset=utf-8'), published()),
  )
  app.get('/docs', { config }, (request, reply) =>
    send(request, reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8'), page()),
  )
}

/** Large texts, stored ready to send, because any client may request them as often as its address limit allows. */
interface Published {
  readonly plain: Buffer
  readonly packed: Buffer
  readonly etag: string
}

function publish(text: string): Published {
  const plain = Buffer.from(text)
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { plain, packed: gzipSync(plain, { level: 9 }), etag }
}

function send({ headers }: FastifyRequest, reply: FastifyReply, { plain, packed, etag }: Published): FastifyReply {
  reply.headers({ ...cacheable, etag, vary: 'accept-encoding' })
  if (headers['if-none-match'] === etag) return reply.code(304).send()
  const isPacked = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))
  return isPacked ? reply.header('content-encoding', 'gzip').send(packed) : reply.send(plain)
}

const cacheable = { 'cache-control': 'public, max-age=300' }

/** Created at the first request, when every route is declared, and kept. */
function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The page may use its own style and nothing else. */
const styleHash = createHash('sha256').update(style).digest('base64')
const pagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
