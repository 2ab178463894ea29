import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { insertMembership } from '../people/memberships.ts'
import { peopleContext } from '../people/people-context.ts'
import { readId } from '../platform/ids.ts'
import { sendHouseCallback } from '../testing/house-callbacks.ts'
import { testMachine } from '../testing/machines.ts'
import { type PayingMalipo, payingMalipo } from '../testing/paying.ts'
import { type TestPerson, testPerson } from '../testing/people.ts'
import { operations } from './api/operations.ts'

const phone = '+254712088017'
const digits = phone.slice(1)
const unlimited = { MALIPO_RATE_LIMIT_PEOPLE: '100000' }

async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t, unlimited)
  const merchant = await malipo.merchant()
  const pay = async (place: object, accountNumber: string, code = {}) => {
    const { status, body } = await merchant.call('POST', '/api/b2b/fiat/payout', {
      ...{ amount: 1000, externalReference: randomUUID(), ...place },
      payoutMethod: { accountName: 'Amina Bello', accountNumber, ...code },
    })
    assert.equal(status, 200, JSON.stringify(body))
    return String(body['transactionId'])
  }
  const mobile = await pay({ currency: 'KES', country: 'KE', destination: 'MoMo' }, phone)
  const place = { currency: 'NGN', country: 'NG', destination: 'Bank Account' }
  const bank = await pay(place, '0690000031', { code: '044' })
  return { malipo, merchant, mobile, bank }
}

