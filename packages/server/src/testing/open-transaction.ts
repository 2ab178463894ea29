import type { TestContext } from 'node:test'
import pg from 'pg'
import { testDatabase } from '../dev-stack/servers.ts'

/** Runs a statement as the superuser and leaves its transaction open. Returns a function that ends it. */
export async function openTransaction(t: TestContext, statement: string): Promise<() => Promise<void>> {
  return openTransactionAt((await testDatabase()).superuserUrl, t, statement)
}

/** The same on another database. A session that is ended from outside ends its transaction. */
export async function openTransactionAt(
  url: string,
  t: Pick<TestContext, 'after'>,
  statement: string,
): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  t.after(() => client.end())
  await client.query('begin')
  await client.query(statement)
  return async () => {
    await client.query('rollback')
  }
}
