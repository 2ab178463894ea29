import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { testDatabase } from '../dev-stack/servers.ts'
import { type Malipo, testMalipo } from '../testing/malipo.ts'
import { testPerson } from '../testing/people.ts'
import { type Owner, sql } from './db.ts'
import { newId, readId } from './ids.ts'

/** A connection with the service's login in one of its roles, without any settings by the application. */
async function connectAs(t: { after(work: () => Promise<void>): void }, role: string): Promise<pg.Client> {
  const { loginUrl } = await testDatabase()
  const client = new pg.Client({ connectionString: loginUrl, options: role === '' ? '' : `-c role=${role}` })
  await client.connect()
  t.after(() => client.end())
  return client
}

const refused = (client: pg.Client, text: string, code = '42501') =>
  assert.rejects(client.query(text), (error: pg.DatabaseError) => error.code === code, text)

async function readableTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select c.relname as name
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and has_any_column_privilege('malipo_read', c.oid, 'select')`)
  return rows.map(({ name }) => name)
}

/** Payments are accepted without their provider; their outcome does not matter here. */
const noProvider = { MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9', MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token' }

/** Adds a row to every table that a merchant may read. */
async function fillTables(malipo: Malipo): Promise<void> {
  const { id, call } = await malipo.merchant()
  const limit = { env: 'sandbox', currency: 'KES', perMerchantDay: '1000', reason: 'a test' } as const
  await malipo.operator.payoutControls.setLimits(id, limit)
  await testPerson(malipo, { merchant: { id, roles: ['viewer'] } })
  await malipo.operator.people.invite({ email: 'baraka@example.com', name: 'Baraka', role: 'viewer', merchant: id })
  await call('PUT', '/api/b2b/users', { firstName: 'Achieng', sandboxWebhookUrl: 'http://127.0.0.1:9/hooks' })
  const payoutMethod = { accountName: 'Amina Otieno', accountNumber: '+254703456789' }
  const account = { country: 'KE', currency: 'KES', destination: 'MoMo', payoutMethod }
  const url = 'http://127.0.0.1:9/books'
  assert.equal((await call('POST', '/api/b2b/webhook-endpoints', { url })).status, 200)
  const made = await call('POST', '/api/b2b/external-accounts', account)
  const externalAccountId = (made.body['data'] as { id: string }).id
  const payout = await call('POST', '/api/b2b/fiat/payout', { amount: 20, externalReference: 'r1', externalAccountId })
  assert.equal(payout.status, 200, JSON.stringify(payout.body))
  assert.equal((await call('POST', '/api/b2b/quotes', { amount: 20, externalAccountId })).status, 200)
  assert.equal((await call('PUT', '/api/sandbox/b2b/utilities/scenarios/r2', { scenario: 'expiry' })).status, 200)
  await malipo.ask(`insert into rates values ('sandbox', 'USD', 'KES', now(), 129, 130, 'house')`)
  await malipo.ctx.requestLog.flush()
  await malipo.ask(`
    with one as (select id, merchant_id, env from transactions limit 1),
      reasons as (insert into refund_reasons select id, merchant_id, env, 'a test' from one),
      refunds as (insert into refunds_of_charges select id, id, merchant_id, env from one),
      sums as (insert into wallet_day_sums select id, 1, 'test', 0, '', true, 1, 1 from wallets),
      views as (insert into saved_views (id, merchant_id, env, person_id, page, name, filters)
        select one.id, merchant_id, env, p.id, 'payments', 'Failed', '{}' from one, (select id from people limit 1) p)
    insert into refund_totals select id, merchant_id, env, 1, 0 from one`)
}

test('a read without a merchant set returns nothing from any readable table', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  await fillTables(malipo)
  const reader = await connectAs(t, 'malipo_read')

  const tables = await readableTables(reader)

  const ofLedger = ['transfers', 'wallets', 'wallet_day_sums']
  const known = ['audit_entries', 'merchants', ...ofLedger, 'external_accounts', 'rates', 'request_log']
  const ofEndpoints = ['webhook_endpoints', 'added_webhook_endpoints', 'webhook_records', 'added_webhook_records']
  const ofFeeds = ['events', 'feed_counters', ...ofEndpoints]
  const ofFinding = ['external_references', 'merchant_lookups']
  const ofPayments = ['transactions', 'quotes', 'controlled_payouts', 'scenarios', ...ofFinding, ...ofFeeds]
  const ofRefunds = ['refund_reasons', 'refunds_of_charges', 'refund_totals']
  const ofPeople = ['people', 'memberships', 'invitations', 'saved_views']
  assert.deepEqual(new Set(tables), new Set([...known, ...ofPayments, ...ofRefunds, ...ofPeople]))
  for (const table of tables) {
    const [counted] = await malipo.ask<{ count: bigint }>(`select count(*) from ${table}`)
    assert.ok(Number(counted?.count) > 0, `${table} has rows to hide`)
    for (const set of ['', `set malipo.merchant = ''`, `set malipo.environment = 'sandbox'`]) {
      if (set !== '') await reader.query(set)
      assert.deepEqual((await reader.query(`select 1 from ${table}`)).rows, [], `${table} ${set}`)
    }
  }
})

test('reading a partition by name is refused to readers and writers, even if it has rows', async (t) => {
  const malipo = await testMalipo(t)
  const { id } = await malipo.merchant()
  const partitions = await malipo.ask<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_entries'::regclass`,
  )
  const [counted] = await malipo.ask<{ count: string }>(`select count(*) from ${partitions[0]?.name}`)
  assert.ok(partitions.length >= 4 && Number(counted?.count) > 0)

  for (const role of ['malipo_read', 'malipo_write', '']) {
    const client = await connectAs(t, role)
    await client.query(`select set_config('malipo.merchant', $1, false)`, [readId('merchant', id)])
    for (const { name } of partitions) {
      await refused(client, `select 1 from ${name}`)
      await refused(client, `insert into ${name} select * from ${name}`)
    }
  }
})

