import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../dev-stack/servers.ts'
import { withClient } from '../dev-stack/statements.ts'
import type { Db } from '../platform/db.ts'
import { readId } from '../platform/ids.ts'
import { type ArchiverWork, type ArchivingScene, archivingScene, runArchiver } from '../testing/archiving.ts'

/** Adds rows to the copy of a month, made of the two transfers of a payment that does not stay: $1 has these. */
const adding = (number: string, amount: string) => `
  insert into transfers_copy
  select transaction_id, ${number}, phase, kind, event, debit_account, credit_account, ${amount}, currency, wallet_id, entry_at, balance,
    batch, position
  from jsonb_populate_recordset(null::transfers, $1)`

// Each adds as many rows as the payment has, so that all counts fit.
const changed = adding('number', 'amount + 777')
const invented = adding('number + 77', 'amount')
const mixed = adding('number + case row_number() over (order by number) when 1 then 0 else 77 end', 'amount')
const attacks = [
  { name: 'changed amounts', statement: changed },
  { name: 'invented transfers', statement: invented },
  { name: 'a transfer and an invented one', statement: mixed },
]

/** A client with the rights of the service's processes. */
async function asWriter(
  work: (write: (statement: string, values?: readonly string[]) => Promise<void>) => Promise<void>,
) {
  const { superuserUrl } = await testDatabase()
  await withClient(superuserUrl, async (client) => {
    await client.query('set role malipo_write')
    await work(async (statement, values = []) => void (await client.query(statement, [...values])))
  })
}

/** Acts before each statement of a run. */
const before =
  (act: () => Promise<void>) =>
  <Statements extends Db>(db: Statements): Statements => ({
    ...db,
    query: async (query: Parameters<Db['query']>[0]) => {
      await act()
      return db.query(query)
    },
  })

/** Runs while another process tries the attack all the time, until it has worked once. */
async function attackedRun(scene: ArchivingScene, work: ArchiverWork, attack: () => Promise<void>): Promise<void> {
  await scene.malipo.ask('drop table if exists transfers_copy') // Of the run before.
  let isDone = false
  const attempt = async () => {
    if (isDone) return
    isDone = await attack().then(
      () => true,
      () => false,
    )
  }
  try {
    await runArchiver(scene, work, before(attempt))
  } finally {
    assert.ok(isDone, 'the attack worked')
  }
}

test('a process that writes to the copy of a month loses', async (t) => {
  const scene = await archivingScene(t)
  const { malipo, charge, folder } = scene
  const { archive, ledger } = malipo.operator
  const id = readId('transaction', charge) ?? ''
  const readCharge = () => malipo.ask('select * from transfers where transaction_id = $1 order by number', [id])
  const original = await readCharge()
  assert.equal(original.length, 2)
  const [{ rows } = assert.fail()] = await malipo.ask<{ rows: string }>(
    'select jsonb_agg(t)::text as rows from transfers t where transaction_id = $1',
    [id],
  )
  const differs = /transfers_copy differs from the transfers of .*: another process wrote to it/

  for (const { name, statement } of attacks)
    await t.test(`a month is not archived with ${name}`, async () => {
      await asWriter((write) =>
        assert.rejects(
          attackedRun(scene, 'create', () => write(statement, [rows])),
          differs,
        ),
      )

      assert.deepEqual(await archive.list({}), [])
      assert.deepEqual(await readCharge(), original)
    })

  await t.test('a month is not archived while a transaction that wrote to the copy is open', async () => {
    await asWriter(async (write) => {
      const attack = async () => {
        await write('begin')
        await write(changed, [rows]).catch(async (error) => {
          await write('rollback')
          throw error
        })
      }

      await assert.rejects(attackedRun(scene, 'create', attack), /lock timeout/)
    })

    assert.deepEqual(await archive.list({}), [])
    assert.deepEqual(await readCharge(), original)
  })

  await t.test('the copy is closed before the file is written', async () => {
    await ledger.check({ isFull: true })
    const late = () =>
      asWriter((write) => assert.rejects(write(invented, [rows]), /permission denied for table transfers_copy/))

    await runArchiver(scene, 'create', undefined, late)

    await ledger.check({ isFull: true, archive: folder })
    assert.equal((await archive.list({})).length, 1)
  })

  for (const { name, statement } of attacks)
    await t.test(`a month is not restored with ${name}`, async () => {
      const refused = /duplicate key|transfers_copy has \d+ transfers in place of \d+: nothing was replaced/
      await asWriter((write) =>
        assert.rejects(
          attackedRun(scene, 'restore', () => write(statement, [rows])),
          refused,
        ),
      )

      await ledger.check({ isFull: true, archive: folder })
      assert.equal((await archive.list({})).length, 1)
    })

  await t.test('a month is not restored with transfers that were added after the copy was made', async () => {
    const late = () => asWriter((write) => write(invented, [rows]))

    await assert.rejects(runArchiver(scene, 'restore', undefined, late), /transfers_copy has \d+ transfers in place of/)

    await runArchiver(scene, 'restore')
    assert.deepEqual(await readCharge(), original)
    await ledger.check({ isFull: true })
  })
})
