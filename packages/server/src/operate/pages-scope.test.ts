import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { readId } from '../platform/ids.ts'
import { payingMalipo } from '../testing/paying.ts'
import { type TestPerson, testPerson } from '../testing/people.ts'
import type { AccountView } from './ledger-accounts.ts'
import type { EntryView } from './ledger-entries.ts'

// The pages of the operator, for roles that are limited to countries and currencies.

async function setUp(t: TestContext) {
  const malipo = await payingMalipo(t, { MALIPO_RATE_LIMIT_PEOPLE: '100000' })
  malipo.work()
  const merchant = await malipo.merchant()
  const pay = async (place: object, accountNumber: string, code = {}) => {
    const payoutMethod = { accountName: 'Amina Bello', accountNumber, ...code }
    const order = { amount: 1000, externalReference: randomUUID(), ...place, payoutMethod }
    const { status, body } = await merchant.call('POST', '/api/b2b/fiat/payout', order)
    assert.equal(status, 200, JSON.stringify(body))
    const id = String(body['transactionId'])
    await malipo.comesTo(id, 'successful')
    return { id, reference: order.externalReference }
  }
  const inside = await pay({ currency: 'KES', country: 'KE', destination: 'MoMo' }, '+254712088018')
  const bank = { currency: 'NGN', country: 'NG', destination: 'Bank Account' }
  const outside = await pay(bank, '0690000032', { code: '044' })
  const movement = { env: 'sandbox', country: 'NG', currency: 'NGN', amount: '1000', reason: 'test' } as const
  await malipo.operator.floats.adjust({ ...movement, provider: 'flutterwave', evidence: randomUUID() })
  const person = (scope: object) => testPerson(malipo, { operator: ['operations'], ...scope })
  return {
    malipo,
    merchant,
    inside,
    outside,
    everywhere: await person({}),
    limited: {
      'a country': await person({ countries: ['KE'] }),
      'a currency': await person({ currencies: ['KES'] }),
      both: await person({ countries: ['KE'], currencies: ['KES'] }),
    },
  }
}

async function read<Data>(person: TestPerson, path: string): Promise<Data> {
  const { status, body } = await person.call('GET', `/operator/v1${path}`)
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
  return body['data'] as Data
}

interface Board {
  readonly rows: readonly { readonly operation: string; readonly last24Hours: { readonly successful: number } }[]
}

interface Providers {
  readonly providers: readonly { readonly lastHour: { readonly successful: number } }[]
}

const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0)

const paidOnBoard = async (person: TestPerson) =>
  sumOf((await read<Board>(person, '/providers/board?env=sandbox')).rows.map((row) => row.last24Hours.successful))

const paidLastHour = async (person: TestPerson) =>
  sumOf((await read<Providers>(person, '/providers')).providers.map(({ lastHour }) => lastHour.successful))

test('the provider board and the list of providers count only payments within the scope', async (t) => {
  const { everywhere, limited } = await setUp(t)
  const [all, lately] = [await paidOnBoard(everywhere), await paidLastHour(everywhere)]

  for (const [scope, person] of Object.entries(limited))
    assert.deepEqual([await paidOnBoard(person), await paidLastHour(person)], [all - 1, lately - 1], scope)
})

test('the trial balance shows a currency only to readers who may see all its accounts', async (t) => {
  const { everywhere, limited } = await setUp(t)
  const currenciesOf = async (person: TestPerson) => {
    const path = '/ledger/trial-balance?env=sandbox'
    const { currencies, isBalanced } = await read<{ currencies: { currency: string }[]; isBalanced: boolean }>(
      person,
      path,
    )
    assert.equal(isBalanced, true)
    return currencies.map(({ currency }) => currency)
  }

  assert.ok((await currenciesOf(everywhere)).includes('NGN'))
  for (const [scope, person] of Object.entries(limited)) {
    const shown = await currenciesOf(person)
    assert.ok(shown.includes('KES') && !shown.includes('NGN'), `${scope}: ${shown}`)
  }
})

