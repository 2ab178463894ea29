import pg from 'pg'
import type { Db, Query } from './db.ts'
import type { Secret } from './secret.ts'

/** Works as the owner of the tables, on one connection. Row security shows the owner almost no rows. */
export async function asOwner<Result>(ownerUrl: Secret, work: (db: Db) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({
    connectionString: ownerUrl.reveal(),
    // A transfer that is written while the owner waits for a lock must be seen after it.
    options: '-c role=malipo_owner -c default_transaction_isolation=read\\ committed',
    application_name: 'malipo_owner',
  })
  client.on('error', () => undefined) // The running statement fails with it.
  await client.connect()
  try {
    return await work({
      query: async <Row>({ text, values }: Query) => (await client.query({ text, values: [...values] })).rows as Row[],
    })
  } finally {
    await client.end() // Ends the session and with it its locks.
  }
}
