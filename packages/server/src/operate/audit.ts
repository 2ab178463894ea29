import assert from 'node:assert/strict'
import type { Fault } from '../audit/faults.ts'
import { type Verified, verifyAudit } from '../audit/verify.ts'
import { type Environment, sql } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import { type OperatorContext, OperatorError } from './operator-context.ts'
import { shownFields } from './personal-numbers.ts'
import { readSealLines } from './seal-file.ts'

/** An entry of the audit trail, for staff and auditors. */
interface AuditView {
  readonly id: string
  readonly at: string
  readonly actor: { readonly kind: string; readonly id: string; readonly name: string }
  readonly action: string
  readonly result: string
  readonly subject: string
  readonly merchantId?: string
  readonly env?: Environment
  readonly reason?: string
  readonly detail: Readonly<Record<string, unknown>>
  readonly requestId?: string
  readonly address?: string
  readonly userAgent?: string
  readonly role?: string
  readonly strength?: string
  /** Its place in the trail, as `malipo audit verify` names it. */
  readonly chain: number
  readonly number: string
  readonly hash: string
  /** The names, today, of the people and merchants whose ids are in the entry. */
  readonly names: Readonly<Record<string, string>>
}

/** Each property narrows the result. */
interface AuditFilter {
  /** The actor's id, such as `person_…` or `cred_…`; for break-glass the account of the machine. */
  readonly actor?: string
  readonly action?: string
  readonly subject?: string
  readonly merchant?: string
  readonly env?: Environment
  readonly result?: 'done' | 'refused'
  readonly from?: Date
  /** Not included. */
  readonly to?: Date
}

interface AuditListOrder extends AuditFilter {
  readonly limit: number
  /** Continues after this entry, the last of the page before. */
  readonly after?: string
}

/** As it is stored: names may change, the export of a time does not. */
type ExportedEntry = Omit<AuditView, 'names'>

/** The operator's commands about the audit trail. */
export interface AuditCommands {
  list(order: AuditListOrder): Promise<AuditView[]>
  show(id: string): Promise<AuditView>
  /** Pages of entries, oldest first. */
  export(filter: AuditFilter): AsyncGenerator<ExportedEntry[]>
  verify(order: { readonly isFull: boolean }): Promise<VerifyReport>
}

export const auditCommands = (context: OperatorContext, sealsPath: string | undefined): AuditCommands => ({
  list: (order) => listAudit(context, order),
  show: (id) => showAudit(context, id),
  export: (filter) => exportAudit(context, filter),
  verify: ({ isFull }) => verifyTrail(context, { isFull, sealsPath }),
})

/** Entries, newest first. */
async function listAudit(context: OperatorContext, order: AuditListOrder): Promise<AuditView[]> {
  const before = order.after === undefined ? null : entryId(order.after)
  const rows = await page(context, order, { before, after: null, limit: order.limit })
  return withNames(
    context,
    rows.map((row) => view(context, row)),
  )
}

const exportPage = 1000

/** All entries, oldest first, a page at a time: the trail does not fit in memory. */
async function* exportAudit(context: OperatorContext, filter: AuditFilter): AsyncGenerator<ExportedEntry[]> {
  let after: string | null = firstId
  while (after !== null) {
    const rows: readonly Stored[] = await page(context, filter, { before: null, after, limit: exportPage })
    if (rows.length > 0) yield rows.map((row) => view(context, row))
    after = rows.length < exportPage ? null : (rows.at(-1)?.id ?? null)
  }
}

const firstId = '00000000-0000-0000-0000-000000000000'

async function showAudit(context: OperatorContext, shownId: string): Promise<AuditView> {
  const [found] = await context.db.write.query<Stored>(sql`select * from audit_entries where id = ${entryId(shownId)}`)
  if (!found) throw new OperatorError(`no audit entry has the id ${shownId}`)
  const [shown] = await withNames(context, [view(context, found)])
  assert(shown)
  return shown
}

/** One read for all entries of the page, by primary key. */
async function withNames({ db }: OperatorContext, entries: readonly ExportedEntry[]): Promise<AuditView[]> {
  const idsOf = ({ actor, subject, merchantId, detail }: ExportedEntry) =>
    JSON.stringify([actor.id, subject, merchantId, detail]).match(/\b(?:person|mer)_[0-9a-f]{32}\b/g) ?? []
  const found = entries.map((entry) => ({ entry, ids: idsOf(entry) }))
  const ids = [...new Set(found.flatMap((each) => each.ids))]
  const rows =
    ids.length === 0
      ? []
      : await db.write.query<{ id: string; name: string; kind: 'person' | 'merchant' }>(sql`
          select id, name, 'person' as kind from people where id = any(${rawIds(ids, 'person')}::uuid[])
          union all
          select id, name, 'merchant' from merchants where id = any(${rawIds(ids, 'merchant')}::uuid[])`)
  const names = new Map(rows.map(({ id, name, kind }) => [showId(kind, id), name]))
  return found.map(({ entry, ids: own }) => ({
    ...entry,
    names: Object.fromEntries(
      own.flatMap((id) => {
        const name = names.get(id)
        return name === undefined ? [] : [[id, name]]
      }),
    ),
  }))
}