test('callbacks of payments outside the scope are not listed', async (t) => {
  const { malipo, everywhere, limited, inside, outside } = await setUp(t)
  for (const { id } of [inside, outside])
    await malipo.ask(
      `insert into callbacks (id, env, provider, received_at, outcome, reason, keys, transaction_id, body_bytes, content)
       select id_at(record_time()), 'sandbox', 'house', record_time(), 'applied', '', '{}', $1, 2, ''`,
      [readId('transaction', id)],
    )
  const named = async (person: TestPerson) =>
    new Set(
      (await read<{ transactionId?: string }[]>(person, '/callbacks?limit=1000')).map((each) => each.transactionId),
    )

  assert.ok((await named(everywhere)).has(outside.id))
  for (const [scope, person] of Object.entries(limited)) {
    const shown = await named(person)
    assert.ok(shown.has(inside.id) && !shown.has(outside.id), scope)
    const ofPayment = await read<unknown[]>(person, `/callbacks?payment=${outside.id}&limit=10`)
    assert.deepEqual(ofPayment, [], scope)
  }
})

test('entries name no payment outside the scope, and lead to the same balance', async (t) => {
  const { everywhere, limited, outside } = await setUp(t)
  const accountsOf = async (person: TestPerson) =>
    (await read<{ accounts: AccountView[] }>(person, '/ledger/accounts?env=sandbox&limit=1000')).accounts
  const entriesOf = async (person: TestPerson, account: string) =>
    (await read<{ entries: EntryView[] }>(person, `/ledger/accounts/${account}/entries?limit=1000`)).entries
  const balancesOf = (entries: readonly EntryView[]) => entries.map(({ balance }) => balance)

  for (const [scope, person] of Object.entries(limited))
    for (const { account } of await accountsOf(person)) {
      const [all, own] = [await entriesOf(everywhere, account), await entriesOf(person, account)]
      const text = JSON.stringify(own)
      assert.ok(!text.includes(outside.id) && !text.includes(outside.reference), `${scope} ${account}`)
      assert.deepEqual(balancesOf(own), balancesOf(all), `${scope} ${account}`)
    }
  // The fees of a currency have no country, so their account is seen by a role that is limited to another country.
  const fees = (await accountsOf(limited['a country'])).find(
    ({ kind, currency }) => kind === 'fees' && currency === 'NGN',
  )
  assert.ok(
    (await entriesOf(everywhere, fees?.account ?? '')).some(({ transactionId }) => transactionId === outside.id),
  )
})

test('no page names a payment, a reference or a wallet outside the scope', async (t) => {
  const { everywhere, limited, merchant, outside } = await setUp(t)
  const paths = [
    ...['/operations?env=sandbox', '/floats', '/ledger/accounts?env=sandbox&limit=1000&kind=wallet'],
    ...['/suspense?limit=1000', `/merchants/${merchant.id}`, `/merchants/${merchant.id}/wallets`],
    '/payments?isDoubtOnly=false&isWithEnded=true&limit=1000',
  ]
  const leak = (text: string) => [outside.id, outside.reference, '"NGN"', '"NG"'].filter((word) => text.includes(word))

  const all = await Promise.all(paths.map((path) => read(everywhere, path)))
  assert.ok(leak(JSON.stringify(all)).length > 2)
  for (const [scope, person] of Object.entries(limited))
    for (const path of paths) assert.deepEqual(leak(JSON.stringify(await read(person, path))), [], `${scope} ${path}`)
})

test('what a resolution or a clearing would do is not shown for a payment outside the scope', async (t) => {
  const { malipo, everywhere, limited, outside } = await setUp(t)
  const [found] = await malipo.ask<{ id: string }>(
    `insert into suspense_cases (id, env, kind, provider, country, currency, amount, provider_key, opened_at, updated_at)
     values (gen_random_uuid(), 'sandbox', 'unknown_payment', 'pawapay', 'KE', 'KES', 100, $1, now(), now())
     returning 'case_' || replace(id::text, '-', '') as id`,
    [randomUUID()],
  )
  const clearings = `/operator/v1/suspense/${found?.id}/clearings?payment=${outside.id}`
  const unknown = 'txn_01930000000070008000000000000001'

  const saidOf = async (person: TestPerson, path: string) => {
    const { status, body } = await person.call('GET', path)
    return { status, text: JSON.stringify(body['data'] ?? body['message']).replaceAll(/txn_\w+/g, 'ID') }
  }

  for (const path of [clearings, `/operator/v1/payments/${outside.id}/resolutions`]) {
    assert.notDeepEqual(await saidOf(everywhere, path), await saidOf(everywhere, path.replace(outside.id, unknown)))
    for (const [scope, person] of Object.entries(limited))
      assert.deepEqual(
        await saidOf(person, path),
        await saidOf(person, path.replace(outside.id, unknown)),
        `${scope} ${path}`,
      )
  }
})
