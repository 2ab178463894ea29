/** The other side of the profile bench: a Fastify route with the same query and nothing around it. */
import Fastify from 'fastify'
import pg from 'pg'
import type { ReadDb } from '../packages/server/src/platform/db.ts'
import { readProfile } from '../packages/server/src/users/profile.ts'

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
const { rows } = await pool.query('select id from merchants order by id limit 1')
const owner = { merchant_id: rows[0].id, env: 'sandbox' as const }
const db: ReadDb = {
  query: async (_, { name, text, values }) => (await pool.query({ name, text, values: [...values] })).rows,
}

const app = Fastify()
app.get('/users', () => readProfile(db, owner))
process.send?.({ url: `${await app.listen({ port: 0, host: '127.0.0.1' })}/users` })
