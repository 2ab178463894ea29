import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { testDatabase } from '../dev-stack/servers.ts'
import { until } from '../dev-stack/until.ts'
import { DatabaseOfAnotherCell } from './connections.ts'
import { openDatabase, sql } from './db.ts'
import { newId } from './ids.ts'
import { migrate, migrationStates } from './migrate.ts'
import { Secret } from './secret.ts'

/** An empty database and a folder of migrations to run on it. */
async function bench(t: TestContext, files: Record<string, string>) {
  const { superuserUrl } = await testDatabase()
  const name = `migrate_${Math.random().toString(36).slice(2)}`
  const admin = new pg.Client({ connectionString: superuserUrl })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = new URL(superuserUrl)
  url.pathname = name
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  const folder = mkdtempSync(join(tmpdir(), 'malipo-migrate-'))
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text)
  for (const [path, text] of Object.entries(files)) write(path, text)
  t.after(async () => {
    await client.end()
    await admin.end()
    rmSync(folder, { recursive: true })
  })
  return {
    client,
    url: new Secret(url.href),
    folder,
    write,
    run: async () => (await migrate(new Secret(url.href), 0, folder)).applied,
    states: () => migrationStates(new Secret(url.href), folder),
  }
}

const first = { '0001_a.sql': 'create table a (id int)' }
const second = { '0002_b.sql': 'create table b (id int)' }

test('migrations run once, in file-name order', async (t) => {
  const { run, states, write } = await bench(t, { ...second, ...first })

  assert.deepEqual(await run(), ['0001_a.sql', '0002_b.sql'])
  assert.deepEqual(await run(), [])
  write('0003_c.sql', 'create table c (id int)')
  assert.deepEqual(
    (await states()).map(({ name, applied_at }) => [name, applied_at !== undefined]),
    [
      ['0001_a.sql', true],
      ['0002_b.sql', true],
      ['0003_c.sql', false],
    ],
  )
  assert.deepEqual(await run(), ['0003_c.sql'])
})

test('ten concurrent migrations apply each file once', async (t) => {
  const { run } = await bench(t, { ...first, ...second })

  const applied = await Promise.all(Array.from({ length: 10 }, run))

  assert.deepEqual(applied.flat().length, 2)
})

test('a file that changed after it was applied stops the migration', async (t) => {
  const { run, write } = await bench(t, { ...first })
  await run()
  write('0001_a.sql', 'create table a (id bigint)')
  write('0002_b.sql', 'create table b (id int)')

  await assert.rejects(run(), /0001_a\.sql changed after being applied/)
})

test('a failed migration leaves nothing behind, and earlier ones stay', async (t) => {
  const { run, states, client } = await bench(t, { ...first, '0002_b.sql': 'create table b (id int); select 1 / 0' })

  await assert.rejects(run(), /0002_b\.sql failed/)

  assert.deepEqual(
    (await states()).map(({ applied_at }) => applied_at !== undefined),
    [true, false],
  )
  const { rows } = await client.query(`select to_regclass('b') as b`)
  assert.deepEqual(rows, [{ b: null }])
})

test('a migration fails on a lock timeout instead of blocking traffic behind it', async (t) => {
  const { run, client, write } = await bench(t, { ...first })
  await run()
  write('0002_b.sql', `set local lock_timeout = '100ms'; alter table a add column note text`)
  await client.query('begin')
  await client.query('lock table a in access share mode')

  await assert.rejects(run(), /0002_b\.sql failed/)
  await client.query('commit')

  assert.deepEqual(await run(), ['0002_b.sql'])
})

const months = {
  '0001_a.sql': `create table a (id int) partition by range (id); create table a_1 partition of a for values from (0) to (10);
    create table a_2 partition of a for values from (10) to (20); insert into a select * from generate_series(0, 19)`,
}
const indexed = { '0002_b.sql': '-- concurrently\n-- For a list.\ncreate index a_of_id on a (id) where id > 3;\n' }

