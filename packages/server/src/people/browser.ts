import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { newBrowserId } from './challenges.ts'
import { cookiesFor, readCookie, writeCookie } from './cookies.ts'
import type { Client } from './sessions.ts'
import type { Browser } from './sign-in.ts'

type Site = Pick<Context, 'config'>

export function clientOf({ ip, headers }: FastifyRequest): Client {
  return { address: ip.replace(/^::ffff:(?=\d+\.)/i, ''), userAgent: (headers['user-agent'] ?? '').slice(0, 300) }
}

/** The browser that sent a request, by its cookies. */
export function browserOf({ config }: Site, request: FastifyRequest): Browser {
  const cookies = cookiesFor(config.publicUrl)
  const { cookie } = request.headers
  return {
    ...clientOf(request),
    id: readCookie(cookie, cookies.browser),
    token: readCookie(cookie, cookies.session),
  }
}

/** The id of the browser; a browser without one gets it. */
export function markedBrowser(ctx: Site, request: FastifyRequest, reply: FastifyReply): string {
  const known = browserOf(ctx, request).id
  if (known !== '') return known
  const made = newBrowserId()
  const cookies = cookiesFor(ctx.config.publicUrl)
  reply.header('set-cookie', writeCookie(cookies, cookies.browser, made))
  return made
}

/** Gives the browser its new session. */
export function setSession({ config }: Site, reply: FastifyReply, token: string): void {
  const cookies = cookiesFor(config.publicUrl)
  reply.header('set-cookie', writeCookie(cookies, cookies.session, token))
}
