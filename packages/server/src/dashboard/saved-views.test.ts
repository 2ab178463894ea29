import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testMalipo } from '../testing/malipo.ts'
import { member, pathIn } from '../testing/members.ts'
import type { TestPerson } from '../testing/people.ts'

interface View {
  readonly id: string
  readonly name: string
  readonly filters: object
  readonly isShared: boolean
  readonly isOwn: boolean
  readonly savedBy: string
}

async function setUp(t: TestContext) {
  const malipo = await testMalipo(t, { MALIPO_RATE_LIMIT_PEOPLE: '100000' })
  const { id } = await malipo.merchant()
  const at = (path = '', env = 'sandbox') => pathIn(id, env, `/saved-views${path}`)
  const person = (name: string) => member(malipo, id, ['viewer'], { name })
  const list = async (by: TestPerson, env?: string) => (await by.call('GET', at('', env))).body['data'] as View[]
  const save = async (by: TestPerson, over: object = {}, env?: string) => {
    const view = { page: 'payments', name: 'Failed', filters: { status: 'failed' }, isShared: false, ...over }
    const { status, body } = await by.call('POST', at('', env), view)
    return status === 200 ? (body['data'] as { id: string }).id : String(body['errorCode'])
  }
  return { malipo, merchantId: id, at, person, list, save }
}

test('a person saves, changes and deletes own views, in one environment each', async (t) => {
  const { at, person, list, save } = await setUp(t)
  const amina = await person('Amina')
  const filters = { status: 'failed', currency: 'KES', minAmount: 100.5, startDate: '2026-11-01' }
  const id = await save(amina, { filters })

  assert.match(id, /^view_[0-9a-f]{32}$/)
  assert.deepEqual(await list(amina), [
    { id, page: 'payments', name: 'Failed', filters, isShared: false, isOwn: true, savedBy: 'Amina' },
  ])
  assert.deepEqual(await list(amina, 'live'), [])
  const change = { name: ' Large ', filters: { minAmount: 5000 }, isShared: true }
  assert.equal((await amina.call('PUT', at(`/${id}`), change)).status, 200)
  assert.deepEqual(
    (await list(amina)).map(({ name, filters: kept, isShared }) => [name, kept, isShared]),
    [['Large', { minAmount: 5000 }, true]],
  )
  assert.equal((await amina.call('DELETE', at(`/${id}`))).status, 200)
  assert.deepEqual(await list(amina), [])
})

test('a shared view is read by others of the merchant, changed by none, and leaves with its person', async (t) => {
  const { malipo, merchantId, at, person, list, save } = await setUp(t)
  const [amina, brian] = [await person('Amina'), await person('Brian')]
  const stranger = await member(malipo, (await malipo.merchant()).id, ['viewer'])
  const shared = await save(amina, { isShared: true })
  await save(amina, { name: 'Own' })

  assert.deepEqual(
    (await list(brian)).map(({ id, isOwn, savedBy }) => [id, isOwn, savedBy]),
    [[shared, false, 'Amina']],
  )
  const change = { name: 'Taken', filters: {}, isShared: true }
  for (const [by, path] of [
    [brian, at(`/${shared}`)],
    [amina, at(`/${shared}`, 'live')],
  ] as const)
    for (const [method, body] of [
      ['PUT', change],
      ['DELETE', undefined],
    ] as const) {
      const refused = await by.call(method, path, body)
      assert.deepEqual([refused.status, refused.body['errorCode']], [404, 'SAVED_VIEW_NOT_FOUND'])
    }
  assert.equal((await stranger.call('GET', pathIn(merchantId, 'sandbox', '/saved-views'))).status, 404)
  await malipo.ask(`update memberships set ended_at = now(), ended_by = 'test' where person_id = $1`, [amina.person_id])
  assert.deepEqual(await list(brian), [])
})

test('what is searched for is never kept, nor an unknown filter, value or page', async (t) => {
  const { person, list, save } = await setUp(t)
  const amina = await person('Amina')

  for (const over of [
    ...[{ q: '+254712345678' }, { phone: '1' }, { status: 'lost' }, { type: 'Amina Otieno' }, { method: 'cash' }].map(
      (filters) => ({ filters }),
    ),
    ...[{ country: 'Kenya' }, { startDate: '2026-02-30' }, { minAmount: -1 }, { minAmount: 9, maxAmount: 1 }].map(
      (filters) => ({ filters }),
    ),
    ...[{ page: 'people' }, { name: '' }, { name: '  ' }, { name: 'x'.repeat(61) }, { filters: [] }, { extra: 1 }],
  ])
    assert.equal(await save(amina, over), 'VALIDATION_ERROR', JSON.stringify(over))
  assert.equal(await save(amina, { filters: { currency: 'Amina' } }), 'UNSUPPORTED_CURRENCY')
  assert.deepEqual(await list(amina), [])
})

test('names of a person differ, and 50 views are the most, also when saved at once', async (t) => {
  const { at, person, list, save } = await setUp(t)
  const [amina, brian] = [await person('Amina'), await person('Brian')]
  const id = await save(amina)

  assert.equal(await save(amina), 'SAVED_VIEW_NAME_USED')
  assert.match(await save(brian), /^view_/)
  assert.match(await save(amina, {}, 'live'), /^view_/)
  const saved = await Promise.all(Array.from({ length: 52 }, (_, n) => save(amina, { name: `View ${n}` })))

  assert.equal(saved.filter((each) => each === 'SAVED_VIEW_LIMIT').length, 3)
  assert.equal((await list(amina)).length, 50)
  const renamed = await amina.call('PUT', at(`/${id}`), { name: 'View 1', filters: {}, isShared: false })
  const same = await amina.call('PUT', at(`/${id}`), { name: 'Failed', filters: {}, isShared: false })
  assert.deepEqual([renamed.body['errorCode'], same.status], ['SAVED_VIEW_NAME_USED', 200])
})
