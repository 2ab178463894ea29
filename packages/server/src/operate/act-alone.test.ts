import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { readId } from '../platform/ids.ts'
import { call, testMalipo } from '../testing/malipo.ts'
import { openTransaction } from '../testing/open-transaction.ts'
import { type TestPerson, testPerson } from '../testing/people.ts'

const merchantOrder = { name: 'Duka', email: 'a@example.com', firstName: 'Amina', lastName: 'Otieno', country: 'KE' }
let evidences = 0

/** One person may move less than 500.00 KES alone. */
async function setUp(t: TestContext) {
  const malipo = await testMalipo(t)
  const { id: merchant } = await malipo.operator.merchants.create(merchantOrder)
  await malipo.operator.thresholds.set({ currency: 'KES', amount: '500.00', reason: 'small corrections' })
  const pathOf = (id: string) => `/operator/v1/merchants/${id}/wallets/fund`
  const order = (amount: string) => {
    evidences += 1
    return { ...{ env: 'live', currency: 'KES', country: 'KE' }, amount, evidence: `line ${evidences}`, reason: 'test' }
  }
  return {
    malipo,
    fund: async (person: TestPerson, amount: string, { url = malipo.url, id = merchant } = {}) =>
      (await call(url, 'POST', pathOf(id), person.headers, order(amount))).status,
    balance: async () => {
      const [row] = await malipo.ask<{ sum: string | null }>(
        `select sum(credits_posted - debits_posted) from wallets where merchant_id = $1 and env = 'live'`,
        [readId('merchant', merchant)],
      )
      return BigInt(row?.sum ?? 0)
    },
    finance: () => testPerson(malipo, { operator: ['finance'] }),
  }
}

test('what one person moves alone in a day stays below the threshold', async (t) => {
  const { fund, finance, balance, malipo } = await setUp(t)
  const person = await finance()

  assert.deepEqual([await fund(person, '300'), await fund(person, '199.99')], [200, 200])
  assert.equal(await fund(person, '0.01'), 202)
  assert.equal(await balance(), 49_999n)
  assert.equal(await fund(await finance(), '499.99'), 200, 'another person has its own sum')

  await malipo.ask(`update solo_movements set moved_at = moved_at - interval '24 hours' where actor = $1`, [person.id])
  assert.equal(await fund(person, '499.99'), 200, 'a day later')
})

test('the sums of two identities with one passkey count together', async (t) => {
  const { fund, finance, malipo } = await setUp(t)
  const people = [await finance(), await finance()] as const
  for (const { person_id } of people)
    await malipo.ask(
      `insert into passkeys (credential_id, person_id, public_key, counter, name) values ($1, $2, '\\xc3d4', 0, 'key')`,
      [`copy-${person_id}`, person_id],
    )

  assert.deepEqual([await fund(people[0], '300'), await fund(people[1], '300')], [200, 202])
})

test('an approved proposal does not count to the sum of its maker', async (t) => {
  const { fund, finance } = await setUp(t)
  const person = await finance()

  assert.deepEqual([await fund(person, '900'), await fund(person, '499.99')], [202, 200])
})

test('requests of one person at once in three processes move less than the threshold alone', async (t) => {
  const { fund, finance, malipo } = await setUp(t)
  const others = [await testMalipo(t), await testMalipo(t)]
  const urls = [malipo, ...others].map(({ url }) => url)
  const person = await finance()
  // Each of another merchant: the lock of a shared wallet would hide that of the threshold.
  const ids: string[] = []
  for (let count = 0; count < 12; count += 1) ids.push((await malipo.operator.merchants.create(merchantOrder)).id)

  const statuses = await Promise.all(
    ids.map((id, index) => fund(person, '100', { id, url: urls[index % urls.length] ?? '' })),
  )

  assert.equal(statuses.filter((status) => status === 200).length, 4)
  assert.equal(statuses.filter((status) => status === 202).length, 8)
})

test('of two movements at once in two processes the second sees the first', async (t) => {
  const { fund, finance, malipo } = await setUp(t)
  const other = await testMalipo(t)
  const { id } = await malipo.operator.merchants.create(merchantOrder)
  const person = await finance()
  // Both are stopped after they compared the sum, just before their commit.
  const release = await openTransaction(t, 'select from audit_chains for update')

  const both = Promise.all([fund(person, '300'), fund(person, '300', { id, url: other.url })])
  await until('both to wait for a lock', async () => {
    const waiting = await malipo.ask(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return waiting.length === 2
  })
  await release()

  assert.deepEqual((await both).sort(), [200, 202])
})
