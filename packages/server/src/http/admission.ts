import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { guards, requestId } from './answer-headers.ts'
import { envelope } from './refuse.ts'

/**
 * Turns requests away while others wait for too long already, before anything is done for them: whoever is refused at once can
 * come again, and who was let in is answered in time. It stands before the framework, so that a refusal costs little. Health,
 * metrics and the providers' news are always let in.
 */
export function admitting({ turnstile, metrics }: Context, handle: RequestListener): RequestListener {
  const refuse = createRefusal()
  return (request, response) => {
    if (isLetIn(request)) return handle(request, response)
    const leave = turnstile.enter(() => handle(request, response))
    if (leave) return void response.once('close', leave)
    metrics.turnedAway.inc()
    refuse(request, response)
  }
}

const isLetIn = ({ url = '' }: IncomingMessage) => /^\/(health|metrics|callbacks)\b/.test(url)

function createRefusal(): (request: IncomingMessage, response: ServerResponse) => void {
  const headers = { ...guards, 'retry-after': '1', 'content-type': 'application/json; charset=utf-8' }
  const [before = '', after = ''] = JSON.stringify(envelope(new AppError('OVERLOADED'), '\u0000')).split('\\u0000')
  return (request, response) => {
    const id = requestId(request)
    const body = before + JSON.stringify(id).slice(1, -1) + after
    response.writeHead(503, { ...headers, 'x-request-id': id, 'content-length': body.length })
    response.end(body)
  }
}
