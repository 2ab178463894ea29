import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import type { Db } from '../platform/db.ts'
import { type ArchiverWork, type ArchivingScene, archivingScene, moveLate, runArchiver } from '../testing/archiving.ts'

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

/** Files that are not complete. */
const partialsIn = ({ folder }: ArchivingScene) => readdirSync(folder).filter((name) => name.endsWith('.partial'))

async function isCutAt(scene: ArchivingScene, work: ArchiverWork, cut: ReturnType<typeof cutAt>): Promise<boolean> {
  try {
    await runArchiver(scene, work, cut)
    return false
  } catch (error) {
    if (error instanceof Cut) return true
    throw error
  }
}

/** Cuts runs at every statement, before it and after it, until one is not cut. Each run starts from the same state. */
async function cutEverywhere(scene: ArchivingScene, work: ArchiverWork, isAsBefore: (cut: string) => Promise<boolean>) {
  const undone: ArchiverWork = work === 'create' ? 'restore' : 'create'
  for (const moment of ['before', 'after'] as const)
    for (let statement = 1, isCut = true; isCut; statement += 1) {
      isCut = await isCutAt(scene, work, cutAt(statement, moment))
      if (await isAsBefore(`${moment} statement ${statement}`)) {
        assert.ok(isCut, 'a run that is not cut has worked')
        continue
      }
      assert.ok(!isCut || moment === 'after', 'of the runs that were cut, only a lost response leaves it done')
      await runArchiver(scene, undone)
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
    if (work === 'restore') await runArchiver(scene, 'create')
    const isAsBefore = async (cut: string) => {
      assert.equal(await check(), transfers, cut)
      assert.deepEqual(partialsIn(scene), [], cut)
      return (await isArchived()) === (work === 'restore')
    }

    await cutEverywhere(scene, work, isAsBefore)
    await runArchiver(scene, work)

    assert.equal(await isAsBefore('the last run'), false)
    if (work === 'create') await runArchiver(scene, 'restore') // The other test has another folder.
  })

test('a transfer that is written or not checked while its month is archived stays in the database', async (t) => {
  const scene = await archivingScene(t)
  const { operator } = scene.malipo
  const whole = (await operator.ledger.check({ isFull: true })).transfers
  await moveLate(scene, scene.charge)
  const unchecked = await operator.ledger.show(scene.charge)

  await runArchiver(scene, 'create', undefined, () => moveLate(scene, scene.paid))

  assert.equal(await operator.ledger.show(scene.charge), unchecked)
  assert.match(await operator.archive.show(scene.paid, scene.folder), /provider fee reported/)
  const full = await operator.ledger.check({ isFull: true, archive: scene.folder })
  assert.equal(full.transfers, whole + 2)
  await runArchiver(scene, 'restore')
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

  await assert.rejects(runArchiver(scene, 'create', corrupted), /transfers as they are in the database/)

  assert.deepEqual(await operator.archive.list({}), [])
  assert.deepEqual(partialsIn(scene), [])
  await operator.ledger.check({ isFull: true })
})
