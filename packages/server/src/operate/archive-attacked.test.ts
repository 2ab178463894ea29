import assert from 'node:assert/strict'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { testDatabase } from '../dev-stack/servers.ts'
import { runStatements, withClient } from '../dev-stack/statements.ts'
import { readManifest } from '../ledger/archive/manifest.ts'
import type { Db } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import { archivingScene, moveLate, runArchiver } from '../testing/archiving.ts'
import { openOperator } from './operator.ts'

test('an archive under attack', async (t) => {
  const scene = await archivingScene(t)
  const { malipo, months, folder } = scene
  const { operator, ask } = malipo
  const { superuserUrl } = await testDatabase()
  const order = { before: months[1], folder, keptMonths: 0 }

  await t.test('is not created while the owner reaches another database', async (t) => {
    const name = `${new URL(superuserUrl).pathname.slice(1)}_other`
    const other = new URL(superuserUrl)
    other.pathname = name
    await withClient(superuserUrl, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select datname as name from pg_database where datname ~ '^malipo_template_[0-9a-f]+$' order by oid desc limit 1`,
      )
      await client.query(`create database ${name} template ${rows[0]?.name}`)
    })
    t.after(() => runStatements(superuserUrl, [`drop database ${name} with (force)`]))
    const settings = { ...malipo.secrets, DATABASE_URL: superuserUrl, DATABASE_OWNER_URL: other.href }
    const apart = openOperator({ ...settings, NATS_URL: (await testDatabase()).natsUrl }, 'test')
    t.after(() => apart.close())

    await assert.rejects(apart.archive.create(order), /are of different databases; nothing was changed/)
  })

  await t.test('is not replaced by a table with other transfers', async () => {
    await withClient(superuserUrl, async (client) => {
      await client.query('begin')
      await client.query('set local role malipo_owner')
      await client.query('select start_transfers_copy($1::date)', [`${months[0]}-01`])
      const replaced = client.query('select replace_month($1::date, 100, 5)', [`${months[0]}-01`])
      await assert.rejects(replaced, /transfers_copy has 0 transfers in place of 5/)
      await client.query('rollback')
    })
  })

  await t.test('leaves no copy behind when a month stays', async () => {
    await ask('create table checkpoint as select checked_below from ledger_checkpoints')
    await ask('update ledger_checkpoints set checked_below = 0')
    const [view] = await operator.archive.create(order)
    await ask('update ledger_checkpoints set checked_below = (select checked_below from checkpoint)')
    await ask('drop table checkpoint')

    assert.equal(view?.transfers, 0)
    assert.deepEqual(await ask(`select to_regclass('public.transfers_copy') as copy`), [{ copy: null }])
  })

  await scene.archive()
  const fileOfFirst = async () => join(folder, (await readManifest(folder, 0)).months[0]?.file ?? '')
  const isFullGood = async () => {
    const [row] = await ask<{ is_good: boolean }>(
      `select is_good from command_results where name = 'ledger_check_full'`,
    )
    return row?.is_good
  }

  await t.test('fails the check when a file is gone', async () => {
    await operator.ledger.check({ isFull: true, archive: folder })
    assert.equal(await isFullGood(), true)
    const path = await fileOfFirst()
    renameSync(path, `${path}.away`)

    await assert.rejects(operator.ledger.check({ isFull: true, archive: folder }), { name: 'ArchiveMissing' })

    assert.equal(await isFullGood(), false)
    renameSync(`${path}.away`, path)
    await operator.ledger.check({ isFull: true, archive: folder })
  })

  await t.test('is not restored over transfers that were changed meanwhile', async () => {
    const id = readId('transaction', scene.charge)
    await ask(
      `insert into transfers
       select $1, 78, phase, kind, event, debit_account, credit_account, 100000000, currency, null, null, null, b.batch, 900
       from transfers t cross join (select min(batch) as batch from ledger_batches) b
       where kind = 'transfer' and wallet_id is null limit 1`,
      [id],
    )

    await assert.rejects(operator.archive.restore(months[0], folder), /retained transfers .* were changed/)

    await ask('delete from transfers where transaction_id = $1 and number = 78', [id])
  })

  await t.test('is not restored from a file that another process replaces after its hash was compared', async () => {
    const path = await fileOfFirst()
    const file = readFileSync(path)
    const replaced = gzipSync(gunzipSync(file).toString().replaceAll('charge_successful', 'other'))
    const replacing = <Statements extends Db>(db: Statements): Statements => ({
      ...db,
      query: (query: Parameters<Db['query']>[0]) => {
        if (query.text.includes('partition of archived_transfers')) writeFileSync(path, replaced)
        return db.query(query)
      },
    })

    await assert.rejects(runArchiver(scene, 'restore', replacing), /was changed: its SHA-256/)

    writeFileSync(path, file)
    assert.equal((await operator.archive.list({})).length, 3)
  })

  await t.test('is restored without its manifest, because the database knows the file', async () => {
    const path = join(folder, 'manifest.json')
    const text = readFileSync(path)
    rmSync(path)

    await operator.archive.restore(months[0], folder)

    writeFileSync(path, text)
    await operator.archive.create(order)
    await operator.ledger.check({ isFull: true, archive: folder })
  })

  await t.test('is not checked around sums of a day that has not ended', async () => {
    const [wallet] = await ask<{ wallet_id: string }>('select wallet_id from wallet_day_sums limit 1')
    const insert = (day: number) =>
      ask(`insert into wallet_day_sums values ($1, $2, 'charge_successful', 1, '', true, 9223372036854775807, 1)`, [
        wallet?.wallet_id,
        day,
      ])
    await assert.rejects(insert(2_147_483_647), /wallet_day_sums_day_is_near/)
    await insert(99_999)

    await assert.rejects(operator.ledger.check({ isFull: false }), /has sums of a day that has not ended/)

    await ask('delete from wallet_day_sums where day = 99999')
  })

  await t.test('does not hide a balance that was invented behind late money', async () => {
    await moveLate(scene, scene.charge)
    await assert.rejects(operator.ledger.check({ isFull: false }), { name: 'MonthArchived' })
    const change = (amount: number) =>
      ask(
        'update wallets set credits_posted = credits_posted + $1 where id = (select min(id::text)::uuid from wallets)',
        [amount],
      )
    await change(100_000_000)

    await assert.rejects(operator.ledger.check({ isFull: false }), /its transfers add up to/)

    await change(-100_000_000)
    await operator.ledger.check({ isFull: false, archive: folder })
    await operator.ledger.check({ isFull: false })
  })
})
