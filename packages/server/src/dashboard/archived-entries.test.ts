import assert from 'node:assert/strict'
import { test } from 'node:test'
import { archivingScene, moveLate } from '../testing/archiving.ts'
import { member, pathIn } from '../testing/members.ts'

interface Entries {
  readonly entries: readonly { readonly event: string }[]
  readonly sums: readonly unknown[]
  readonly archivedMonth?: string
}

test('the entries of an archived payment are named as archived to the merchant and to staff', async (t) => {
  const scene = await archivingScene(t)
  const { malipo, merchant, months, folder, charge, refund, doubt, payments } = scene
  const viewer = await member(malipo, merchant.id, ['viewer'])
  const entriesOf = async (id: string) => {
    const { status, body } = await viewer.call('GET', pathIn(merchant.id, 'sandbox', `/transactions/${id}/entries`))
    assert.equal(status, 200, JSON.stringify(body))
    return body['data'] as Entries
  }
  const shownTo = async (id: string) => {
    const { entries, sums, ledger, archivedMonth } = await malipo.operator.payments.show(id)
    return { entries, sums, ledger, archivedMonth }
  }
  const read = () =>
    Promise.all(payments.map(async (id) => ({ id, entries: await entriesOf(id), staff: await shownTo(id) })))
  const before = await read()
  assert.ok(before.every(({ entries, staff }) => !('archivedMonth' in entries) && staff.archivedMonth === undefined))

  await scene.archive()

  await t.test('the response names the month and has no entries', async () => {
    assert.deepEqual(await entriesOf(charge), { entries: [], sums: [], archivedMonth: months[0] })
    assert.deepEqual(await shownTo(charge), {
      ...{ entries: [], sums: [], ledger: undefined },
      archivedMonth: months[0],
    })
  })

  await t.test('payments whose entries stayed are shown as before, without a month', async () => {
    const kept = new Set([refund, doubt, ...payments.slice(-3)])
    const found = await read()
    assert.deepEqual(
      found.filter(({ id }) => kept.has(id)),
      before.filter(({ id }) => kept.has(id)),
    )
    for (const { id, entries, staff } of found) assert.equal(entries.archivedMonth, staff.archivedMonth, id)
    assert.deepEqual(
      found.filter(({ entries }) => entries.archivedMonth !== undefined).map(({ id }) => id),
      payments.filter((id) => !kept.has(id)),
    )
  })

  await t.test('entries booked later are shown beside the month', async () => {
    await moveLate(scene, charge)
    const [{ archivedMonth, entries }, staff] = [await entriesOf(charge), await shownTo(charge)]
    assert.deepEqual([archivedMonth, entries.map(({ event }) => event)], [months[0], ['provider_fee_reported']])
    assert.deepEqual([staff.archivedMonth, staff.entries.length], [months[0], 1])
    assert.match(staff.ledger ?? '', /provider fee reported/)
  })

  await t.test('a restored month is not named', async () => {
    await malipo.operator.archive.restore(months[0], folder)
    const { archivedMonth, entries } = await entriesOf(charge)
    assert.deepEqual([archivedMonth, entries.length], [undefined, (before[0]?.entries.entries.length ?? 0) + 1])
    assert.equal((await shownTo(charge)).archivedMonth, undefined)
  })
})
