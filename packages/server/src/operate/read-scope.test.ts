import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { mayRead, type Principal, type Scope, scopesOf } from '../people/principal.ts'
import { payingMalipo } from '../testing/paying.ts'
import { type TestPerson, testPerson } from '../testing/people.ts'

const kenya = { countries: ['KE'], currencies: ['KES'] }

async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t, { MALIPO_RATE_LIMIT_PEOPLE: '100000' })
  const merchant = await malipo.merchant()
  const pay = async (place: object, accountNumber: string, code = {}) => {
    const order = { amount: 1000, externalReference: randomUUID(), ...place }
    const payoutMethod = { accountName: 'Amina Bello', accountNumber, ...code }
    const { status, body } = await merchant.call('POST', '/api/b2b/fiat/payout', { ...order, payoutMethod })
    assert.equal(status, 200, JSON.stringify(body))
    return String(body['transactionId'])
  }
  const inside = await pay({ currency: 'KES', country: 'KE', destination: 'MoMo' }, '+254712088018')
  const bank = { currency: 'NGN', country: 'NG', destination: 'Bank Account' }
  const outside = await pay(bank, '0690000032', { code: '044' })
  const limited = await testPerson(malipo, { operator: ['operations'], ...kenya })
  return { malipo, merchant, inside, outside, limited }
}

const get = async (person: TestPerson, path: string) => {
  const { status, body } = await person.call('GET', `/operator/v1${path}`)
  return { status, body, data: body['data'] }
}

type Listed = { readonly payments: readonly { readonly id: string; readonly currency: string }[] }

const currenciesOf = (data: unknown) =>
  new Set((data as { readonly currency: string }[]).map(({ currency }) => currency))

test('a role limited to a country and currency finds and lists only payments there', async (t) => {
  const { malipo, inside, outside, limited } = await setUp(t)
  const everywhere = await testPerson(malipo, { operator: ['operations'] })
  const idsOf = (data: unknown) => (data as Listed).payments.map(({ id }) => id)
  const list = async (person: TestPerson) => idsOf((await get(person, '/payments?isDoubtOnly=false&limit=1000')).data)
  const find = async (person: TestPerson, query: string) =>
    idsOf((await person.call('POST', '/operator/v1/payments/find', { query, limit: 5 })).body['data'])

  assert.deepEqual(await find(everywhere, outside), [outside])
  assert.deepEqual(await find(limited, outside), [])
  assert.deepEqual(await find(limited, '0690000032'), [])
  assert.deepEqual(await find(limited, inside), [inside])
  const [all, own] = [await list(everywhere), await list(limited)]
  assert.ok(all.includes(outside) && all.includes(inside))
  assert.ok(own.includes(inside) && !own.includes(outside))
})

test('ended payments are listed only within the scope, of one merchant and of all', async (t) => {
  const { malipo, merchant, inside, outside, limited } = await setUp(t)
  malipo.work()
  await malipo.comesTo(inside, 'successful')
  await malipo.comesTo(outside, 'successful')

  for (const filter of ['', `&merchant=${merchant.id}`]) {
    const { data } = await get(limited, `/payments?isDoubtOnly=false&limit=1000&state=successful${filter}`)
    const ids = (data as Listed).payments.map(({ id }) => id)
    assert.ok(ids.includes(inside) && !ids.includes(outside), filter)
  }
})

test('a payment outside the scope gets the response of an unknown one', async (t) => {
  const { outside, limited, malipo } = await setUp(t)
  const unknown = 'txn_01930000000070008000000000000001'

  for (const path of ['/payments', '/ledger']) {
    const [hidden, missing] = [await get(limited, `${path}/${outside}`), await get(limited, `${path}/${unknown}`)]
    const message = (body: Record<string, unknown>, id: string) => String(body['message']).replace(id, 'ID')
    assert.deepEqual([hidden.status, missing.status], [422, 422], path)
    assert.equal(message(hidden.body, outside), message(missing.body, unknown), path)
  }
  const [row] = await malipo.ask('select from audit_entries where action = $1 and actor = $2', [
    'personal-data.read',
    limited.id,
  ])
  assert.equal(row, undefined)
})

