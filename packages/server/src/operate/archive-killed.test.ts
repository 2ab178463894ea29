import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../dev-stack/servers.ts'
import { archivedMonths } from '../ledger/archive/archived-months.ts'
import { createMonth } from '../ledger/archive/create.ts'
import { lockArchive } from '../ledger/archive/replace-month.ts'
import { restoreMonth } from '../ledger/archive/restore.ts'
import type { Db } from '../platform/db.ts'
import { asOwner } from '../platform/owner.ts'
import { Secret } from '../platform/secret.ts'
import { type ArchivingScene, archivingScene, moveLate } from '../testing/archiving.ts'

class Cut extends Error {}

/** The run stops at the statement of this number: before it, or after it when its response is lost. */
function cutAt(number: number, moment: 'before' | 'after') {
  let count = 0
  const cut = <Statements extends Db>(db: Statements): Statements => ({
    ...db,
    query: async (query: Parameters<Db['query']>[0]) => {
      count += 1
      const isCut = count === number
      if (isCut && moment === 'before') throw new Cut()
      const rows = await db.query(query)
      if (isCut) throw new Cut()
      return rows
    },
  })
  return cut
}

type Work = 'create' | 'restore'

/** One run, which is cut unless it has fewer statements. Its connections end like those of a killed process. */
async function run(
  { malipo, folder, months }: ArchivingScene,
  work: Work,
  cut = <Each extends Db>(db: Each) => db,
  onVerified: () => Promise<void> = () => Promise.resolve(),
) {
  const { superuserUrl } = await testDatabase()
  await asOwner(new Secret(superuserUrl), async (connection) => {
    await lockArchive(connection)
    const session = await malipo.ctx.db.openSession()
    try {
      const archiver = { session: cut(session), owner: cut(connection) }
      const order = { folder, cell: 0, onVerified }
      const [archived] = await archivedMonths(session)
      if (work === 'create') await createMonth(archiver, { ...order, month: months[0] })
      else if (archived) await restoreMonth(archiver, archived, order)
    } finally {
      await session.close()
    }
  })
}

async function isCutAt(scene: ArchivingScene, work: Work, cut: ReturnType<typeof cutAt>): Promise<boolean> {
  try {
    await run(scene, work, cut)
    return false
  } catch (error) {
    if (error instanceof Cut) return true
    throw error
  }
}

/** Cuts runs at every statement, before it and after it, until one is not cut. Each run starts from the same state. */
async function cutEverywhere(scene: ArchivingScene, work: Work, isAsBefore: (cut: string) => Promise<boolean>) {
  const undone: Work = work === 'create' ? 'restore' : 'create'
  for (const moment of ['before', 'after'] as const)
    for (let statement = 1, isCut = true; isCut; statement += 1) {
      isCut = await isCutAt(scene, work, cutAt(statement, moment))
      if (await isAsBefore(`${moment} statement ${statement}`)) {
        assert.ok(isCut, 'a run that is not cut has worked')
        continue
      }
      assert.ok(!isCut || moment === 'after', 'of the runs that were cut, only a lost response leaves it done')
      await run(scene, undone)
    }
}

for (const work of ['create', 'restore'] as const)
  test(`malipo archive ${work}, killed at any statement, leaves the month whole and finishes when run again`, async (t) => {
    const scene = await archivingScene(t)
    const { operator } = scene.malipo
    const isArchived = async () => (await operator.archive.list({})).length > 0
    const check = async () => {
      const archive = (await isArchived()) ? { archive: scene.folder } : {}
      await operator.ledger.check({ isFull: false })
      return (await operator.ledger.check({ isFull: true, ...archive })).transfers
    }
    const transfers = await check()
    if (work === 'restore') await run(scene, 'create')
    const isAsBefore = async (cut: string) => {
      assert.equal(await check(), transfers, cut)
      return (await isArchived()) === (work === 'restore')
    }

    await cutEverywhere(scene, work, isAsBefore)
    await run(scene, work)

    assert.equal(await isAsBefore('the last run'), false)
    if (work === 'create') await run(scene, 'restore') // The other test has another folder.
  })

test('a transfer that is written or not checked while its month is archived stays in the database', async (t) => {
  const scene = await archivingScene(t)
  const { operator } = scene.malipo
  const whole = (await operator.ledger.check({ isFull: true })).transfers
  await moveLate(scene, scene.charge)
  const unchecked = await operator.ledger.show(scene.charge)

  await run(scene, 'create', undefined, () => moveLate(scene, scene.paid))

  assert.equal(await operator.ledger.show(scene.charge), unchecked)
  assert.match(await operator.archive.show(scene.paid, scene.folder), /provider fee reported/)
  const full = await operator.ledger.check({ isFull: true, archive: scene.folder })
  assert.equal(full.transfers, whole + 2)
  await run(scene, 'restore')
  assert.equal((await operator.ledger.check({ isFull: true })).transfers, whole + 2)
})

test('a file that differs from the database removes nothing', async (t) => {
  const scene = await archivingScene(t)
  const { operator } = scene.malipo
  const corrupted = <Statements extends Db>(db: Statements): Statements => ({
    ...db,
    query: async (query: Parameters<Db['query']>[0]) => {
      const [first, ...others] = await db.query<{ line?: string }>(query)
      const line = first?.line?.replace('\tKES\t', '\tUGX\t')
      return first === undefined ? [] : [line === undefined ? first : { line }, ...others]
    },
  })

  await assert.rejects(run(scene, 'create', corrupted), /transfers as they are in the database/)

  assert.deepEqual(await operator.archive.list({}), [])
  await operator.ledger.check({ isFull: true })
})
