import { Type } from 'typebox'
import { invalid } from '../../errors.ts'
import { type Operation, operation } from './operation.ts'
import { AuditView } from './people-schema.ts'
import { Environment, Limit, MerchantId, oneOf, text } from './schema.ts'

const time = Type.Optional(Type.String({ maxLength: 40, description: 'A time such as 2026-11-17T06:00:00Z' }))

export const auditOperations: readonly Operation[] = [
  operation({
    name: 'audit.list',
    method: 'GET',
    path: '/audit',
    permission: 'audit:read',
    summary: 'List entries of the audit trail, newest first',
    input: Type.Object({
      actor: Type.Optional(text),
      action: Type.Optional(text),
      subject: Type.Optional(text),
      merchant: Type.Optional(MerchantId),
      env: Type.Optional(Environment),
      result: Type.Optional(oneOf(['done', 'refused'])),
      from: time,
      to: time,
      after: Type.Optional(text),
      limit: Limit(1000),
    }),
    output: Type.Array(AuditView),
    run: (operator, { from, to, ...order }) =>
      operator.audit.list({
        ...order,
        ...(from !== undefined && { from: timeOf('from', from) }),
        ...(to !== undefined && { to: timeOf('to', to) }),
      }),
  }),
  operation({
    name: 'audit.show',
    method: 'GET',
    path: '/audit/:entry',
    permission: 'audit:read',
    summary: 'Show an entry of the audit trail',
    input: Type.Object({ entry: Type.String({ maxLength: 100, description: '`aud_…`' }) }),
    output: AuditView,
    run: (operator, { entry }) => operator.audit.show(entry),
  }),
]

function timeOf(field: string, sent: string): Date {
  const at = new Date(sent)
  if (Number.isNaN(at.getTime()))
    throw invalid([{ field, message: `${field} must be a time such as 2026-11-17T06:00:00Z` }])
  return at
}
