import type { FastifyRequest } from 'fastify'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { operationRefused, operatorBase } from '../operate/api/routes.ts'
import { type OperatorContext, OperatorError } from '../operate/operator-context.ts'
import { principalOf } from '../people/request-principal.ts'
import { showId } from '../platform/ids.ts'

/** Runs what staff can also do for a merchant, as the person who sends the request, for the merchant of the path. */
export type AsMember = <Result>(
  request: FastifyRequest,
  act: (context: OperatorContext, merchantId: string) => Promise<Result>,
) => Promise<Result>

export function actingMembers(ctx: Context): AsMember {
  const base = operatorBase(ctx)
  return async (request, act) => {
    const { merchant_id, origin = {} } = bearerOf(request)
    const context = { ...base, principal: principalOf(request), origin }
    try {
      return await act(context, showId('merchant', merchant_id))
    } catch (error) {
      throw error instanceof OperatorError ? operationRefused(error) : error
    }
  }
}
