import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startReceiver } from './testing/receiver.ts'
import {
  type Body,
  bankTransfer,
  card,
  clientOf,
  deposit,
  flutterwaveVariables,
  houseAccount,
  houseCharge,
  payout,
  sealed,
  transfer,
} from './testing/simulator.ts'
import { until } from './testing/until.ts'

const main = join(import.meta.dirname, 'main.ts')

async function start(t: TestContext, variables: Record<string, string>) {
  const env = {
    SIMULATOR_PORT: '0',
    SIMULATOR_PAWAPAY_TOKEN: 'pawapay-token',
    SIMULATOR_HOUSE_TOKEN: 'house-token',
    SIMULATOR_HOUSE_SECRET: 'house-secret',
    ...flutterwaveVariables,
    SIMULATOR_CONTROL_TOKEN: 'control-token',
    ...variables,
  }
  const child = spawn(process.execPath, [main], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const output: string[] = []
  child.stdout.on('data', (part) => output.push(String(part)))
  const line = await until('the first line', () => output.join('').includes('\n') && output.join(''))
  const { listening } = JSON.parse(line) as { listening: string }
  return { child, client: clientOf(listening), output }
}

/** Ids and times may hold the same digits by chance, as a part of a word. */
const asWord = (secret: string) => new RegExp(`(?<![\\w-])${secret}(?![\\w-])`)

const ended = async (child: ChildProcess) =>
  child.exitCode === null && child.signalCode === null ? once(child, 'exit') : []

test('the process prints its address in one line and exits on SIGTERM', async (t) => {
  const { child, client, output } = await start(t, {})
  assert.equal((await client.control('GET', '/health')).status, 200)
  child.kill('SIGTERM')
  await ended(child)
  assert.equal(child.exitCode, 0)
  assert.equal(output.join('').trim().split('\n').length, 1)
})

test('the process exits with its stdin when configured to', async (t) => {
  const { child } = await start(t, { SIMULATOR_END_WITH_STDIN: '1' })
  child.stdin?.end()
  await ended(child)
  assert.equal(child.exitCode, 0)
})

test('the control API needs a control token, and each dialect needs its own token', async (t) => {
  const { client } = await start(t, { SIMULATOR_CONTROL_TOKEN: '', SIMULATOR_HOUSE_TOKEN: '' })
  assert.equal((await client.control('GET', '/health')).status, 404)
  assert.equal((await client.house('GET', '/v1/rates?base=USD&quote=KES')).status, 404)
  assert.equal((await client.pawapay('GET', '/v2/wallet-balances')).status, 200)
})

test('invalid settings are all reported at once', async (t) => {
  const child = spawn(process.execPath, [main], { env: { SIMULATOR_PORT: 'x', SIMULATOR_SETTLE_MS: '9-1' } })
  t.after(() => child.kill('SIGKILL'))
  const output: string[] = []
  child.stderr.on('data', (part) => output.push(String(part)))
  await once(child, 'close')
  assert.notEqual(child.exitCode, 0)
  assert.match(
    output.join(''),
    /SIMULATOR_PORT has an invalid value: "x"; SIMULATOR_SETTLE_MS has an invalid value: "9-1"/,
  )
})

test('a killed simulator keeps all its data after a restart and continues open payments', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const receiver = await startReceiver(t)
  const journal = join(folder, 'journal.jsonl')
  const variables = { SIMULATOR_JOURNAL: journal, SIMULATOR_SETTLE_MS: '60000', SIMULATOR_CALLBACK_BASE: receiver.base }
  const before = await start(t, variables)
  const [done, open, charge] = [payout(), payout(), houseCharge()]
  await before.client.control('PUT', '/float', { provider: 'pawapay', country: 'RWA', currency: 'RWF', amount: '1000' })
  await before.client.pawapay('POST', '/v2/payouts', done)
  await before.client.control('POST', `/payer/${done.payoutId}/act`, { action: 'approve' })
  await receiver.take(1)
  await until('the delivery to be stored', () => readFileSync(journal, 'utf8').includes('"delivered"'))
  await before.client.advance(1_000)
  await before.client.pawapay('POST', '/v2/payouts', open)
  await before.client.house('POST', '/v1/charges', charge)
  const key = (await before.client.pawapay('GET', '/v2/public-key/http')).body
  const totals = (await before.client.control('GET', '/ledger/totals')).body
  before.child.kill('SIGKILL')
  await ended(before.child)
  const whole = readFileSync(journal)
  writeFileSync(journal, Buffer.concat([whole, Buffer.from('{"entry":"accep')]))

  const { child, client } = await start(t, variables)
  assert.deepEqual((await client.pawapay('GET', '/v2/public-key/http')).body, key)
  assert.deepEqual((await client.control('GET', '/ledger/totals')).body, totals)
  assert.equal((await client.pawapay('POST', '/v2/payouts', done)).body.status, 'DUPLICATE_IGNORED')
  assert.equal((await client.pawapay('POST', '/v2/payouts', open)).body.status, 'DUPLICATE_IGNORED')
  assert.equal((await client.pawapay('GET', '/v2/wallet-balances?country=RWA')).body.balances[0].balance, '800')
  assert.equal((await client.pawapay('POST', '/v2/deposits', deposit())).body.status, 'ACCEPTED')
  await client.advance(60_000)
  assert.equal((await client.movements(done.payoutId)).length, 1)
  assert.equal((await client.movements(open.payoutId)).length, 1)
  assert.equal((await client.house('GET', `/v1/charges/${charge.key}`)).body.state, 'completed')
  const reported = (await receiver.take(4)).map(({ body }) => body['payoutId'])
  assert.equal(reported.filter((id) => id === done.payoutId).length, 1)

  child.kill('SIGKILL')
  await ended(child)
  const third = await start(t, variables)
  assert.equal((await third.client.movements(open.payoutId)).length, 1)
})

