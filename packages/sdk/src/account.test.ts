import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { readId } from '../../server/src/platform/ids.ts'
import { testMalipo } from '../../server/src/testing/malipo.ts'
import { notifyMerchants } from '../../server/src/testing/notifying.ts'
import { Malipo, NotFoundError } from './index.ts'
import { openWire } from './testing/wire.ts'

async function bench(t: TestContext, env: 'sandbox' | 'live' = 'sandbox') {
  const stack = await testMalipo(t, {
    MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9',
    MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token',
    MALIPO_RATE_LIMIT_SANDBOX: '10000',
  })
  const { id, publicKey, apiKey } = await stack.merchant({ env })
  const wire = openWire()
  return { stack, id, wire, malipo: new Malipo({ publicKey, apiKey, baseUrl: `${stack.url}/`, fetch: wire.fetch }) }
}

test('the profile belongs to the key pair’s environment, and only the given fields change', async (t) => {
  const { malipo } = await bench(t)

  await malipo.account.update({ webhookUrl: 'http://127.0.0.1:9/hooks' })
  const changed = await malipo.account.update({ lastName: 'Njeri' })

  assert.deepEqual(
    [changed.firstName, changed.lastName, changed.webhookUrl],
    ['Amina', 'Njeri', 'http://127.0.0.1:9/hooks'],
  )
  assert.deepEqual(await malipo.account.me(), changed)
  assert.equal('KESWallet' in changed, false)
})

test('a live key pair reads and sets the live webhook URL, under the live root', async (t) => {
  const { malipo, wire } = await bench(t, 'live')

  const changed = await malipo.account.update({ webhookUrl: 'https://shop.example/hooks' })

  assert.equal(malipo.environment, 'live')
  assert.equal(changed.webhookUrl, 'https://shop.example/hooks')
  assert.equal(wire.to('/users').length, 1)
})

test('balances show the available and the held amount', async (t) => {
  const { malipo } = await bench(t)
  await malipo.payouts.create({
    amount: 100,
    currency: 'KES',
    country: 'KE',
    destination: 'MoMo',
    externalReference: 'r',
    payoutMethod: { accountName: 'Amina', accountNumber: '+254703456789' },
  })

  const shillings = (await malipo.account.balances()).find(({ currency }) => currency === 'KES')

  assert.deepEqual(shillings, { currency: 'KES', country: 'KE', balance: 1_000_000, available: 999_899, pending: 101 })
})

test('a statement of several pages is complete: its lines add up from opening to closing', async (t) => {
  const { stack, id, malipo, wire } = await bench(t)
  const funding = { env: 'sandbox', amount: '1.00', currency: 'KES', country: 'KE', reason: 'test' } as const
  for (let count = 0; count < 120; count += 1)
    await stack.operator.wallets.fund(id, { ...funding, evidence: `statement line ${id} ${count}` })

  const { opening, lines, closing } = await malipo.account.statement({ currency: 'KES' })

  assert.equal(lines.length, 121)
  assert.equal(
    lines.reduce((sum, { amount }) => sum + amount, opening),
    closing,
  )
  assert.equal(closing, 1_000_120)
  assert.equal(wire.to('/wallets/statement').length, 2)
})

test('the feed is read from any number to its end without a gap', async (t) => {
  const { stack, id, malipo, wire } = await bench(t)
  await notifyMerchants(stack.ctx.db.write, Array<string>(450).fill(readId('merchant', id) ?? ''))

  const all = await malipo.account.events().toArray()
  const last = await malipo.account.events({ after: 448 }).toArray()

  assert.deepEqual(
    all.map(({ number }) => number),
    Array.from({ length: 450 }, (_, index) => index + 1),
  )
  assert.deepEqual(
    last.map(({ number, data }) => [number, data.status, data.amount]),
    [
      [449, 'pending', 100],
      [450, 'pending', 100],
    ],
  )
  assert.equal(wire.to('/events').length, 4)
})

test('beneficiaries are created, listed beyond one page, changed and deleted', async (t) => {
  const { malipo } = await bench(t)
  const account = (number: number) => ({
    country: 'NG',
    currency: 'NGN',
    destination: 'Bank Account' as const,
    payoutMethod: { accountName: 'Amina Otieno', accountNumber: String(1_000_000_000 + number), code: '058' },
  })
  const made = await Promise.all(
    Array.from({ length: 105 }, (_, number) => malipo.externalAccounts.create(account(number))),
  )
  const [first] = made
  assert.ok(first)

  const listed = await malipo.externalAccounts.list({ currency: 'NGN' }).toArray()
  await malipo.externalAccounts.update(first.externalAccountId, account(999))
  const changed = await malipo.externalAccounts.get(first.externalAccountId)
  await malipo.externalAccounts.delete(first.externalAccountId)

  assert.equal(new Set(listed.map(({ externalAccountId }) => externalAccountId)).size, 105)
  assert.equal(changed.payoutMethod.accountNumber, '1000000999')
  await assert.rejects(malipo.externalAccounts.get(first.externalAccountId), NotFoundError)
})

test('reference data is returned as plain lists', async (t) => {
  const { malipo } = await bench(t)
  const { countries, banks, branches, mobileMoneyOperators, rates } = malipo.reference

  const [places, ugandan, operators, history] = [
    await countries(),
    await banks({ country: 'UG' }),
    await mobileMoneyOperators({ country: 'KE' }),
    await rates({ from: 'USD', to: 'KES' }),
  ]
  const withBranches = ugandan.find(({ hasBranches }) => hasBranches)

  assert.ok(places.some(({ iso2 }) => iso2 === 'KE'))
  assert.ok((await branches(withBranches?.id ?? 0)).length > 0)
  assert.ok(operators.some(({ id }) => id === 'MPESA_KE'))
  assert.ok(Array.isArray(history))
})
