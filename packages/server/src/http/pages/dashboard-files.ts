import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import type { App } from '../app.ts'

const folder = join(import.meta.dirname, '../../../../dashboard/dist')

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The dashboard runs its own files, calls this server, and reaches no other host. No page may frame it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

interface File {
  readonly body: Buffer
  readonly gzipped: Buffer
  readonly type: string
  readonly etag: string
}

/**
 * `/dashboard`: the built files of packages/dashboard, from memory. Every path without a file is the page itself, which has its own
 * routes. Paths of the API are not its own: without a session, a caller cannot find out which of them exist.
 */
export function registerDashboard(app: App): void {
  const files = readFiles()
  const page = files.get('index.html')
  const config = { isPublic: true } as const
  const send = (request: FastifyRequest, reply: FastifyReply) => {
    const { '*': path = '' } = request.params as { readonly '*'?: string }
    const file = files.get(path)
    if (!page || (!file && /\.\w+$/.test(path))) return reply.callNotFound()
    return sendFile(request, reply, file ?? page, path)
  }
  app.get('/dashboard', { config }, send)
  app.get('/dashboard/*', { config }, send)
  const unknown = { config: { isRefusal: true, isForPeople: true } as const, handler: missing }
  for (const url of ['/dashboard/v1', '/dashboard/v1/*'])
    app.route({ ...unknown, url, method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] })
}

const missing = async () => {
  throw new AppError('ROUTE_NOT_FOUND')
}

/** The path of the dashboard's font, for the pages that are not part of it; undefined until the dashboard is built. */
export function dashboardFont(): string | undefined {
  const assets = join(folder, 'assets')
  const name = existsSync(assets) && readdirSync(assets).find((each) => /^inter-latin-wght-normal.*\.woff2$/.test(each))
  return name ? `/dashboard/assets/${name}` : undefined
}

function sendFile(request: FastifyRequest, reply: FastifyReply, { body, gzipped, type, etag }: File, path: string) {
  const isZipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? '')) && gzipped.length < body.length
  reply.headers({
    'content-security-policy': policy,
    'cache-control': cachingOf(path, type),
    etag,
    vary: 'accept-encoding',
    ...(isZipped && { 'content-encoding': 'gzip' }),
  })
  if (request.headers['if-none-match'] === etag) return reply.code(304).send()
  return reply.type(type).send(isZipped ? gzipped : body)
}

/** Names of assets change with their content. A stored page would be shown with its payments on the way back, after signing out. */
function cachingOf(path: string, type: string): string {
  if (path.startsWith('assets/')) return 'public, max-age=31536000, immutable'
  return type.startsWith('text/html') ? 'no-store' : 'no-cache'
}

/** None until the dashboard is built. */
function readFiles(): ReadonlyMap<string, File> {
  if (!existsSync(folder)) return new Map()
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && extname(entry.name) in types,
  )
  return new Map(
    names.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const body = readFileSync(path)
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
      const type = types[extname(entry.name)] ?? 'application/octet-stream'
      const isText = /text|svg/.test(type)
      return [relative(folder, path), { body, gzipped: isText ? gzipSync(body, { level: 9 }) : body, type, etag }]
    }),
  )
}
