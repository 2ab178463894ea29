import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readId } from '../platform/ids.ts'
import { type ArchivingScene, archivingScene, moveLate } from '../testing/archiving.ts'

const draw = ({ malipo }: ArchivingScene, id: string) => malipo.operator.ledger.show(id)

async function accountOf({ malipo, merchant }: ArchivingScene): Promise<string> {
  const [wallet] = await malipo.ask<{ id: string }>(
    `select 'acc_' || replace(id::text, '-', '') as id
     from wallets
     where currency = 'KES' and env = 'sandbox' and merchant_id = $1`,
    [readId('merchant', merchant.id)],
  )
  return wallet?.id ?? ''
}

/** What the merchant reads from a month on. */
async function readFrom({ merchant, payments }: ArchivingScene, month: string) {
  const read = async (path: string) => {
    const { status, body } = await merchant.call('GET', `/api/b2b${path}`)
    assert.equal(status, 200, JSON.stringify(body))
    return JSON.stringify(body)
  }
  return {
    statement: await read(`/wallets/statement?currency=KES&startDate=${month}-01`),
    profile: await read('/users'),
    transactions: await Promise.all(payments.map((id) => read(`/transactions/${id}`))),
  }
}

async function collected<Page>(pages: AsyncIterable<readonly Page[]>): Promise<Page[]> {
  const all: Page[] = []
  for await (const page of pages) all.push(...page)
  return all
}

const shows = async (t: TestContext, scene: ArchivingScene) => {
  const { malipo, payments, months, charge, refund, doubt, unsummed, folder } = scene
  const { archive, ledger } = malipo.operator
  const account = await accountOf(scene)
  const drawings = new Map(
    await Promise.all([...payments, unsummed].map(async (id) => [id, await draw(scene, id)] as const)),
  )
  const entries = await collected(archive.entries(account, folder))
  const read = await readFrom(scene, months[3])
  const sizes = await ledger.check({ isFull: true })

  await t.test('a month younger than the limit is refused, and names the month to use', async () => {
    await assert.rejects(
      archive.create({ before: months[3], folder, keptMonths: 13 }),
      new RegExp(`${months[0]} ended less than 13 months ago: use --before`),
    )
    await assert.rejects(archive.create({ before: '2090-01', folder, keptMonths: 0 }), /less than 0 months ago/)
    assert.deepEqual(await archive.list({}), [])
  })

  await t.test('a month whose transfers are all needed stays as it is', async () => {
    await malipo.ask(`create table checkpoint as select checked_below from ledger_checkpoints`)
    await malipo.ask('update ledger_checkpoints set checked_below = 0')
    const kept = await archive.create({ before: months[1], folder, keptMonths: 0 })
    await malipo.ask(`update ledger_checkpoints set checked_below = (select checked_below from checkpoint)`)
    await malipo.ask(`drop table checkpoint`)
    assert.deepEqual(
      kept.map(({ month, transfers, file }) => [month, transfers, file]),
      [[months[0], 0, undefined]],
    )
    assert.deepEqual(await archive.list({}), [])
  })

  await t.test('of two commands at once, one archives and the other changes nothing', async () => {
    const order = { before: months[3], folder, keptMonths: 0 }
    const both = await Promise.allSettled([archive.create(order), archive.create(order)])
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    assert.match(
      String(both.find(({ status }) => status === 'rejected')?.['reason' as never]),
      /another malipo archive/,
    )
    const listed = await archive.list({ folder })
    assert.deepEqual(
      listed.map(({ month, status }) => [month, status]),
      months.slice(0, 3).map((month) => [month, 'verified']),
    )
    assert.deepEqual(await archive.create(order), [], 'a second run finds nothing left')
  })

  await t.test('the checks are clean after archiving, the full one with the files', async () => {
    await ledger.check({ isFull: false })
    await assert.rejects(ledger.check({ isFull: true }), new RegExp(`${months[0]} are archived.*--archive`))
    const full = await ledger.check({ isFull: true, archive: folder })
    assert.deepEqual([full.transfers, full.batches], [sizes.transfers, sizes.batches])
  })

  await t.test('the merchant reads the months that stay as before, to the byte', async () => {
    assert.deepEqual(await readFrom(scene, months[3]), read)
  })

  await t.test('ledger show draws what stays as before, and archive read draws everything', async () => {
    for (const id of [refund, doubt, unsummed, ...payments.slice(-3)])
      assert.equal(await draw(scene, id), drawings.get(id), id)
    await assert.rejects(draw(scene, charge), /archived with its month .*malipo archive read/)
    for (const id of payments) assert.equal(await archive.show(id, folder), drawings.get(id), id)
    assert.deepEqual(await collected(archive.entries(account, folder)), entries)
  })
}

test('three of four months are archived, read and restored, and the checks stay clean', async (t) => {
  const scene = await archivingScene(t)
  const { malipo, payments, charge, doubt, folder, months } = scene
  const { archive, ledger, payments: staff } = malipo.operator
  const before = new Map(await Promise.all(payments.map(async (id) => [id, await draw(scene, id)] as const)))
  await shows(t, scene)

  await t.test('a payout in doubt of an archived month is resolved, and the checks stay clean', async () => {
    await staff.resolve(doubt, { outcome: 'failed', reason: 'a test', evidence: 'line 1' })
    await scene.settle()
    await ledger.check({ isFull: true, archive: folder })
  })

  await t.test('money that moves late for an archived payment is checked once with the files', async () => {
    await moveLate(scene, charge)
    await assert.rejects(
      scene.settle(),
      /moved money after its month .* was archived: run malipo ledger check --archive/,
    )
    await ledger.check({ isFull: true, archive: folder })
    await ledger.check({ isFull: false, archive: folder })
    await scene.settle()
    assert.match(await archive.show(charge, folder), /provider fee reported/)
  })

  await t.test('a restored month is in the database as before, once', async () => {
    await assert.rejects(archive.restore(months[3], folder), /is not archived/)
    for (const month of months.slice(0, 3)) await archive.restore(month, folder)
    assert.deepEqual(await archive.list({}), [])
    await ledger.check({ isFull: true })
    for (const id of payments.filter((each) => each !== charge && each !== doubt))
      assert.equal(await draw(scene, id), before.get(id), id)
    const names = await malipo.ask<{ name: string }>(
      `select indexrelid::regclass::text as name from pg_index
       where indrelid = $1::regclass and indrelid in (select inhrelid from pg_inherits where inhparent = 'transfers'::regclass)`,
      [`transfers_${months[0].replace('-', '')}`],
    )
    assert.equal(names.length, 3)
    assert.ok(names.every(({ name }) => !name.includes('copy')))
  })

  await t.test('a role of the service has no right on a replaced month', async () => {
    const rights = await malipo.ask<{ may: boolean; is_forced: boolean }>(
      `select has_table_privilege('malipo_write', $1, 'select') or has_table_privilege('malipo_write', $1, 'insert')
         or has_table_privilege('malipo_read', $1, 'select') as may, relrowsecurity and relforcerowsecurity as is_forced
       from pg_class where oid = $1::regclass`,
      [`transfers_${months[0].replace('-', '')}`],
    )
    assert.deepEqual(rights, [{ may: false, is_forced: true }])
  })
})
