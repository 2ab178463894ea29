import { Type } from 'typebox'
import { bearerOf } from '../auth/request-bearer.ts'
import type { Context } from '../context.ts'
import { invalid } from '../errors.ts'
import type { App } from '../http/app.ts'
import { AnyFields } from '../operate/api/schema.ts'
import { type Owner, type ReadDb, sql } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import { closed, dataOf } from './schema.ts'

const some = Type.Optional(Type.String())

const Entry = Type.Object(
  {
    id: Type.String(),
    at: Type.String(),
    actor: Type.Object({
      kind: Type.String({
        description: 'person, credential, system, anonymous, or operator for its staff and machines',
      }),
      id: Type.String(),
      name: Type.String(),
    }),
    action: Type.String(),
    result: Type.String({ description: 'done or refused' }),
    subject: Type.String(),
    detail: AnyFields,
    reason: some,
    requestId: some,
    address: some,
    userAgent: some,
    role: some,
    strength: some,
  },
  { title: 'AuditEntry' },
)

const Query = Type.Object(
  {
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: '50 if omitted' })),
    after: Type.Optional(Type.String({ maxLength: 100, description: 'The last entry of the page before' })),
  },
  closed,
)

/** The merchant's own audit trail: entries of the environment, and those of both. */
export function auditRoutes(app: App, ctx: Context): void {
  app.get(
    '/audit',
    {
      config: {},
      schema: {
        summary: 'Read the audit trail',
        description:
          'Newest first. Of what the operator did you see that and when; its reasons and details are its own.',
        tags: ['Audit trail'],
        querystring: Query,
        response: { 200: dataOf(Type.Array(Entry)) },
      },
    },
    async (request) => {
      const { limit = 50, after } = request.query
      const before = after === undefined ? lastId : readId('audit entry', after)
      if (before === undefined) throw invalid([{ field: 'after', message: 'after is not an entry of the audit trail' }])
      const rows = await entriesOf(ctx.db.read, bearerOf(request), { before, limit })
      return { success: true as const, data: rows.map(presentEntry) } as never
    },
  )
}

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

interface Row {
  readonly id: string
  readonly at: Date
  readonly actor_kind: string
  readonly actor: string
  readonly actor_name: string
  readonly action: string
  readonly result: string
  readonly subject: string
  readonly detail: Readonly<Record<string, unknown>>
  readonly reason: string | null
  readonly request_id: string | null
  readonly address: string | null
  readonly user_agent: string | null
  readonly role: string | null
  readonly strength: string | null
  /** By the merchant's own people and key pairs, or by none of the operator's. */
  readonly is_own: boolean
}

function entriesOf(db: ReadDb, owner: Owner, { before, limit }: { before: string; limit: number }): Promise<Row[]> {
  return db.query<Row>(
    owner,
    sql`
      select e.id, e.at, e.actor_kind, e.actor, e.actor_name, e.action, e.result, e.subject, e.detail, e.reason, e.request_id,
        e.address, e.user_agent, e.role, e.strength,
        case e.actor_kind
          when 'person' then coalesce(e.role, '') not like 'operator %' and e.actor in (
            select 'person_' || replace(m.person_id::text, '-', '')
            from memberships m
            where m.merchant_id = ${owner.merchant_id}
          )
          else e.actor_kind not in ('machine', 'break_glass')
        end as is_own
      from audit_entries e
      where e.merchant_id = ${owner.merchant_id}
        and e.id < ${before}
      order by e.id desc
      limit ${limit}`,
  )
}

/** Staff of the operator are one actor for merchants. */
function presentEntry(row: Row) {
  const { id, at, action, result, subject } = row
  const facts = { id: showId('audit entry', id), at: at.toISOString(), action, result, subject }
  if (!row.is_own) return { ...facts, actor: { kind: 'operator', id: 'operator', name: 'Operator' }, detail: {} }
  return {
    ...facts,
    actor: { kind: row.actor_kind, id: row.actor, name: row.actor_name },
    detail: row.detail,
    ...given({
      reason: row.reason,
      requestId: row.request_id,
      address: row.address,
      userAgent: row.user_agent,
      role: row.role,
      strength: row.strength,
    }),
  }
}

const given = (fields: Readonly<Record<string, string | null>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
