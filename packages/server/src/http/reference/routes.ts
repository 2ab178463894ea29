import { createHash } from 'node:crypto'
import type { App } from '../app.ts'
import { openApiDocument } from '../openapi.ts'
import type { DeclaredRoute } from '../routes.ts'
import { referencePage } from './page.ts'
import { style } from './style.ts'

/** `/openapi.json` for programs and `/docs` for people, both made of the routes themselves. */
export function registerReference(app: App, routes: readonly DeclaredRoute[]): void {
  const config = { isPublic: true }
  const document = once(() => openApiDocument(routes))
  const page = once(() => referencePage(document()))
  app.get('/openapi.json', { config }, (_, reply) => reply.headers(cacheable).send(document()))
  app.get('/docs', { config }, (_, reply) =>
    reply
      .headers({ ...cacheable, 'content-security-policy': pagePolicy })
      .type('text/html; charset=utf-8')
      .send(page()),
  )
}

const cacheable = { 'cache-control': 'public, max-age=300' }

/** Made at the first request, when every route has been declared, and kept. */
function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The page may use its own style and nothing else, from here or from elsewhere. */
const styleHash = createHash('sha256').update(style).digest('base64')
const pagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
