import { existsSync, readFileSync } from 'node:fs'
import { type Db, sql } from '../platform/db.ts'
import { OperatorError } from './operator-context.ts'

/**
 * The seals kept outside the database; none without a file. A file that is configured and missing is an error once anything was
 * sealed: who removes it must not be able to hide that the database's seals were written again.
 */
export async function readSealLines(db: Db, path: string | undefined): Promise<string[]> {
  if (path === undefined) return []
  if (existsSync(path)) return readFileSync(path, 'utf8').split('\n')
  const [sealed] = await db.query(sql`select from ledger_seals limit 1`)
  if (!sealed) return []
  throw new OperatorError(
    `the file of seals ${path} is missing. Restore it from a copy, or unset MALIPO_SEALS_PATH to check without it`,
  )
}