test('a partition granted by mistake still shows no rows', async (t) => {
  const malipo = await testMalipo(t)
  const { id } = await malipo.merchant()
  const [first] = await malipo.ask<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_entries'::regclass order by 1`,
  )
  await malipo.ask(`grant select on ${first?.name} to malipo_read`)
  t.after(() => malipo.ask(`revoke select on ${first?.name} from malipo_read`))
  const reader = await connectAs(t, 'malipo_read')

  await reader.query(`select set_config('malipo.merchant', $1, false)`, [readId('merchant', id)])

  assert.deepEqual((await reader.query(`select 1 from ${first?.name}`)).rows, [])
})

test('a reader sees only its own rows, whatever it queries', async (t) => {
  const malipo = await testMalipo(t)
  const [mine, other] = [await malipo.merchant(), await malipo.merchant()]
  const owner: Owner = { merchant_id: readId('merchant', mine.id) ?? '', env: 'sandbox' }

  const merchants = await malipo.ctx.db.read.query<{ id: string }>(owner, sql`select id from merchants`)
  const byId = await malipo.ctx.db.read.query(
    owner,
    sql`select id from merchants where id = ${readId('merchant', other.id)}`,
  )
  const endpoints = await malipo.ctx.db.read.query<Owner>(owner, sql`select merchant_id from webhook_endpoints`)

  assert.deepEqual(merchants, [{ id: owner.merchant_id }])
  assert.deepEqual(byId, [])
  assert.deepEqual(new Set(endpoints.map(({ merchant_id }) => merchant_id)), new Set([owner.merchant_id]))
})