test('a killed simulator keeps its refunds, and never refunds more than it collected', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const variables = { SIMULATOR_JOURNAL: join(folder, 'journal.jsonl'), SIMULATOR_SETTLE_MS: '60000' }
  const { child, client: before } = await start(t, variables)
  const { depositId, ...order } = deposit({ amount: '1000' })
  await before.pawapay('POST', '/v2/deposits', { depositId, ...order })
  await before.advance(60_000)
  const refund = { refundId: randomUUID(), depositId, amount: '700', currency: 'RWF' }
  await before.pawapay('POST', '/v2/refunds', refund)
  const floats = (await before.control('GET', '/float')).body
  child.kill('SIGKILL')
  await ended(child)

  const { client } = await start(t, variables)
  const refundAgain = async (changes: object) =>
    (await client.pawapay('POST', '/v2/refunds', { ...refund, ...changes })).body as Body
  assert.deepEqual((await client.control('GET', '/float')).body, floats)
  assert.equal((await refundAgain({})).status, 'DUPLICATE_IGNORED')
  assert.equal((await refundAgain({ refundId: randomUUID() })).failureReason.failureCode, 'REFUND_IN_PROGRESS')
  await client.advance(60_000)
  assert.equal((await refundAgain({ refundId: randomUUID() })).failureReason.failureCode, 'AMOUNT_TOO_LARGE')
  const { items } = (await client.control('GET', `/refunds?charge=${depositId}`)).body
  assert.partialDeepStrictEqual(items, [{ key: refund.refundId, state: 'completed', amount: '700' }])
})

test('a callback that was not delivered before the kill is sent after the restart', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const receiver = await startReceiver(t)
  const variables = {
    SIMULATOR_JOURNAL: join(folder, 'journal.jsonl'),
    SIMULATOR_SETTLE_MS: '60000',
    SIMULATOR_CALLBACK_BASE: receiver.base,
  }
  const before = await start(t, variables)
  receiver.statuses.push(500)
  const order = payout()
  await before.client.pawapay('POST', '/v2/payouts', order)
  await before.client.control('POST', `/payer/${order.payoutId}/act`, { action: 'approve' })
  await receiver.take(1)
  before.child.kill('SIGKILL')
  await ended(before.child)

  await start(t, variables)
  const [, second] = await receiver.take(2)
  assert.equal(second?.body['payoutId'], order.payoutId)
})

