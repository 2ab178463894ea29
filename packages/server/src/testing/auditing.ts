import type { TestContext } from 'node:test'
import pg from 'pg'
import type { AuditEntry } from '../audit/record.ts'
import { testDatabase } from '../dev-stack/servers.ts'
import { sql, type WriteDb } from '../platform/db.ts'
import { openTestDatabase } from './ledger.ts'
import { ask } from './malipo.ts'

/** An entry. Fields that a test does not set do not matter to it. */
export function auditEntry(over: Partial<AuditEntry> = {}): AuditEntry {
  return {
    actor: { kind: 'person', id: 'person_1', name: 'Amina' },
    action: 'merchant.freeze',
    subject: 'mer_1',
    ...over,
  }
}

/** The audit trail on the test file's database, without the rest of the service. */
export async function testTrail(t: TestContext) {
  const { loginUrl, superuserUrl } = await testDatabase()
  const { write, ...db } = openTestDatabase(loginUrl)
  t.after(() => db.close())
  return {
    db: write,
    loginUrl,
    superuserUrl,
    ask: <Row extends Record<string, unknown>>(text: string, values?: unknown[]) =>
      ask<Row>(superuserUrl, text, values),
    /** A connection as a writer with these settings, and none of the application's. */
    connect: async (...settings: readonly string[]) => {
      const options = ['role=malipo_write', ...settings].map((setting) => `-c ${setting}`).join(' ')
      const client = new pg.Client({ connectionString: loginUrl, options })
      await client.connect()
      t.after(() => client.end())
      return client
    },
    /** Changes rows as nothing but a superuser can: without the trigger. */
    tamper: async (text: string) => void (await ask(superuserUrl, `set session_replication_role = replica; ${text}`)),
  }
}

/** Places of all entries, in order. */
export const places = (db: WriteDb) =>
  db.query<{ chain: number; number: bigint; subject: string }>(
    sql`select chain, number, subject from audit_entries order by chain, number`,
  )
