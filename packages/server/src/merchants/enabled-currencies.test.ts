import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import type { CurrencyOrder } from '../operate/merchant-currencies.ts'
import { readId } from '../platform/ids.ts'
import { cardBody, cards, transferBody } from '../testing/charging.ts'
import { type ApiResponse, testMalipo } from '../testing/malipo.ts'
import { quote } from '../testing/paying.ts'
import { createEnabledCurrencies } from './enabled-currencies.ts'

const noProvider = { MALIPO_SIMULATOR_URL: 'http://127.0.0.1:9', MALIPO_SIMULATOR_TOKEN: 'unused-simulator-token' }
const payoutMethod = { accountName: 'Amina', accountNumber: '+254703456789' }
const payout = { amount: 1000, currency: 'KES', country: 'KE', destination: 'MoMo', payoutMethod }
const momo = { amount: 1000, currency: 'KES', phoneNumber: '+254703456789' }
const off = { env: 'sandbox', reason: 'contract 17' } as const

async function merchantWithout(t: TestContext, change: Omit<CurrencyOrder, 'env' | 'reason'>) {
  const malipo = await testMalipo(t, noProvider)
  await malipo.ask('delete from rates')
  await quote(malipo, 'USD/KES', '128.50', '130.25')
  const merchant = await malipo.merchant()
  await malipo.operator.merchants.setCurrencies(merchant.id, { ...off, ...change })
  let references = 0
  const post = (path: string, body: object) => {
    references += 1
    return merchant.call('POST', `/api/b2b/fiat/${path}`, {
      externalReference: `${merchant.id}-${references}`,
      ...body,
    })
  }
  return { ...malipo, merchant, post, another: () => malipo.merchant() }
}

const refusalOf = ({ status, body }: ApiResponse) => [status, body['errorCode']]
const notEnabled = [403, 'CURRENCY_NOT_ENABLED']

test('a disabled currency is refused for payouts and charges, on either side, with no trace', async (t) => {
  const { post, ask, merchant } = await merchantWithout(t, { disable: ['KES', 'NGN'] })
  const ugandan = { country: 'UG', currency: 'UGX', payoutMethod: { ...payoutMethod, accountNumber: '+256783456789' } }

  for (const [path, body] of [
    ['payout', payout],
    ['payout', { ...payout, debitCurrency: 'USD', debitCountry: 'KE' }],
    ['payout', { ...payout, ...ugandan, debitCurrency: 'KES' }],
    ['deposit/momo', momo],
    ['deposit/momo', { ...momo, walletCurrency: 'USD' }],
    ['deposit/momo', { ...momo, currency: 'UGX', phoneNumber: '+256783456789', walletCurrency: 'KES' }],
    ['deposit/card', cardBody(cards.succeeds)],
    ['deposit/bank-transfer', transferBody()],
    ['deposit/bank-transfer', transferBody({ currency: 'KES' })],
  ] as const) {
    const answer = await post(path, body)
    assert.deepEqual(refusalOf(answer), notEnabled, `${path} ${JSON.stringify(body)}`)
    assert.match(String(answer.body['message']), /^(KES|NGN) is not enabled for this merchant\.$/)
  }
  const many = { payouts: [{ ...payout, externalReference: 'one' }] }
  const bulk = await merchant.call('POST', '/api/b2b/fiat/payouts/bulk', many)
  assert.equal((bulk.body['data'] as { errorCode: string }[])[0]?.errorCode, 'CURRENCY_NOT_ENABLED')
  const list = await merchant.call('GET', '/api/b2b/transactions')
  assert.deepEqual(list.body['data'], [])
  assert.deepEqual(await ask(`select from external_references where reference like $1`, [`${merchant.id}-%`]), [])
})

test('an enabled currency is accepted, only for the merchant it is enabled for', async (t) => {
  const { post, another } = await merchantWithout(t, { only: ['KES', 'USD'] })
  const other = await another()

  assert.equal((await post('payout', payout)).status, 200)
  assert.equal((await post('payout', { ...payout, debitCurrency: 'USD', debitCountry: 'KE' })).status, 200)
  assert.equal((await post('deposit/momo', { ...momo, walletCurrency: 'USD' })).status, 200)
  assert.deepEqual(refusalOf(await post('deposit/bank-transfer', transferBody())), notEnabled)
  const body = { ...payout, country: 'UG', currency: 'UGX', externalReference: 'of-another', debitCurrency: 'UGX' }
  const target = { payoutMethod: { ...payoutMethod, accountNumber: '+256783456789' } }
  assert.equal((await other.call('POST', '/api/b2b/fiat/payout', { ...body, ...target })).status, 200)
  assert.deepEqual(refusalOf(await post('payout', { ...body, ...target })), notEnabled)
})

