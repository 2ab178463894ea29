import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { dashboardDocument, openApiDocument, operatorDocument } from '../openapi.ts'
import type { DeclaredRoute } from '../routes.ts'
import { errorsPage } from './errors-page.ts'
import { referencePage } from './page.ts'
import { script } from './script.ts'
import { style } from './style.ts'

/** `/openapi.json` and those of `/operator/v1` and `/dashboard/v1` for programs, `/docs` and `/docs/errors` for people: generated from the routes and the error catalogue. */
export function registerReference(app: App, routes: readonly DeclaredRoute[], publicUrl: string): void {
  const { origin } = new URL(publicUrl)
  const config = { isPublic: true }
  const document = once(() => openApiDocument(routes))
  const published = once(() => publish(JSON.stringify(document())))
  const page = once(() => publish(referencePage(document(), origin)))
  app.get('/openapi.json', { config }, (request, reply) =>
    send(request, reply.type('application/json; charset=utf-8'), published()),
  )
  for (const [path, documentOf] of Object.entries({
    '/operator/v1/openapi.json': operatorDocument,
    '/dashboard/v1/openapi.json': dashboardDocument,
  })) {
    const text = once(() => publish(JSON.stringify(documentOf(routes))))
    app.get(path, { config }, (request, reply) => send(request, reply.type('application/json; charset=utf-8'), text()))
  }
  const errors = once(() => publish(errorsPage()))
  for (const [path, text] of Object.entries({ '/docs': page, '/docs/errors': errors }))
    app.get(path, { config }, (request, reply) =>
      send(request, reply.header('content-security-policy', pagePolicy).type('text/html; charset=utf-8'), text()),
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

/** The page may use its own style and its own script, and nothing else. */
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const pagePolicy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
