import { databaseTimeMs } from '../platform/clock.ts'
import { type Environment, sql, type Tx, type WriteDb } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { hideSecrets } from '../platform/redact.ts'

/** Who can act. `break_glass` is a person with the database's password; `anonymous` did not prove who it is. */
export const actorKinds = ['person', 'machine', 'credential', 'break_glass', 'system', 'anonymous'] as const
type ActorKind = (typeof actorKinds)[number]

export interface Actor {
  readonly kind: ActorKind
  /** As people see it, such as `cred_…`. For break-glass the name given on the command line. */
  readonly id: string
  /** The name at the time of the action, for readers of the trail. */
  readonly name: string
}

/** Where an action came from. */
export interface Origin {
  readonly requestId?: string | undefined
  readonly address?: string | undefined
  readonly userAgent?: string | undefined
  /** The role that allowed or should have allowed it. */
  readonly role?: string | undefined
  /** How the actor signed in, such as `passkey`. */
  readonly strength?: string | undefined
}

export interface AuditEntry {
  readonly actor: Actor
  /** What was done, such as `merchant.freeze`. */
  readonly action: string
  readonly merchant_id?: string | undefined
  readonly env?: Environment | undefined
  readonly subject: string
  /** What changed. Never contains a secret: every reader of the audit trail sees it. */
  readonly detail?: Readonly<Record<string, unknown>> | undefined
  readonly reason?: string | undefined
  readonly result?: 'done' | 'refused'
  readonly origin?: Origin | undefined
}

const userAgentMax = 300

/**
 * Records who did what, in the same transaction as the change: neither exists without the other. The database appends it to a
 * hash chain and locks the chain until the transaction ends, so call this after the transaction took all its other locks.
 */
export async function recordAudit(tx: Tx, cell: number, entry: AuditEntry): Promise<void> {
  const { actor, action, merchant_id = null, env = null, subject, detail = {}, reason, result = 'done' } = entry
  const { requestId = null, address = null, userAgent, role = null, strength = null } = entry.origin ?? {}
  const id = newId(await databaseTimeMs(tx), cell)
  await tx.query(sql`
    insert into audit_entries (id, actor_kind, actor, actor_name, action, result, merchant_id, env, subject, detail, reason,
      request_id, address, user_agent, role, strength)
    values (${id}, ${actor.kind}, ${actor.id}, ${actor.name}, ${action}, ${result}, ${merchant_id}, ${env}, ${subject},
      ${withoutSecrets(detail)}, ${reason === undefined ? null : hideSecrets(reason)}, ${requestId}, ${address},
      ${userAgent?.slice(0, userAgentMax) ?? null}, ${role}, ${strength})`)
}

/** Records an attempt that was refused, in its own transaction: that of the attempt is rolled back. */
export function recordRefusal(db: WriteDb, cell: number, entry: Omit<AuditEntry, 'result'>): Promise<void> {
  return db.transaction((tx) => recordAudit(tx, cell, { ...entry, result: 'refused' }))
}

/** What an operator's staff member or machine read in one response. */
export interface PersonalDataRead
  extends Pick<AuditEntry, 'actor' | 'merchant_id' | 'env' | 'subject' | 'reason' | 'origin'> {
  /** The operation that returned them, such as `payments.show`. */
  readonly route: string
  /** Names of the fields that were shown in full, never their values. */
  readonly fields: readonly string[]
  /** The payments and merchants whose fields these are. */
  readonly payments: readonly string[]
  readonly merchants: readonly string[]
}

/** Records a read of personal data. Call it before the data is returned: what is not recorded is not shown. */
export function recordPersonalDataRead(db: WriteDb, cell: number, read: PersonalDataRead): Promise<void> {
  const { route, fields, payments, merchants, ...entry } = read
  const detail = { route, fields, payments, merchants }
  return db.transaction((tx) => recordAudit(tx, cell, { ...entry, action: 'personal-data.read', detail }))
}

/** Callers pass no secret. If one does by mistake, such as a key typed into a reason, it is hidden here. */
const withoutSecrets = (detail: object) =>
  JSON.stringify(detail, (_, value: unknown) => (typeof value === 'string' ? hideSecrets(value) : value))