const rawIds = (ids: readonly string[], kind: 'person' | 'merchant') => ids.flatMap((id) => readId(kind, id) ?? [])

interface VerifyOrder {
  readonly isFull: boolean
  /** The file that keeps the seals outside the database; undefined when it is not kept here. */
  readonly sealsPath: string | undefined
}

interface FaultView extends Omit<Fault, 'number' | 'id'> {
  readonly number: string
  readonly id?: string
}

interface VerifyReport extends Omit<Verified, 'faults'> {
  readonly faults: readonly FaultView[]
}

/** Verifies the trail and returns every fault found. */
async function verifyTrail(context: OperatorContext, { isFull, sealsPath }: VerifyOrder): Promise<VerifyReport> {
  const sealLines = await readSealLines(context.db.write, sealsPath)
  const verified = await verifyAudit(context.db.write, { isFull, sealLines })
  return { ...verified, faults: verified.faults.map(faultView) }
}

const faultView = ({ id, number, ...fault }: Fault): FaultView => ({
  ...fault,
  number: String(number),
  ...(id !== undefined && { id: showId('audit entry', id) }),
})

interface Stored {
  readonly id: string
  readonly at: Date
  readonly actor_kind: string
  readonly actor: string
  readonly actor_name: string
  readonly action: string
  readonly result: string
  readonly merchant_id: string | null
  readonly env: Environment | null
  readonly subject: string
  readonly detail: Record<string, unknown>
  readonly reason: string | null
  readonly request_id: string | null
  readonly address: string | null
  readonly user_agent: string | null
  readonly role: string | null
  readonly strength: string | null
  readonly chain: number
  readonly number: bigint
  readonly hash: Buffer
}

interface Place {
  readonly limit: number
  /** Newest first from here on; null reads oldest first. */
  readonly before: string | null
  readonly after: string | null
}

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Without a name the statement is planned for its own values: unused filters cost nothing, and each of the others has an index. */
function page(context: OperatorContext, filter: AuditFilter, { before, after, limit }: Place): Promise<Stored[]> {
  const { actor = null, action = null, subject = null, merchant, env = null, result = null, from, to } = filter
  const merchantId = merchant === undefined ? null : readMerchant(merchant)
  const query = sql`
    select *
    from audit_entries
    where id > ${after ?? firstId}::uuid
      and id < ${before ?? lastId}::uuid
      and (${from ?? null}::timestamptz is null or id >= id_at(${from ?? null}::timestamptz))
      and (${to ?? null}::timestamptz is null or id < id_at(${to ?? null}::timestamptz))
      and (${actor}::text is null or actor = ${actor})
      and (${action}::text is null or action = ${action})
      and (${subject}::text is null or subject = ${subject})
      and (${merchantId}::uuid is null or merchant_id = ${merchantId})
      and (${env}::text is null or env = ${env})
      and (${result}::text is null or result = ${result})
    order by case when ${after !== null}::boolean then id end, case when ${after === null}::boolean then id end desc
    limit ${limit}`
  return context.db.write.query<Stored>({ ...query, name: '' })
}

function readMerchant(shownId: string): string {
  const id = readId('merchant', shownId)
  if (id === undefined) throw new OperatorError(`${shownId} is not a merchant id; they look like mer_0193…`)
  return id
}

function entryId(shownId: string): string {
  const id = readId('audit entry', shownId)
  if (id === undefined) throw new OperatorError(`${shownId} is not an audit entry; they look like aud_0193…`)
  return id
}

function view(context: OperatorContext, found: Stored): ExportedEntry {
  const { id, at, action, result, subject, merchant_id, env, chain, number, hash } = found
  const { reason, request_id, address, user_agent, role, strength } = found
  return {
    id: showId('audit entry', id),
    at: at.toISOString(),
    actor: { kind: found.actor_kind, id: found.actor, name: found.actor_name },
    action,
    result,
    subject,
    ...(merchant_id !== null && { merchantId: showId('merchant', merchant_id) }),
    ...(env !== null && { env }),
    ...(reason !== null && { reason }),
    detail: shownFields(context, found.detail),
    ...(request_id !== null && { requestId: request_id }),
    ...(address !== null && { address }),
    ...(user_agent !== null && { userAgent: user_agent }),
    ...(role !== null && { role }),
    ...(strength !== null && { strength }),
    chain,
    number: String(number),
    hash: hash.toString('hex'),
  }
}
