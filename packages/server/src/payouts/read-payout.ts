import type { FastifyRequest } from 'fastify'
import type { ReadItem } from './bulk.ts'
import type { PayoutBody as Body } from './price.ts'
import { PayoutBody } from './schema.ts'

/** Reads a payout that is a part of a request, or throws the error that it would get as a request of its own. */
export function payoutReader(request: Pick<FastifyRequest, 'compileValidationSchema'>): ReadItem {
  const validate = request.compileValidationSchema(PayoutBody, 'body') as unknown as (item: unknown) => {
    value?: Body
    error?: Error
  }
  return (item) => {
    const { value, error } = validate(item)
    if (error || !value) throw error ?? new Error('an item was not read')
    return value
  }
}
