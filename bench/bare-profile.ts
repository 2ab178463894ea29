/** The other side of the profile bench: a Fastify route with the same query and nothing around it. */
import Fastify from 'fastify'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 })
const { rows } = await pool.query('select id from merchants order by id limit 1')
const query = {
  name: 'profile',
  text: `
      select m.email, m.first_name, m.last_name, live.url as webhook_url, sandbox.url as sandbox_webhook_url
      from merchants m
      join webhook_endpoints live on live.merchant_id = m.id and live.env = 'live'
      join webhook_endpoints sandbox on sandbox.merchant_id = m.id and sandbox.env = 'sandbox'
      where m.id = $1`,
  values: [rows[0].id],
}

const app = Fastify()
app.get('/users', async () => {
  const found = await pool.query(query)
  return { success: true, ...found.rows[0] }
})
process.send?.({ url: `${await app.listen({ port: 0, host: '127.0.0.1' })}/users` })