async function indexesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select indexrelid::regclass || case when indisvalid then '' else ' invalid' end as name from pg_index
     where indrelid in (select oid from pg_class where relname in ('a', 'a_1', 'a_2', 'a_3')) order by 1`,
  )
  return rows.map(({ name }) => name)
}

/** Another connection, which ends with the test. */
async function another(t: TestContext, url: Secret): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url.reveal() })
  await client.connect()
  t.after(() => client.end())
  return client
}

/** The process of the migration, once it waits in this statement. */
function waitingIn(client: pg.Client, statement: string): Promise<number> {
  return until(`the migration to wait in ${statement}`, async () => {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where starts_with(query, $1) and wait_event_type = 'Lock' and datname = current_database()`,
      [statement],
    )
    return rows[0]?.pid
  })
}

test('a marked migration creates an index partition by partition while rows are written', async (t) => {
  const { run, client, url, write } = await bench(t, months)
  await run()
  write('0002_b.sql', indexed['0002_b.sql'])
  await client.query('begin isolation level repeatable read; select from a')
  const migrated = run()
  const other = await another(t, url)
  await waitingIn(other, 'create index concurrently')
  await other.query(`set lock_timeout = '1s'`)
  await other.query('insert into a values (6), (16)')
  await other.query('create table a_3 (id int); alter table a attach partition a_3 for values from (20) to (30)')
  await client.query('commit')

  assert.deepEqual(await migrated, ['0002_b.sql'])

  assert.deepEqual(
    (await indexesOf(client)).map((name) => name.replace(/_idx$/, '')),
    ['a_3_id', 'a_of_id', 'a_of_id_1', 'a_of_id_2'],
  )
  assert.deepEqual(await run(), [])
})

/** As a run leaves it that was killed between the first partition and the second. */
async function attachFirst(client: pg.Client): Promise<void> {
  await client.query('drop index a_of_id_1; create index a_of_id_1 on a_1 (id) where id > 3')
  await client.query('alter index a_of_id attach partition a_of_id_1')
}

test('a marked migration that was killed drops the invalid index and continues', async (t) => {
  const { run, client, url, write, states } = await bench(t, months)
  await run()
  write('0002_b.sql', indexed['0002_b.sql'])
  const other = await another(t, url)
  for (const part of [1, 2]) {
    if (part === 2) await attachFirst(client)
    await client.query('begin isolation level repeatable read; select from a')
    const killed = assert.rejects(run(), /0002_b\.sql failed; run it again/)
    await other.query('select pg_terminate_backend($1)', [await waitingIn(other, 'create index concurrently')])
    await killed
    await client.query('commit')
    const left = await indexesOf(client)
    assert.ok(left.includes(`a_of_id_${part} invalid`), left.join(', '))
    assert.equal((await states())[1]?.applied_at, undefined)
  }

  assert.deepEqual(await run(), ['0002_b.sql'])

  assert.deepEqual(await indexesOf(client), ['a_of_id', 'a_of_id_1', 'a_of_id_2'])
})

test('a marked migration makes writers wait for 200 ms at most, and tries again', async (t) => {
  const { run, client, url, write } = await bench(t, months)
  await run()
  write('0002_b.sql', indexed['0002_b.sql'])
  await client.query('begin; insert into a values (5)')
  const migrated = run()
  const other = await another(t, url)
  await waitingIn(other, 'create index if not exists')
  await other.query(`set lock_timeout = '1s'`)
  await other.query('insert into a values (6)')
  await client.query('commit')

  assert.deepEqual(await migrated, ['0002_b.sql'])
})

test('concurrent runs of a marked migration do not wait for each other in a circle', async (t) => {
  const { run, client } = await bench(t, { ...months, ...indexed })

  const applied = await Promise.all(Array.from({ length: 5 }, run))

  assert.deepEqual(applied.flat().length, 2)
  assert.deepEqual(await indexesOf(client), ['a_of_id', 'a_of_id_1', 'a_of_id_2'])
})

test('a marked migration refuses everything but indexes', async (t) => {
  const { run } = await bench(t, { ...first, '0002_b.sql': '-- concurrently\nupdate a set id = 1' })

  await assert.rejects(run(), (error: Error) => /"update a set id = 1" is not of the form/.test(String(error.cause)))
})