test("a reader of one environment does not see the other environment's rows", async (t) => {
  const malipo = await testMalipo(t)
  const live = await malipo.merchant({ env: 'live' })
  await live.call('PUT', '/api/b2b/users', { firstName: 'Achieng' })
  const merchant_id = readId('merchant', live.id) ?? ''
  const updates = (env: Owner['env']) =>
    malipo.ctx.db.read.query({ merchant_id, env }, sql`select 1 from audit_entries where action = 'profile.update'`)

  assert.equal((await updates('live')).length, 1)
  assert.equal((await updates('sandbox')).length, 0)
})

test('a merchant reads its own people and invitations, and no secret of them', async (t) => {
  const malipo = await testMalipo(t)
  const [mine, other] = [await malipo.merchant(), await malipo.merchant()]
  const own = await testPerson(malipo, { merchant: { id: mine.id, roles: ['owner'] } })
  await testPerson(malipo, { merchant: { id: other.id, roles: ['owner'] } })
  await testPerson(malipo, { operator: ['admin'] })
  const owner: Owner = { merchant_id: readId('merchant', mine.id) ?? '', env: 'sandbox' }
  const read = <Row>(query: ReturnType<typeof sql>) => malipo.ctx.db.read.query<Row>(owner, query)

  assert.deepEqual(await read(sql`select id from people`), [{ id: own.person_id }])
  assert.deepEqual(await read(sql`select person_id from memberships`), [{ person_id: own.person_id }])
  for (const query of [
    sql`select password_hash from people`,
    sql`select totp_secret from people`,
    sql`select token_hash from invitations`,
    sql`select 1 from sessions`,
    sql`select 1 from passkeys`,
    sql`select 1 from machines`,
  ])
    await assert.rejects(read(query), { code: '42501' })
})

test("a read's owner is reset after the read", async (t) => {
  const malipo = await testMalipo(t, { MALIPO_DATABASE_CONNECTIONS: '1' })
  const merchants = await Promise.all([malipo.merchant(), malipo.merchant(), malipo.merchant()])
  const owners = merchants.map(({ id }): Owner => ({ merchant_id: readId('merchant', id) ?? '', env: 'sandbox' }))

  const seen = await Promise.all(
    owners.map((owner) => malipo.ctx.db.read.query<{ id: string }>(owner, sql`select id from merchants`)),
  )
  const setting = await malipo.ctx.db.read.query(
    { merchant_id: newId(Date.now(), 0), env: 'live' },
    sql`select id from merchants`,
  )

  assert.deepEqual(
    seen,
    owners.map(({ merchant_id }) => [{ id: merchant_id }]),
  )
  assert.deepEqual(setting, [])
})

test('a read by full key is planned once, and any other for its values, on one connection', async (t) => {
  const malipo = await testMalipo(t, { MALIPO_DATABASE_CONNECTIONS: '1' })
  const owner: Owner = { merchant_id: readId('merchant', (await malipo.merchant()).id) ?? '', env: 'sandbox' }
  const id = newId(Date.now(), 0)

  for (let times = 0; times < 7; times += 1) {
    await malipo.ctx.db.read.find(owner, sql`select 'found' from transactions where id = ${id}`)
    await malipo.ctx.db.read.query(owner, sql`select 'asked' from transactions where id = ${id}`)
  }

  const plans = await malipo.ctx.db.read.query(
    owner,
    sql`
      select substr(statement, 9, 5) as how, generic_plans::int as general, custom_plans::int as special
      from pg_prepared_statements
      where statement ~ '^select .{7} from transactions'
      order by how`,
  )
  assert.deepEqual(plans, [
    { how: 'asked', general: 0, special: 7 },
    { how: 'found', general: 7, special: 0 },
  ])
})

test('a failed read leaves its connection usable', async (t) => {
  const malipo = await testMalipo(t, { MALIPO_DATABASE_CONNECTIONS: '1' })
  const owner: Owner = { merchant_id: readId('merchant', (await malipo.merchant()).id) ?? '', env: 'sandbox' }

  await assert.rejects(malipo.ctx.db.read.query(owner, sql`select 1 / 0`), /division by zero/)

  assert.equal((await malipo.ctx.db.read.query(owner, sql`select 1 from merchants`)).length, 1)
})

