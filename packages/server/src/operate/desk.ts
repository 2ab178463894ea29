import { type AuditEntry, recordAudit } from '../audit/record.ts'
import type { Bell } from '../platform/bell.ts'
import type { Database, Tx } from '../platform/db.ts'
import type { Vault } from '../platform/seal.ts'

/** What an operator's command works with. */
export interface Desk {
  readonly db: Database
  readonly bell: Bell
  readonly vault: Vault
  readonly cell: number
  /** Who sits there, for the audit trail. */
  readonly actor: string
}

/** A command that cannot be carried out, with a reason for the person who gave it. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

/** Does the work and notes who did it, together or not at all. */
export function audited<Result>(
  desk: Desk,
  work: (tx: Tx) => Promise<{ result: Result; entry: Omit<AuditEntry, 'actor'> }>,
): Promise<Result> {
  return desk.db.write.transaction(async (tx) => {
    const { result, entry } = await work(tx)
    await recordAudit(tx, desk.cell, { ...entry, actor: desk.actor })
    return result
  })
}
