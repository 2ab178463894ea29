import pg from 'pg'

/** One short-lived client. */
export async function withClient<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined) // The failing statement reports a killed server.
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export const runStatements = (url: string, statements: readonly string[]): Promise<void> =>
  withClient(url, async (client) => {
    for (const statement of statements) await client.query(statement)
  })
