import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import type { WriteDb } from '../platform/db.ts'
import { originOf } from './request-origin.ts'
import type { IssuedToken, KeyPair } from './token-exchange.ts'

type Needs = Omit<Context, 'db'> & { readonly db: WriteDb; readonly cell: number }

/** Answers a request that exchanges a key pair for a token, of a merchant or of a machine of the operator, and counts refusals. */
export async function answerExchange(
  ctx: Context,
  request: FastifyRequest,
  exchange: (needs: Needs, pair: KeyPair) => Promise<IssuedToken>,
): Promise<{ readonly success: true; readonly token: string; readonly expiresAt: number }> {
  const { publicKey } = request.body as { readonly publicKey: string }
  const pair = { publicKey, apiKey: String(request.headers['api-key']), address: request.ip, origin: originOf(request) }
  const needs = { ...ctx, db: ctx.db.write, cell: ctx.config.cell }
  try {
    const { token, expiresAt } = await exchange(needs, pair)
    return { success: true, token, expiresAt }
  } catch (error) {
    ctx.metrics.authFailures.inc({ at: 'exchange' })
    throw error
  }
}
