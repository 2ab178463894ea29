import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { cutOff, flutterwave, refuses, says, soon, success } from './stub.suite.ts'

const account = { kind: 'bank', bankCode: '044', branchCode: '', accountNumber: '0690000032', currency: 'NGN' } as const
const cost = (source: string, amount: unknown, destination: string, bought: unknown = 1_000_000) =>
  success({
    data: { rate: 1, source: { currency: source, amount }, destination: { currency: destination, amount: bought } },
  })

test('a name is returned only for the exact account requested, at a Nigerian bank', async (t) => {
  const { names, stub, seen } = await flutterwave(t)
  const reported = { account_number: '0690000032', account_name: 'Amina Okafor' }

  stub.responses = [success({ data: reported })]
  const found = { found: 'yes', accountId: '0690000032', accountName: 'Amina Okafor' }
  assert.deepEqual(await names.resolve(account, soon()), found)
  assert.deepEqual(seen[0]?.json, { account_number: '0690000032', account_bank: '044' })
  assert.equal(seen[0]?.line, 'POST /v3/accounts/resolve')
  stub.responses = [refuses(400, 'Sorry, that account number is invalid, please check and try again')]
  assert.deepEqual(await names.resolve(account, soon()), { found: 'no' })
  const unclear = [
    success({ data: { ...reported, account_number: '0690000033' } }),
    success({ data: { ...reported, account_name: ' ' } }),
    success({}),
    refuses(400, 'account_bank is invalid'),
    refuses(500, 'account number is invalid'),
    says(404, ''),
    cutOff,
  ]
  for (const response of unclear) {
    stub.responses = [response]
    assert.equal((await names.resolve(account, soon())).found, 'unclear')
  }
  const calls = seen.length
  assert.equal((await names.resolve({ ...account, currency: 'KES' }, soon())).found, 'unclear')
  assert.equal(seen.length, calls)
})

/** Flutterwave takes `sell` shillings for the sample of dollars, and `inverse` dollars for the sample of shillings. */
async function quoting(t: TestContext, sell: unknown, inverse: unknown) {
  const { rates, seen } = await flutterwave(t, (response) => {
    const isForDollars = response.req.url?.includes('destination_currency=USD')
    const respond = isForDollars ? cost('KES', sell, 'USD') : cost('USD', inverse, 'KES')
    respond(response)
  })
  return { rates, seen }
}

test('both sides of a rate are exact decimals, rounded apart, and buy is never above sell', async (t) => {
  const cases: [unknown, unknown, { buy: string; sell: string }][] = [
    [129_896_250, 7776.05, { buy: '128.599996142', sell: '129.89625' }],
    ['129896250.25', '7776.05', { buy: '128.599996142', sell: '129.89625025' }],
    [3_678_300_000, 274.59, { buy: '3641.793218981026', sell: '3678.3' }],
    [129_000_000, 7751.9, { buy: '129', sell: '129' }],
  ]
  for (const [sell, inverse, rate] of cases) {
    const { rates, seen } = await quoting(t, sell, inverse)
    assert.deepEqual(await rates.quote('USD', 'KES', soon()), rate)
    assert.equal(seen.length, 2)
  }
})

test('a contradictory or unreadable rate is refused', async (t) => {
  const contradictions: [unknown, unknown][] = [
    [129_000_000, 7000],
    [0, 7776.05],
    [-1, 7776.05],
    ['much', 7776.05],
    [129_896_250, undefined],
    [129_896_250, 0],
    [129_896_250, '1e400'],
  ]
  for (const [sell, inverse] of contradictions) {
    const { rates } = await quoting(t, sell, inverse)
    await assert.rejects(rates.quote('USD', 'KES', soon()), /no rate of/)
  }
  for (const response of [
    refuses(400, 'Unable to fetch rates at the moment'),
    cost('KES', 129, 'USD', 1000),
    cost('UGX', 129, 'USD'),
    cost('KES', 129, 'GBP'),
    says(200, ''),
    cutOff,
  ]) {
    const { rates } = await flutterwave(t, response)
    await assert.rejects(rates.quote('USD', 'KES', soon()), /no rate of/)
  }
})
