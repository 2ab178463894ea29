import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { Secret } from '../../platform/secret.ts'
import type { InboundRequest } from '../contract.ts'
import { readCallback } from './callbacks.ts'

const key = '0197d3a0-0000-4000-8000-000000000001'
const nowMs = 1_790_000_000_000
const nowS = nowMs / 1000
const secret = 'a-secret-of-two'
const done = { operation: 'payout', key, state: 'completed', amount: '128.20', currency: 'KES', receipt: 'R1' }
const success = { state: 'successful', settled: { amount: 12_820n, currency: 'KES', receipt: 'R1' } }

const seal = (body: Buffer | string, time: number | string = nowS, by = secret) =>
  `t=${time},v1=${createHmac('sha256', by).update(`${time}.`).update(body).digest('hex')}`

function callback(content: unknown, signature?: string): InboundRequest {
  const body = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content))
  const headers = { 'content-type': 'application/json', 'house-signature': signature ?? seal(body) }
  return { method: 'POST', path: '/callbacks/house', authority: 'pay.example.com', headers, body }
}

const read = (request: InboundRequest, atMs = nowMs) => readCallback(request, new Secret(secret), atMs)

test('a signed callback is proof of its report, for charges, payouts and refunds', () => {
  const failure = { code: 'PAYER_NOT_FOUND', message: 'whatever' }
  const failed = { ...done, operation: 'charge', state: 'failed', failure }

  assert.deepEqual(read(callback(done)), {
    isGenuine: true,
    isProof: true,
    observations: [{ key, providerStatus: success }],
  })
  assert.partialDeepStrictEqual(read(callback({ ...done, operation: 'refund' })), {
    isProof: true,
    observations: [{ key, providerStatus: success }],
  })
  assert.partialDeepStrictEqual(read(callback(failed)), {
    isProof: true,
    observations: [{ key, providerStatus: { state: 'failed', failure: { code: 'PAYER_NOT_FOUND' } } }],
  })
  const reversed = { ...done, state: 'reversed', failure: { code: 'REVERSED' }, returned: '28.20' }
  assert.partialDeepStrictEqual(read(callback(reversed)), {
    isProof: true,
    observations: [{ providerStatus: { state: 'reversed', returned: 2820n } }],
  })
})

test('every transfer into an account is reported, a reversed one marked', () => {
  const receipts = [
    { id: '1', amount: '60', isReversed: true },
    { id: '2', amount: '40' },
  ]
  const reported = [
    { id: '1', amount: 6000n, currency: 'KES', isReversed: true },
    { id: '2', amount: 4000n, currency: 'KES' },
  ]
  assert.partialDeepStrictEqual(read(callback({ ...done, operation: 'charge', state: 'accepted', receipts })), {
    isProof: true,
    observations: [{ providerStatus: { state: 'received', receipts: reported } }],
  })
})

test('a signature is valid only for these bytes, this time and our secret', () => {
  const body = JSON.stringify(done)
  const good = seal(body)
  const digest = good.split('v1=')[1] ?? ''
  const forged: Record<string, InboundRequest> = {
    'another body': callback({ ...done, amount: '928.20' }, good),
    'one byte more': callback(Buffer.from(`${body} `), good),
    'another secret': callback(done, seal(body, nowS, 'another')),
    'another time': callback(done, `t=${nowS + 1},v1=${digest}`),
    'the digest cut short': callback(done, good.slice(0, -2)),
    'more digest': callback(done, `${good}00`),
    'no digest': callback(done, `t=${nowS},v1=`),
    'no time': callback(done, `v1=${digest}`),
    'a time that is not a number': callback(done, seal(body, 'NaN')),
    'a second signature': callback(done, `${good},v1=${digest}`),
    'an empty header': callback(done, ''),
    'no header': { ...callback(done), headers: {} },
  }

  assert.equal(read(callback(done, good)).isGenuine, true)
  for (const [name, request] of Object.entries(forged)) assert.equal(read(request).isGenuine, false, name)
})

test('the signature covers the raw bytes, even when they are not valid text', () => {
  const invalid = Buffer.concat([Buffer.from(JSON.stringify(done)), Buffer.from([0xff])])
  const replaced = Buffer.from(invalid.toString('utf8'))

  assert.deepEqual(read(callback(invalid, seal(replaced))), { isGenuine: false, why: 'its signature is wrong' })
  assert.deepEqual(read(callback(invalid)), { isGenuine: false, why: 'it is not a JSON object' })
})

test('a signature is valid for five minutes before and after its time', () => {
  const request = callback(done)

  for (const atMs of [nowMs - 300_000, nowMs + 300_000]) assert.equal(read(request, atMs).isGenuine, true)
  for (const atMs of [nowMs - 300_001, nowMs + 300_001])
    assert.deepEqual(read(request, atMs), { isGenuine: false, why: 'its signature is too old or from the future' })
})

test('a half-readable callback is a hint to query, and an unrelated one has no observations', () => {
  const hint = { isGenuine: true, isProof: false, observations: [{ key, providerStatus: { state: 'submitted' } }] }
  for (const fields of [{ amount: 128.2 }, { amount: '0' }, { currency: 'XXX' }, { state: 'paused' }])
    assert.deepEqual(read(callback({ ...done, ...fields })), hint)

  const nothing = { isGenuine: true, isProof: false, observations: [] }
  for (const fields of [{ operation: 'remittance' }, { operation: undefined }, { key: 7 }, { key: undefined }])
    assert.deepEqual(read(callback({ ...done, ...fields })), nothing)
  assert.equal(read(callback([done])).isGenuine, false)
})
