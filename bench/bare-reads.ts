/** The other side of `read`: Fastify routes with the same queries on the same pool size, and nothing else. */
import Fastify from 'fastify'
import pg from 'pg'
import { readDays } from '../packages/server/src/platform/days.ts'
import type { ReadDb } from '../packages/server/src/platform/db.ts'
import { findById, listTransactions, timelineOf } from '../packages/server/src/transactions/read.ts'
import { readProfile } from '../packages/server/src/users/profile.ts'

const { DATABASE_URL, BENCH_OWNER: merchant_id = '', BENCH_TRANSACTION: id = '' } = process.env
const owner = { merchant_id, env: 'sandbox' as const }
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 })
const query: ReadDb['query'] = async (_, { name, text, values }) =>
  (await pool.query({ name, text, values: [...values] })).rows
const db: ReadDb = { query, find: query, walk: query, within: (of, _, text) => query(of, text) }
const everything = {
  currency: undefined,
  type: undefined,
  externalReference: undefined,
  ...readDays({}),
  status: undefined,
  limit: 10,
  before: undefined,
}

const app = Fastify()
app.get('/users', () => readProfile(db, owner))
app.get('/transactions', () => listTransactions(db, owner, everything))
app.get('/transactions/one', async () => ({
  ...(await findById(db, owner, id)),
  timeline: await timelineOf(db, owner, id),
}))
process.send?.({ url: await app.listen({ port: 0, host: '127.0.0.1' }) })
process.on('disconnect', () => process.exit())