test('an unsupported currency gets a different error than a disabled one', async (t) => {
  const { post } = await merchantWithout(t, { disable: ['KES'] })

  assert.deepEqual(refusalOf(await post('deposit/momo', { ...momo, currency: 'JPY' })), [422, 'UNSUPPORTED_CURRENCY'])
  assert.deepEqual(refusalOf(await post('payout', { ...payout, currency: 'JPY' })), [422, 'UNSUPPORTED_CURRENCY'])
  const debit = { ...payout, country: 'UG', currency: 'UGX', debitCurrency: 'JPY' }
  const target = { payoutMethod: { ...payoutMethod, accountNumber: '+256783456789' } }
  assert.deepEqual(refusalOf(await post('payout', { ...debit, ...target })), [422, 'DEBIT_CURRENCY_NOT_SUPPORTED'])
})

test('a disabled currency stays readable, and payments accepted before are replayed', async (t) => {
  const malipo = await testMalipo(t, noProvider)
  const merchant = await malipo.merchant()
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'before' }
  const body = { ...payout, externalReference: 'before' }
  const send = () => malipo.call('POST', '/api/b2b/fiat/payout', headers, body)
  const first = await send()
  await malipo.operator.merchants.setCurrencies(merchant.id, { ...off, disable: ['KES'] })
  const { refuseDisabled } = createEnabledCurrencies(malipo.ctx.db.write)
  await assert.rejects(refuseDisabled(ownerOf(merchant.id), 'KES'), { key: 'CURRENCY_NOT_ENABLED' })

  const again = await send()
  const statement = await merchant.call('GET', '/api/b2b/wallets/statement?currency=KES&country=KE')

  assert.deepEqual([again.status, again.body], [200, first.body])
  assert.equal(statement.status, 200)
})

const ownerOf = (shownId: string) => ({ merchant_id: readId('merchant', shownId) ?? '', env: 'sandbox' as const })

test('a change applies in running processes within five seconds, in its environment only', async (t) => {
  const { post, merchant, operator } = await merchantWithout(t, { disable: ['NGN'] })
  assert.equal((await post('payout', payout)).status, 200)

  await operator.merchants.setCurrencies(merchant.id, { ...off, env: 'live', only: ['UGX'] })
  await operator.merchants.setCurrencies(merchant.id, { ...off, disable: ['KES'] })
  await until('KES to be off', async () => (await post('payout', payout)).status === 403)
  await operator.merchants.setCurrencies(merchant.id, { ...off, enable: ['KES'] })
  await until('KES to be on', async () => (await post('payout', payout)).status === 200)

  const [live, sandbox] = await operator.merchants.currencies(merchant.id)
  assert.deepEqual([live?.env, live?.enabled], ['live', ['UGX']])
  assert.deepEqual([sandbox?.env, sandbox?.disabled], ['sandbox', ['NGN']])
})

test('changes are audited, and invalid ones are refused', async (t) => {
  const { operator, ask, merchant } = await merchantWithout(t, { disable: ['KES', 'NGN'] })
  const set = (order: object) => operator.merchants.setCurrencies(merchant.id, { ...off, ...order })

  const [entry] = await ask(
    `select actor, action, env, subject, reason, detail from audit_entries where action = 'merchant.currencies'
     order by id desc limit 1`,
  )
  assert.deepEqual(entry, {
    actor: 'test',
    action: 'merchant.currencies',
    env: 'sandbox',
    subject: merchant.id,
    reason: 'contract 17',
    detail: { enable: [], disable: ['KES', 'NGN'] },
  })
  for (const [order, message] of [
    [{}, /name the currencies/],
    [{ enable: ['XXX'] }, /XXX is not a currency/],
    [{ enable: ['KES'], disable: ['KES'] }, /KES cannot be enabled and disabled at once/],
    [{ only: ['KES'], disable: ['UGX'] }, /only lists every currency that stays/],
  ] as const)
    await assert.rejects(set(order), message)
  const unknown = 'mer_0193000000007000800000000000000f'
  await assert.rejects(
    operator.merchants.setCurrencies(unknown, { ...off, disable: ['KES'] }),
    /no merchant has the id mer_/,
  )
  await assert.rejects(operator.merchants.currencies(unknown), /no merchant has the id mer_/)
  await set({ disable: ['KES', 'UGX'] })
  const [, sandbox] = await operator.merchants.currencies(merchant.id)
  assert.deepEqual(sandbox?.disabled, ['KES', 'NGN', 'UGX'])
})