test('a killed simulator continues a card and an account, and its journal holds no card', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const receiver = await startReceiver(t)
  const journal = join(folder, 'journal.jsonl')
  const variables = { SIMULATOR_JOURNAL: journal, SIMULATOR_SETTLE_MS: '60000', SIMULATOR_CALLBACK_BASE: receiver.base }
  const before = await start(t, variables)
  const charge = (client: typeof before.client, order: object) =>
    client.flutterwave('POST', '/charges?type=card', sealed(order))
  const [asked, coded, paged] = [
    card('5531886652142950', { cvv: '7391' }),
    card('5531886652142950'),
    card('4000002760003184'),
  ]
  const pin = { mode: 'pin', pin: '1234' }
  await charge(before.client, asked)
  await charge(before.client, { ...asked, authorization: { mode: 'pin', pin: '8642' } })
  await charge(before.client, coded)
  const { flw_ref } = (await charge(before.client, { ...coded, authorization: pin })).body.data
  await before.client.flutterwave('POST', '/validate-charge', { otp: '975319', flw_ref, type: 'card' })
  const page = (await charge(before.client, paged)).body.meta.authorization.redirect as string
  const [account, order, sent] = [houseAccount(), bankTransfer(), transfer()]
  const opened = (await before.client.house('POST', '/v1/charges', account)).body.account
  for (let count = 0; count < 2; count++) await before.client.flutterwave('POST', '/charges?type=bank_transfer', order)
  const pay = (client: typeof before.client, key: string, amount: string) =>
    client.control('POST', `/payer/${key}/act`, { action: 'pay_account', amount })
  for (const key of [account.key, order.tx_ref]) await pay(before.client, key, '500')
  await receiver.take(2)
  await before.client.flutterwave('POST', '/transfers', sent)
  const list = `/transactions?tx_ref=${order.tx_ref}`
  const listed = (await before.client.flutterwave('GET', list)).body
  before.child.kill('SIGKILL')
  await ended(before.child)
  const kept = readFileSync(journal, 'utf8')
  for (const secret of ['5531886652142950', '4000002760003184', '7391', '8642', '975319', '1234'])
    assert.doesNotMatch(kept, asWord(secret))

  const { client } = await start(t, variables)
  assert.deepEqual((await client.flutterwave('GET', list)).body, listed)
  assert.deepEqual((await client.house('POST', '/v1/charges', account)).body.account, opened)
  const [known] = (await client.control('GET', `/payments?key=${order.tx_ref}`)).body.items
  assert.deepEqual([known.accounts.length, known.receipts.length], [2, 1])
  assert.equal((await charge(client, { ...asked, authorization: pin })).body.data.status, 'pending')
  const done = await client.flutterwave('POST', '/validate-charge', { otp: '123456', flw_ref, type: 'card' })
  assert.equal(done.body.data.status, 'successful')
  await fetch(client.url + new URL(page).pathname, { method: 'POST', body: 'action=approve' })
  assert.equal((await client.movements(paged.tx_ref)).length, 1)
  for (const key of [account.key, order.tx_ref]) await pay(client, key, '1000')
  const { receipts } = (await client.house('GET', `/v1/charges/${account.key}`)).body
  assert.deepEqual(
    receipts.map(({ amount }: Body) => amount),
    ['500', '1000'],
  )
  assert.equal((await client.movements(order.tx_ref)).length, 2)
  assert.equal((await client.flutterwave('POST', '/transfers', sent)).status, 400)
  await client.advance(60_000)
  assert.equal((await client.movements(sent.reference)).length, 1)
})

test('a restart sends the callback of a receipt only if it was not delivered before the kill', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const receiver = await startReceiver(t)
  const journal = join(folder, 'journal.jsonl')
  const variables = { SIMULATOR_JOURNAL: journal, SIMULATOR_CALLBACK_BASE: receiver.base }
  const before = await start(t, variables)
  const order = houseAccount()
  await before.client.house('POST', '/v1/charges', order)
  const pay = (amount: string) =>
    before.client.control('POST', `/payer/${order.key}/act`, { action: 'pay_account', amount })
  await pay('1')
  await until('the delivery to be stored', () => readFileSync(journal, 'utf8').includes('"delivered"'))
  receiver.statuses.push(500)
  await pay('2')
  await receiver.take(2)
  before.child.kill('SIGKILL')
  await ended(before.child)

  await start(t, variables)
  const [, second, third] = await receiver.take(3)
  assert.deepEqual(third?.body, second?.body)
})

test('a wrong-length encryption key is reported, and without a hash Flutterwave is not served', async (t) => {
  const { client } = await start(t, { SIMULATOR_FLUTTERWAVE_HASH: '' })
  assert.equal((await client.flutterwave('GET', '/balances')).status, 404)
  const env = { ...flutterwaveVariables, SIMULATOR_FLUTTERWAVE_ENCRYPTION_KEY: 'short' }
  const child = spawn(process.execPath, [main], { env: { ...env, SIMULATOR_PORT: '0' } })
  t.after(() => child.kill('SIGKILL'))
  const output: string[] = []
  child.stderr.on('data', (part) => output.push(String(part)))
  await once(child, 'close')
  assert.match(output.join(''), /SIMULATOR_FLUTTERWAVE_ENCRYPTION_KEY must have 24 characters/)
})
