import type { FastifyRequest } from 'fastify'
import type { Origin } from '../audit/record.ts'

/** Where a request came from, for the audit trail. */
export const originOf = ({ id: requestId, ip: address, headers }: FastifyRequest): Origin => ({
  requestId,
  address,
  userAgent: headers['user-agent'],
})