test('a login without superuser rights can migrate the service', async (t) => {
  const { superuserUrl } = await testDatabase()
  const { client, folder } = await bench(t, {})
  cpSync(new URL('../../migrations/', import.meta.url), folder, { recursive: true })
  const [{ current_database: name } = { current_database: '' }] = (await client.query('select current_database()')).rows
  await client.query(`create role installer login createrole password 'x'`)
  await client.query(`alter database ${name} owner to installer`)
  await client.query('grant malipo_owner, malipo_write, malipo_read to installer with admin option')
  const url = new URL(superuserUrl)
  Object.assign(url, { pathname: name, username: 'installer', password: 'x' })

  const { applied, epoch } = await migrate(new Secret(url.href), 0, folder)

  assert.ok(applied.length >= 3)
  assert.equal(epoch, undefined)
})

test('a database belongs to the cell it was first migrated for, and no other uses or migrates it', async (t) => {
  const { client, url } = await bench(t, {})
  const [own, other] = [7, 8]
  await migrate(url, own)
  await migrate(url, own)
  const use = async (cell: number) => {
    const db = openDatabase({ url, cell, connectionsMax: 1, statementTimeoutMs: 5000, onError: () => undefined })
    t.after(() => db.close())
    return db.write.query(sql`select 1 as one`)
  }

  assert.deepEqual(await use(own), [{ one: 1 }])
  await assert.rejects(use(other), DatabaseOfAnotherCell)
  await client.query(`delete from schema_migrations where name = '0030_cell.sql'`)
  await assert.rejects(migrate(url, other), /belongs to cell 7, and this process to cell 8/)
  assert.deepEqual((await client.query('select number from database_cell')).rows, [{ number: own }])
  const { rows } = await client.query(`select from schema_migrations where name = '0030_cell.sql'`)
  assert.equal(rows.length, 0, 'nothing was applied')
})

/** A database of an earlier release: these cells made its merchants and its key pairs, and no cell is recorded. */
async function withIdsOf(t: TestContext, merchantCells: readonly number[], pairCells: readonly number[]) {
  const { client, url } = await bench(t, {})
  await migrate(url, 0)
  await client.query(`drop table database_cell cascade; drop function record_cell`)
  await client.query(`delete from schema_migrations where name = '0030_cell.sql'`)
  const makeIds = (cells: readonly number[]) => cells.map((cell, index) => newId(Date.now() + index, cell))
  const [merchants, pairs] = [makeIds(merchantCells), makeIds(pairCells)]
  await client.query(
    `insert into merchants (id, name, email, first_name, last_name, home_country)
     select id, 'Duka', 'a@example.com', 'Amina', 'Otieno', 'KE' from unnest($1::uuid[]) as id`,
    [merchants],
  )
  await client.query(
    `insert into credentials (id, merchant_id, env, public_key, api_key_hash, scopes)
     select id, $2, 'live', id::text, 'x', '{profile:read}' from unnest($1::uuid[]) as id`,
    [pairs, merchants[0]],
  )
  return { client, url, recorded: async () => (await client.query('select number from database_cell')).rows }
}

test('a cell is not recorded against the key pairs of its database, and nothing is migrated', async (t) => {
  const { client, url } = await withIdsOf(t, [5], [5, 5])

  await assert.rejects(
    migrate(url, 0),
    /key pairs of this database name cell 5, and MALIPO_CELL is 0\. Set MALIPO_CELL to 5/,
  )

  const { rows } = await client.query(
    `select relforcerowsecurity as is_forced, to_regclass('database_cell') as cell from pg_class where relname = 'credentials'`,
  )
  assert.deepEqual(rows, [{ is_forced: true, cell: null }])
})

test('a merchant of another cell, or a pair of a command without a cell, does not hide the right cell', async (t) => {
  const moved = await withIdsOf(t, [3, 3, 3], [5])
  const mixed = await withIdsOf(t, [5], [5, 5, 0])

  for (const { url, recorded } of [moved, mixed]) {
    await assert.rejects(migrate(url, 0), /name cell 5/)
    await migrate(url, 5)
    assert.deepEqual(await recorded(), [{ number: 5 }])
  }
})

test('a cell without key pairs gets the number that is set', async (t) => {
  const { url, recorded } = await withIdsOf(t, [3], [])

  await migrate(url, 5)

  assert.deepEqual(await recorded(), [{ number: 5 }])
})
