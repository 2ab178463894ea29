import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../dev-stack/until.ts'
import { providerKeyOf, readId } from '../platform/ids.ts'
import type { ApiResponse } from '../testing/malipo.ts'
import { type PayingMalipo, payingMalipo } from '../testing/paying.ts'

const path = '/api/b2b/fiat/deposit/momo'

/** A running Malipo that gets the simulator's callbacks. */
async function engine(t: TestContext): Promise<PayingMalipo> {
  const malipo = await payingMalipo(t)
  await malipo.simulator.set({ callbackBase: `${malipo.url}/callbacks/sandbox` })
  malipo.work()
  return malipo
}

interface Started {
  readonly transactionId: string
  readonly status: string
  readonly nextAction: { readonly type: string; readonly redirectUrl?: string; readonly ussdCode?: string }
}
interface Read {
  readonly status: string
  readonly stage: string
  readonly failureReason?: { readonly failureCode: string }
}

const started = ({ status, body }: ApiResponse) => {
  assert.equal(status, 200, JSON.stringify(body))
  return body as unknown as Started
}

async function ended(call: (method: string, path: string) => Promise<ApiResponse>, id: string): Promise<Read> {
  let read: Read | undefined
  await until(`${id} to end`, async () => {
    read = (await call('GET', `/api/b2b/transactions/${id}`)).body['data'] as Read
    return read.status !== 'PENDING'
  })
  return read ?? assert.fail()
}

test('a prompt is announced at once, and the customer’s approval credits the wallet', async (t) => {
  const { merchant } = await engine(t)
  const { call } = await merchant()

  const charge = { amount: 1000, currency: 'UGX', phoneNumber: '+256783456789', externalReference: 'r1' }
  const { transactionId, nextAction } = started(await call('POST', path, charge))

  assert.deepEqual([nextAction.type, nextAction.ussdCode], ['PIN_PROMPT', '*165*8*3*1#'])
  assert.equal((await ended(call, transactionId)).status, 'SUCCESSFUL')
})

test('a customer is sent to the operator’s page, and its URL is in the response', async (t) => {
  const { merchant, simulator } = await engine(t)
  const { call } = await merchant()
  const urls = { successRedirectUrl: 'https://shop.example/yes', failureRedirectUrl: 'https://shop.example/no' }
  const charge = { amount: 500, currency: 'XOF', phoneNumber: '+2250534567789', momoOperatorId: 'WAVE_CI' }

  const without = await call('POST', path, { ...charge, externalReference: 'r0' })
  const { transactionId, nextAction } = started(
    await call('POST', path, { ...charge, ...urls, externalReference: 'r1' }),
  )

  assert.equal(without.body['errorCode'], 'VALIDATION_ERROR')
  assert.equal(nextAction.type, 'REDIRECT')
  assert.equal((await fetch(nextAction.redirectUrl ?? '')).status, 200)
  await simulator.act(providerKeyOf(readId('transaction', transactionId) ?? '', 1), 'approve')
  assert.equal((await ended(call, transactionId)).status, 'SUCCESSFUL')
})

test('a code from the customer is passed on and never stored; a wrong one fails the charge', async (t) => {
  const malipo = await engine(t)
  const { call } = await malipo.merchant()
  const charge = { amount: 500, currency: 'XOF', phoneNumber: '+2250734567890', externalReference: 'r0' }

  const missing = await call('POST', path, charge)
  const right = started(await call('POST', path, { ...charge, externalReference: 'r1', otpCode: '123456' }))
  const wrong = started(await call('POST', path, { ...charge, externalReference: 'r2', otpCode: '987650' }))

  assert.equal(missing.body['errorCode'], 'OTP_CODE_REQUIRED')
  assert.match(String(missing.body['message']), /#144#/)
  assert.equal((await ended(call, right.transactionId)).status, 'SUCCESSFUL')
  assert.equal((await ended(call, wrong.transactionId)).failureReason?.failureCode, 'PAYMENT_NOT_APPROVED')
  const kept = await malipo.ask<{ text: string }>(`
    select transactions::text as text from transactions
    union all select attempts::text from attempts
    union all select events::text from events
    union all select idempotency_keys::text from idempotency_keys`)
  for (const { text } of kept) assert.ok(!/987650|123456/.test(text.replaceAll(/[0-9a-f-]{36}/g, '')), text)
  assert.ok(!malipo.log.some((line) => line.includes('987650')))
})

test('a voucher of twelve or sixteen digits pays', async (t) => {
  const { merchant } = await engine(t)
  const { call } = await merchant()
  const charge = { amount: 50, currency: 'BWP', phoneNumber: '+26771234567', momoOperatorId: 'OTT_BW' }

  const { transactionId, nextAction } = started(
    await call('POST', path, { ...charge, externalReference: 'r1', voucherPin: '482910573846' }),
  )

  assert.equal(nextAction.type, 'NONE')
  assert.equal((await ended(call, transactionId)).status, 'SUCCESSFUL')
})

test('a charge repeated under its key gets the first response once there is one', async (t) => {
  const malipo = await engine(t)
  const merchant = await malipo.merchant()
  const headers = { authorization: `Bearer ${await merchant.token()}`, 'idempotency-key': 'k1' }
  const charge = {
    amount: 500,
    currency: 'XOF',
    phoneNumber: '+2250734567890',
    otpCode: '123456',
    externalReference: 'r1',
  }

  const first = await malipo.call('POST', path, headers, charge)
  const again = await malipo.call('POST', path, headers, { ...charge, otpCode: '111111' })

  assert.deepEqual(again.body, first.body)
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
})

test('a code that the operator confirms slowly leaves a charge unconfirmed and responds in time', async (t) => {
  const malipo = await engine(t)
  const { call } = await malipo.merchant()
  await malipo.simulator.setFault({ provider: 'house', operation: 'charge', mode: 'drop_after_processing', times: 1 })
  const charge = {
    amount: 500,
    currency: 'XOF',
    phoneNumber: '+2250734567890',
    otpCode: '123456',
    externalReference: 'r1',
  }

  const answer = started(await call('POST', path, charge))

  assert.equal(answer.status, 'PENDING')
  assert.equal((await ended(call, answer.transactionId)).status, 'SUCCESSFUL')
})