test('the login itself has no rights, so a connection without a role is useless', async (t) => {
  await testMalipo(t)
  const client = await connectAs(t, '')

  for (const table of ['merchants', 'credentials', 'webhook_endpoints', 'audit_entries'])
    await refused(client, `select 1 from ${table}`)
})

test('a reader may change nothing and read no secret', async (t) => {
  await testMalipo(t)
  const reader = await connectAs(t, 'malipo_read')

  await refused(reader, `update merchants set first_name = 'x'`)
  await refused(reader, 'insert into audit_entries (id) values (gen_random_uuid())')
  await refused(reader, 'select secret from webhook_endpoints')
  await refused(reader, 'select 1 from credentials')
  await refused(reader, `select attach_months('audit_entries', 99)`)
})

test('a writer may not rewrite audit entries or fee rules, move rows, or create tables', async (t) => {
  await testMalipo(t)
  const writer = await connectAs(t, 'malipo_write')

  await refused(writer, `update audit_entries set actor = 'x'`)
  await refused(writer, 'delete from audit_entries')
  await refused(writer, 'truncate audit_entries')
  await refused(writer, 'delete from merchants')
  await refused(writer, 'update credentials set merchant_id = gen_random_uuid()')
  await refused(writer, `update credentials set env = 'live'`)
  await refused(writer, 'create table mine (x int)')
  for (const column of ['fixed', 'basis_points', 'min', 'max', 'is_returned', 'effective_from', 'set_by'])
    await refused(writer, `update fee_rules set ${column} = default`)
  await refused(writer, 'delete from fee_rules')
  for (const table of ['transfers', 'account_deltas', 'ledger_batches', 'ledger_seals']) {
    await refused(writer, `update ${table} set batch = 1`, table === 'ledger_seals' ? '42703' : '42501')
    await refused(writer, `delete from ${table}`)
  }
  await refused(writer, 'update wallets set merchant_id = gen_random_uuid()')
})

test('no role bypasses row security or owns its tables except timers, and all tables force it', async (t) => {
  const malipo = await testMalipo(t)

  const roles = await malipo.ask<{ rolname: string }>(
    `select rolname from pg_roles
     where rolname like 'malipo%' and (rolbypassrls or rolsuper or rolcreaterole or rolcreatedb or rolinherit)`,
  )
  const unguarded = await malipo.ask<{ relname: string }>(
    `select relname from pg_class
     where relnamespace in ('public'::regnamespace, 'timer_hours'::regnamespace) and relkind in ('r', 'p')
       and relname <> 'schema_migrations'
       and not (relrowsecurity and relforcerowsecurity
         and relowner = case when relname ~ '^timers' then 'malipo_timers' else 'malipo_owner' end::regrole)`,
  )

  assert.deepEqual(roles, [])
  assert.deepEqual(unguarded, [])
})

test('a failed transaction leaves nothing behind', async (t) => {
  const malipo = await testMalipo(t)
  const { id } = await malipo.merchant()
  const merchantId = readId('merchant', id)

  const work = malipo.ctx.db.write.transaction(async (tx) => {
    await tx.query(sql`update merchants set first_name = 'Half' where id = ${merchantId}`)
    throw new Error('stop')
  })

  await assert.rejects(work, /stop/)
  const [row] = await malipo.ask<{ first_name: string }>('select first_name from merchants where id = $1', [merchantId])
  assert.equal(row?.first_name, 'Amina')
})

test('a value never becomes part of a statement', async (t) => {
  const malipo = await testMalipo(t)
  const text = `'; drop table merchants; --`

  const [row] = await malipo.ctx.db.write.query<{ value: string }>(sql`select ${text}::text as value`)

  assert.equal(row?.value, text)
})

