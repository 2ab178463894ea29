import type { ServerResponse } from 'node:http'
import type { Reply } from './dialect.ts'

export function sendReply(response: ServerResponse, { status, body, headers }: Reply): void {
  if (response.destroyed) return
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const bytes = Buffer.from(text)
  response.writeHead(status, {
    'content-type': 'application/json',
    ...headers,
    'content-length': String(bytes.length),
  })
  response.end(bytes)
}
