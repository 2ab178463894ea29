import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { member, pathIn } from '../testing/members.ts'
import { payingMalipo, payOut } from '../testing/paying.ts'
import { charge, newPhone } from '../testing/searching.ts'

interface Entries {
  readonly entries: readonly {
    number: number
    kind: string
    event: string
    debit: { kind: string; name: string }
    credit: { kind: string; name: string }
    amount: number
    currency: string
    at: string
  }[]
  readonly sums: readonly { currency: string; debits: number; credits: number; held: number; difference: string }[]
}

async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t)
  const merchant = await malipo.merchant()
  const viewer = await member(malipo, merchant.id, ['viewer'])
  const read = (id: string, env = 'sandbox') =>
    viewer.call('GET', pathIn(merchant.id, env, `/transactions/${id}/entries`))
  const entriesOf = async (id: string) => {
    const { status, body } = await read(id)
    assert.equal(status, 200, JSON.stringify(body))
    return body['data'] as Entries
  }
  return { malipo, merchant, read, entriesOf }
}

const drawn = ({ entries }: Entries) =>
  entries.map(({ number, kind, debit, credit, amount }) => [number, kind, debit.name, credit.name, amount])

test('a payout shows its holds, their posting and the provider, and the sums differ by nothing', async (t) => {
  const { malipo, merchant, entriesOf } = await setUp(t)
  const { id } = await payOut(merchant, { amount: 100 })

  const held = await entriesOf(id)
  assert.deepEqual(drawn(held)[0], [0, 'hold', 'Your KES wallet', 'In progress', 100])
  assert.equal(held.sums[0]?.held, held.sums[0]?.debits)
  malipo.work()
  await malipo.comesTo(id, 'successful')
  const posted = await entriesOf(id)

  const kindsOf = (kind: string) => drawn(posted).filter((line) => line[1] === kind)
  assert.deepEqual(
    kindsOf('posted')
      .map(([, , debit, credit, amount]) => [debit, credit, amount])
      .at(-1),
    ['In progress', 'Provider pawaPay', 100],
  )
  assert.deepEqual(
    kindsOf('hold').map(([number]) => number),
    kindsOf('posted')
      .map(([number]) => number)
      .slice(0, kindsOf('hold').length),
  )
  const fee = (kindsOf('hold')[1]?.[4] as number | undefined) ?? 0
  assert.deepEqual(posted.sums, [{ currency: 'KES', debits: 200 + fee, credits: 200 + fee, held: 0, difference: '0' }])
})

test('a failed payout shows that its holds were released, and nothing is held or moved', async (t) => {
  const { malipo, merchant, entriesOf } = await setUp(t)
  const { id } = await payOut(merchant)
  await merchant.call('POST', `/api/b2b/fiat/payout/${id}/cancel`)
  assert.equal(await malipo.stateOf(id), 'failed')

  const { entries, sums } = await entriesOf(id)

  assert.deepEqual(new Set(entries.map(({ kind }) => kind)), new Set(['hold', 'released']))
  assert.deepEqual(sums, [{ currency: 'KES', debits: 0, credits: 0, held: 0, difference: '0' }])
})

test('a charge shows what the provider collected, and has no entries before', async (t) => {
  const { malipo, merchant, entriesOf } = await setUp(t)
  const id = await charge(merchant, { phone: newPhone(), amount: 250 })

  assert.deepEqual(await entriesOf(id), { entries: [], sums: [] })
  malipo.work()
  await malipo.comesTo(id, 'successful')

  const done = await entriesOf(id)
  assert.deepEqual(drawn(done)[0]?.slice(1), ['posted', 'Provider pawaPay', 'Your KES wallet', 250])
  assert.ok(done.sums.every(({ difference }) => difference === '0'))
})

test("another merchant's payment, another environment's and an unknown one are missing", async (t) => {
  const { malipo, merchant, read } = await setUp(t)
  const [other, own] = [await payOut(await malipo.merchant()), await payOut(merchant)]

  for (const [id, env] of [
    [other.id, 'sandbox'],
    [own.id, 'live'],
    ['nothing', 'sandbox'],
  ] as const) {
    const { status, body } = await read(id, env)
    assert.deepEqual([status, body['errorCode']], [404, 'TRANSACTION_NOT_FOUND'], id)
  }
})
