import { createHash } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { Access, App } from '../http/app.ts'

/**
 * A picture for the bank that a customer transfers to: its initials on a fixed colour. Real logos belong to the banks. We only
 * guarantee that the picture exists and never changes.
 */
export function bankLogoRoute(app: App): void {
  const config: Access = { isPublic: true }
  app.get('/bank-logos/:file', { config, schema: { hide: true } as object }, (request, reply) => {
    const { file } = request.params as { file: string }
    const [, name] = /^([\p{L}\p{N} .,'&()-]{1,60})\.svg$/u.exec(file) ?? []
    if (name === undefined) throw new AppError('ROUTE_NOT_FOUND')
    return reply.type('image/svg+xml').header('cache-control', 'public, max-age=86400').send(draw(name))
  })
}

function draw(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? []
  const initials = words.slice(0, 2).map((word) => [...word][0]?.toUpperCase() ?? '')
  const hue = createHash('sha256').update(name).digest().readUInt16BE() % 360
  return [
    '<svg xmlns="http://www.w3.org/2000/svg" width="96" height="96" viewBox="0 0 96 96" role="img">',
    `<rect width="96" height="96" rx="20" fill="hsl(${hue} 45% 36%)"/>`,
    '<text x="48" y="49" fill="#fff" font-family="system-ui, sans-serif" font-size="38" font-weight="600"',
    ` text-anchor="middle" dominant-baseline="central">${initials.join('')}</text></svg>`,
  ].join('')
}