interface Read {
  readonly actor_kind: string
  readonly subject: string
  readonly merchant_id: string | null
  readonly address: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

const readsOf = ({ ask }: PayingMalipo, actor: string) =>
  ask<Read>(
    `select actor_kind, subject, merchant_id, address, detail from audit_entries
     where action = 'personal-data.read' and actor = $1 order by id`,
    [actor],
  )

const show = (payment: string) => `/operator/v1/payments/${payment}`
const find = (person: TestPerson, query: string) =>
  person.call('POST', '/operator/v1/payments/find', { query, limit: 10 })

const dataOf = ({ body }: { readonly body: Record<string, unknown> }) => body['data'] as Record<string, unknown>

/** Values for the inputs of every operation that reads. */
async function inputsOf({ malipo, merchant, mobile }: Awaited<ReturnType<typeof setUp>>) {
  await sendHouseCallback(malipo.url, { key: 'unknown-key', msisdn: digits })
  const [callback] = await malipo.operator.callbacks.list({ limit: 1 })
  const admin = await testPerson(malipo, { operator: ['admin'] })
  const pause = { env: 'live', reason: 'maintenance' }
  const proposed = await admin.call('POST', '/operator/v1/providers/pawapay/pause', pause)
  assert.equal(proposed.status, 202, JSON.stringify(proposed.body))
  const [entry] = await malipo.operator.audit.list({ limit: 1 })
  const flags = { isDoubtOnly: false, isOpenOnly: false, isHistory: false, isHeldOnly: false, limit: 100 }
  const fee = { env: 'sandbox', operation: 'payout', method: 'momo', currency: 'KES', amount: '100' }
  const ids = { merchant: merchant.id, payment: mobile, callback: callback?.id, entry: entry?.id, person: admin.id }
  return { ...flags, ...fee, ...ids, proposal: dataOf(proposed)['proposalId'], query: phone, caseId: 'case_none' }
}

/** The path and the body of an operation that reads. */
function requestOf({ method, path, input }: (typeof operations)[number], inputs: Readonly<Record<string, unknown>>) {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const names = Object.keys(input.properties).filter((name) => name in inputs && !inPath.includes(name))
  const rest = Object.fromEntries(names.map((name) => [name, inputs[name]]))
  const query = new URLSearchParams(Object.fromEntries(names.map((name) => [name, String(inputs[name])])))
  const url = `/operator/v1${path.replaceAll(/:(\w+)/g, (_, name: string) => String(inputs[name]))}`
  return method === 'GET' ? { url: `${url}?${query}`, body: undefined } : { url, body: rest }
}

test('no response of the operator API shows a full number to support or a machine without the right', async (t) => {
  const scene = await setUp(t)
  const { malipo, mobile } = scene
  await malipo.ask(`update events set message = $2, detail = $3 where transaction_id = $1`, [
    readId('transaction', mobile),
    `Recipient ${digits} is unknown`,
    JSON.stringify({ detail: `no account ${phone}`, phoneNumber: phone }),
  ])
  const inputs = await inputsOf(scene)
  const support = await testPerson(malipo, { operator: ['support'] })
  const machine = await testMachine(malipo, ['payments:read', 'merchants:read', 'providers:read', 'audit:read'])

  let answered = 0
  for (const operation of operations.filter(({ method, isRead }) => method === 'GET' || isRead))
    for (const call of [support.call, machine]) {
      const { url, body: sent } = requestOf(operation, inputs)
      const { status, body } = await call(operation.method, url, sent)
      assert.ok([200, 403, 422].includes(status), `${operation.name}: ${status} ${JSON.stringify(body)}`)
      assert.doesNotMatch(JSON.stringify(body), /712088017/, operation.name)
      if (status === 200) answered += 1
    }

  assert.ok(answered > 30, `only ${answered} responses were compared`)
  const shown = dataOf(await support.call('GET', show(mobile)))
  assert.deepEqual([shown['account'], shown['destination']], ['••••8017', 'MoMo'])
  const found = dataOf(await find(support, phone))['payments'] as Record<string, unknown>[]
  assert.deepEqual(
    found.map(({ id, account }) => [id, account]),
    [[mobile, '••••8017']],
  )
  assert.deepEqual(await readsOf(malipo, support.id), [])
})

test('staff with the right see numbers in full, and each response is one audit entry', async (t) => {
  const { malipo, merchant, mobile, bank } = await setUp(t)
  const person = await testPerson(malipo, { operator: ['operations'] })

  assert.equal(dataOf(await person.call('GET', show(mobile)))['account'], phone)
  const found = dataOf(await find(person, '0690000031'))['payments'] as Record<string, unknown>[]

  assert.ok(found.some(({ id, account }) => id === bank && account === '0690000031'))
  const [shown, page, ...more] = await readsOf(malipo, person.id)
  assert.deepEqual(more, [])
  assert.deepEqual(shown, {
    actor_kind: 'person',
    subject: mobile,
    merchant_id: readId('merchant', merchant.id),
    address: '127.0.0.1',
    detail: { route: 'payments.show', fields: ['account'], payments: [mobile], merchants: [merchant.id] },
  })
  assert.deepEqual(
    page?.detail['payments'],
    found.map(({ id }) => id),
  )
})

test('reading what has no number writes no audit entry', async (t) => {
  const { malipo } = await setUp(t)
  const person = await testPerson(malipo, { operator: ['operations'] })

  const listed = await person.call('GET', '/operator/v1/payments?isDoubtOnly=false&limit=10')
  const found = await find(person, 'no such reference')

  assert.deepEqual([listed.status, found.status], [200, 200])
  assert.deepEqual(await readsOf(malipo, person.id), [])
})

test('numbers are not shown when the read cannot be recorded', async (t) => {
  const { malipo, mobile } = await setUp(t)
  const person = await testPerson(malipo, { operator: ['operations'] })
  await malipo.ask(`create function refuse_reads() returns trigger language plpgsql as
    $$ begin raise exception 'the trail is full'; end $$`)
  await malipo.ask(`create trigger refuse_reads before insert on audit_entries for each row
    when (new.action = 'personal-data.read') execute function refuse_reads()`)
  t.after(() => malipo.ask('drop function refuse_reads cascade'))

  const { status, body } = await person.call('GET', show(mobile))

  assert.equal(status, 500)
  assert.doesNotMatch(JSON.stringify(body), /712088017/)
})

test('a right that is limited to a country shows full numbers only there', async (t) => {
  const { malipo, mobile, bank } = await setUp(t)
  const { person_id, ...person } = await testPerson(malipo, { operator: ['support'] })
  const limited = { person_id, merchant_id: null, role: 'operations', countries: ['KE'], currencies: [] } as const
  await malipo.ctx.db.write.transaction((tx) => insertMembership(tx, peopleContext(malipo.ctx), 'test', limited))

  assert.equal(dataOf(await person.call('GET', show(mobile)))['account'], phone)
  assert.equal(dataOf(await person.call('GET', show(bank)))['account'], '••••0031')
})

test('break-glass reads of full numbers are recorded as such', async (t) => {
  const { malipo, mobile } = await setUp(t)
  const before = (await readsOf(malipo, 'test')).length

  assert.equal((await malipo.operator.payments.show(mobile)).account, phone)

  const reads = (await readsOf(malipo, 'test')).slice(before)
  assert.deepEqual(
    reads.map(({ actor_kind, subject }) => [actor_kind, subject]),
    [['break_glass', mobile]],
  )
})

test('staff without the right do not get the content of a callback, and each read of it is recorded', async (t) => {
  const { malipo } = await setUp(t)
  await sendHouseCallback(malipo.url, { key: 'unknown-key', msisdn: digits })
  const [callback] = await malipo.operator.callbacks.list({ limit: 1 })
  const [support, auditor] = [
    await testPerson(malipo, { operator: ['support'] }),
    await testPerson(malipo, { operator: ['auditor'] }),
  ]
  const path = `/operator/v1/callbacks/${callback?.id}`

  assert.equal((await support.call('GET', path)).status, 403)
  assert.match(String(dataOf(await auditor.call('GET', path))['body']), new RegExp(digits))

  const rows = await malipo.ask('select actor from audit_entries where action = $1 and subject = $2', [
    'callback.show',
    callback?.id,
  ])
  assert.deepEqual(rows, [{ actor: auditor.id }])
})
