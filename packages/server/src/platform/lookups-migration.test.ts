import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { testDatabase } from '../dev-stack/servers.ts'
import { migrate } from './migrate.ts'
import { Secret } from './secret.ts'

const folder = fileURLToPath(new URL('../../migrations/', import.meta.url))
const finding = '0014_finding.sql'

/** A database with the schema of the release before the lookups, and a way to upgrade it. */
async function earlierRelease(t: TestContext) {
  const { superuserUrl } = await testDatabase()
  const name = `earlier_${Math.random().toString(36).slice(2)}`
  const admin = new pg.Client({ connectionString: superuserUrl })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = new URL(superuserUrl)
  url.pathname = name
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  const files = mkdtempSync(join(tmpdir(), 'malipo-earlier-'))
  t.after(async () => {
    await client.end()
    await admin.query(`drop database ${name}`)
    await admin.end()
    rmSync(files, { recursive: true })
  })
  const run = () => migrate(new Secret(url.href), 0, files)
  for (const file of readdirSync(folder)) if (file < finding) cpSync(join(folder, file), join(files, file))
  await run()
  return {
    client,
    upgrade: async () => {
      cpSync(join(folder, finding), join(files, finding))
      assert.deepEqual((await run()).applied, [finding])
    },
  }
}

const rangesOf = async (client: pg.Client) =>
  (
    await client.query<{ history: boolean; is_past: boolean }>(
      `select id_from = '00000000-0000-0000-0000-000000000000' as history, id_below <= id_at(record_time()) as is_past
       from unindexed_payments order by id_from`,
    )
  ).rows

test('the upgrade of a database with payments leaves ranges to index, in every month of payments', async (t) => {
  const { client, upgrade } = await earlierRelease(t)
  await client.query(`
    create table transactions_202501 partition of transactions
    for values from (id_at('2025-01-01Z')) to (id_at('2025-02-01Z'))`)
  await client.query(`
    insert into transactions (id, merchant_id, env, type, method, destination, country, external_reference, amount, currency,
      wallet_id, wallet_country, wallet_currency, wallet_amount, account_name, code, counterparty, created_at, sent_via, state,
      attempt, provider, fee, events, updated_at)
    values (id_at('2025-01-05Z'), gen_random_uuid(), 'live', 'withdrew', 'momo', 'MoMo', 'KE', 'order-1', 1, 'KES',
      gen_random_uuid(), 'KE', 'KES', 1, '', '', '', now(), 'lane', 'successful', 1, 'pawapay', 0, 1, now())`)

  await upgrade()

  assert.deepEqual(await rangesOf(client), [
    { history: true, is_past: true },
    { history: false, is_past: false },
  ])
  await client.query(`insert into payment_lookups values (1, id_at('2025-01-05Z'))`)
  const { rows } = await client.query(
    `select relforcerowsecurity as is_forced from pg_class where relname = 'payment_lookups_202501'`,
  )
  assert.deepEqual(rows, [{ is_forced: true }])
})

test('the upgrade of a database without payments leaves nothing to index', async (t) => {
  const { client, upgrade } = await earlierRelease(t)

  await upgrade()

  assert.deepEqual(await rangesOf(client), [])
})
