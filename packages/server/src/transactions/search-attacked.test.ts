import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { chargingMalipo } from '../testing/charging.ts'
import { member } from '../testing/members.ts'
import type { TestPerson } from '../testing/people.ts'

test('no text of a transaction shows the account of a transfer to people who see masked numbers', async (t) => {
  const malipo = await chargingMalipo(t)
  const merchant = await malipo.charging()
  const made = await merchant.send('bank-transfer', {
    ...{ amount: 1500000, currency: 'NGN', email: 'amina@example.com', externalReference: randomUUID() },
  })
  const { transactionId, virtualAccount } = made.body['data'] as {
    readonly transactionId: string
    readonly virtualAccount: { readonly accountNumber: string }
  }
  const { accountNumber } = virtualAccount
  const root = `/dashboard/v1/merchants/${merchant.id}/sandbox`
  const [support, finance] = [
    await member(malipo, merchant.id, ['support']),
    await member(malipo, merchant.id, ['finance']),
  ]
  const paths = [`${root}/search/transactions?q=${transactionId}`, `${root}/transactions/${transactionId}`]

  for (const path of paths) {
    const full = JSON.stringify((await finance.call('GET', path)).body)
    const masked = JSON.stringify((await support.call('GET', path)).body)
    assert.ok(full.includes(`account ${accountNumber} at`), full)
    assert.ok(!masked.includes(accountNumber), masked)
    assert.match(masked, /NGN 1,500,000/)
  }
})

test('people who see masked numbers search for few numbers, in the query and in the body', async (t) => {
  const malipo = await chargingMalipo(t, { MALIPO_RATE_LIMIT_PEOPLE: '100000' })
  const merchant = await malipo.charging()
  const path = `/dashboard/v1/merchants/${merchant.id}/sandbox/search/transactions`
  const [support, finance] = [
    await member(malipo, merchant.id, ['support']),
    await member(malipo, merchant.id, ['finance']),
  ]
  const search = async (person: TestPerson, n: number) => {
    const q = `+2547120${String(n).padStart(5, '0')}`
    const query = `${path}?q=${encodeURIComponent(q)}`
    return (await (n % 2 ? person.call('GET', query) : person.call('POST', path, { q }))).status
  }
  // Ten at once: 310 would be refused by a busy process.
  const tryAll = async (person: TestPerson) => {
    const statuses: number[] = []
    for (let first = 0; first < 310; first += 10)
      statuses.push(...(await Promise.all(Array.from({ length: 10 }, (_, n) => search(person, first + n)))))
    return statuses
  }

  const refused = (await tryAll(support)).filter((status) => status === 429).length
  assert.ok(refused > 0 && refused <= 10, `${refused} refused`)
  assert.equal((await support.call('POST', path, { q: 'order-42' })).status, 200)
  assert.deepEqual(new Set(await tryAll(finance)), new Set([200]))
})