test('after a migration connections prepare statements again, and a transaction must retry', async (t) => {
  const { ctx, ask } = await testMalipo(t, { MALIPO_DATABASE_CONNECTIONS: '1' })
  await ask('create table growing (id integer)')
  await ask('grant select on growing to malipo_write')
  const all = () => sql`select * from growing`
  const { write } = ctx.db
  await write.query(all())

  await ask('alter table growing add column first integer')
  assert.deepEqual(await write.query(all()), [])
  await ask('alter table growing add column second integer')
  await assert.rejects(
    write.batch(200, (tx) => tx.query(all())),
    { code: '40001' },
  )

  assert.deepEqual(await write.batch(200, (tx) => tx.query(all())), [])
})

test('a statement after its transaction failed is refused, not written on its own', async (t) => {
  const { ctx, ask } = await testMalipo(t)
  const ended = Promise.withResolvers<void>()
  let late: Promise<unknown> = Promise.resolve()

  const failed = ctx.db.write.transaction(async (tx) => {
    late = ended.promise.then(() => tx.query(sql`insert into lanes (lane, budget) values ('late', 1)`))
    await Promise.all([tx.query(sql`select 1 / ${0}::int`), late])
  })

  await assert.rejects(failed, { code: '22012' })
  ended.resolve()
  await assert.rejects(late, /the transaction has ended/)
  assert.deepEqual(await ask(`select lane from lanes where lane = 'late'`), [])
})

test('a transaction fails with the error of the failed statement, not of later ones', async (t) => {
  const { ctx } = await testMalipo(t)

  const failing = ctx.db.write.transaction(async (tx) => {
    const [first, behind] = [tx.query(sql`select 1 / 0`), tx.query(sql`select 2`)]
    const reportedLast = Promise.allSettled([first, behind]).then(() => first)
    await Promise.all([behind, reportedLast])
  })

  await assert.rejects(failing, { code: '22012' })
})

test('statements sent without waiting run in order', async (t) => {
  const { ctx } = await testMalipo(t)

  const found = await ctx.db.write.transaction(async (tx) => {
    const [, [row]] = await Promise.all([
      tx.query(sql`insert into lanes (lane, budget) values ('first', 1)`),
      tx.query<{ budget: number }>(sql`select budget from lanes where lane = 'first'`),
    ])
    return row?.budget
  })

  assert.equal(found, 1)
})

test('blocked sandbox reads leave connections for live reads', async (t) => {
  const { ctx } = await testMalipo(t, { MALIPO_DATABASE_CONNECTIONS: '4' })
  const merchant_id = newId(Date.now(), 0)
  const sleeping = Array.from({ length: 4 }, () =>
    ctx.db.read.query({ merchant_id, env: 'sandbox' }, sql`select pg_sleep(1)`),
  )

  const startedAt = performance.now()
  await ctx.db.read.query({ merchant_id, env: 'live' }, sql`select 1`)

  assert.ok(performance.now() - startedAt < 900, 'the live read waited for sandbox reads')
  await Promise.all(sleeping)
})

test('slow reads of one merchant leave connections for another, and wait at most 5 s', async (t) => {
  const { ctx } = await testMalipo(t, { MALIPO_DATABASE_CONNECTIONS: '4' })
  const [slow, other] = [newId(Date.now(), 0), newId(Date.now(), 0)]
  const sleeping = Promise.allSettled(
    Array.from({ length: 20 }, () => ctx.db.read.query({ merchant_id: slow, env: 'live' }, sql`select pg_sleep(1)`)),
  )

  const startedAt = performance.now()
  await ctx.db.read.query({ merchant_id: other, env: 'live' }, sql`select 1`)

  assert.ok(performance.now() - startedAt < 900, 'it waited for reads of another merchant')
  const reasons = (await sleeping).flatMap((each) => (each.status === 'rejected' ? [each.reason.key] : []))
  assert.ok(reasons.length > 0 && reasons.length < 20 && reasons.every((key) => key === 'OVERLOADED'), String(reasons))
})