test('wallets, floats and suspense are limited too, and merchants are not', async (t) => {
  const { malipo, merchant, limited } = await setUp(t)
  const everywhere = await testPerson(malipo, { operator: ['operations'] })
  const movement = { env: 'sandbox', evidence: randomUUID(), reason: 'test' } as const
  for (const place of [
    { country: 'KE', currency: 'KES', provider: 'pawapay' },
    { country: 'UG', currency: 'UGX', provider: 'pawapay' },
  ])
    await malipo.operator.floats.adjust({ ...movement, ...place, amount: '1000' })

  for (const path of [`/merchants/${merchant.id}/wallets`, '/floats']) {
    const [all, own] = [(await get(everywhere, path)).data, (await get(limited, path)).data]
    assert.ok(currenciesOf(all).size > 1, path)
    assert.deepEqual(currenciesOf(own), new Set(['KES']), path)
  }
  const overview = (await get(limited, `/merchants/${merchant.id}`)).data as { readonly wallets: unknown }
  assert.deepEqual(currenciesOf(overview.wallets), new Set(['KES']))
  const providers = (await get(limited, '/providers')).data as { readonly floats: unknown }
  assert.deepEqual(currenciesOf(providers.floats), new Set(['KES']))
  assert.deepEqual((await get(limited, '/suspense?limit=10')).status, 200)
})

test('a proposal outside the scope is not listed, not shown and not rejected', async (t) => {
  const { malipo, merchant } = await setUp(t)
  const maker = await testPerson(malipo, { operator: ['finance'] })
  const limited = await testPerson(malipo, { operator: ['finance'], ...kenya })
  const propose = async (place: object) => {
    const order = { env: 'live', amount: '1000', evidence: randomUUID(), reason: 'prefunding', ...place }
    const made = await maker.call('POST', `/operator/v1/merchants/${merchant.id}/wallets/fund`, order)
    assert.equal(made.status, 202, JSON.stringify(made.body))
    return (made.body['data'] as { proposalId: string }).proposalId
  }
  const [own, other] = [
    await propose({ currency: 'KES', country: 'KE' }),
    await propose({ currency: 'UGX', country: 'UG' }),
  ]

  for (const isOpenOnly of [true, false]) {
    const { data } = await get(limited, `/proposals?isOpenOnly=${isOpenOnly}&limit=200`)
    const ids = (data as { proposalId: string }[]).map(({ proposalId }) => proposalId)
    assert.ok(ids.includes(own) && !ids.includes(other))
  }
  assert.equal((await get(limited, `/proposals/${own}`)).status, 200)
  assert.equal((await get(limited, `/proposals/${other}`)).status, 422)
  const reject = (id: string) => limited.call('POST', `/operator/v1/proposals/${id}/reject`, { reason: 'no' })
  assert.deepEqual([(await reject(other)).status, (await reject(own)).status], [422, 200])
})

test('the database and the code agree about every scope', async (t) => {
  const { ask } = await payingMalipo(t)
  const lists = [[], ['KE'], ['KE', 'UG']]
  const scopes: Scope[] = lists.flatMap((countries) =>
    [[], ['KES'], ['UGX', 'KES']].map((currencies) => ({ countries, currencies })),
  )
  const places = ['KE', 'NG', undefined].flatMap((country) =>
    ['KES', 'NGN', undefined].map((currency) => ({ country, currency })),
  )

  for (const first of scopes)
    for (const second of scopes) {
      const operatorGrants = [first, second].map((scope) => ({ ...scope, role: 'support' as const }))
      const person = { kind: 'person', operatorGrants } as unknown as Principal
      const held = scopesOf(person, 'payments:read')
      const rows = await ask<{ is_in_scope: boolean }>(
        `select is_in_scope($1::jsonb, p.country, p.currency)
         from unnest($2::text[], $3::text[]) with ordinality as p(country, currency, number) order by number`,
        [
          held && JSON.stringify(held),
          places.map(({ country }) => country ?? null),
          places.map(({ currency }) => currency ?? null),
        ],
      )
      assert.deepEqual(
        rows.map(({ is_in_scope }) => is_in_scope),
        places.map((place) => mayRead(person, 'payments:read', place)),
        JSON.stringify([first, second]),
      )
    }
})
