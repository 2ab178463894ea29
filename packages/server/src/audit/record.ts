import { databaseTimeMs } from '../platform/clock.ts'
import { type Environment, sql, type Tx } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'

export interface AuditEntry {
  /** An operator's name, or the credential that acted. */
  readonly actor: string
  readonly action: string
  readonly merchant_id?: string
  readonly env?: Environment
  readonly subject: string
  /** What changed. Never contains a secret: every reader of the audit trail sees it. */
  readonly detail?: Readonly<Record<string, unknown>>
  readonly reason?: string | undefined
}

/** Records who did what, in the same transaction as the change: neither exists without the other. */
export async function recordAudit(tx: Tx, cell: number, entry: AuditEntry): Promise<void> {
  const id = newId(await databaseTimeMs(tx), cell)
  await tx.query(sql`
    insert into audit_entries (id, actor, action, merchant_id, env, subject, detail, reason)
    values (${id}, ${entry.actor}, ${entry.action}, ${entry.merchant_id ?? null},
      ${entry.env ?? null}, ${entry.subject}, ${JSON.stringify(entry.detail ?? {})}, ${entry.reason ?? null})`)
}
