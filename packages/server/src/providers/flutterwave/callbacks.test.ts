import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../platform/secret.ts'
import type { InboundRequest } from '../contract.ts'
import { readCallback } from './callbacks.ts'
import { key, webhookHash } from './stub.suite.ts'

const charge = { id: 7, tx_ref: key, amount: 1500.5, currency: 'NGN', status: 'successful', payment_type: 'card' }
const transfer = { id: 8, reference: key, amount: 1500.5, currency: 'NGN', status: 'SUCCESSFUL' }

function callback(
  content: unknown,
  headers: InboundRequest['headers'] = { 'verif-hash': webhookHash },
): InboundRequest {
  const body = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
  return { method: 'POST', path: '/callbacks/flutterwave', authority: 'pay.example.com', headers, body }
}
const read = (request: InboundRequest) => readCallback(request, new Secret(webhookHash))
const ofCharge = (fields: object = {}) => callback({ event: 'charge.completed', data: { ...charge, ...fields } })
const ofTransfer = (fields: object = {}) => callback({ event: 'transfer.completed', data: { ...transfer, ...fields } })
const hint = (providerStatus: object) => ({ isGenuine: true, isProof: false, observations: [{ key, providerStatus }] })

test('a callback with our hash is a hint, never proof, for charges, receipts and transfers', () => {
  const settled = { amount: 150_050n, currency: 'NGN' }
  const receipts = [{ id: '7', ...settled }]

  assert.deepEqual(read(ofCharge()), hint({ state: 'successful', settled: { ...settled, receipt: '7' } }))
  assert.deepEqual(read(ofTransfer()), hint({ state: 'successful', settled: { ...settled, receipt: '8' } }))
  assert.deepEqual(read(ofCharge({ payment_type: 'bank_transfer' })), hint({ state: 'received', receipts }))
  const back = hint({ state: 'received', receipts: [{ ...receipts[0], isReversed: true }] })
  assert.deepEqual(read(ofCharge({ payment_type: 'bank_transfer', status: 'reversed' })), back)
  const failed = read(ofCharge({ status: 'failed', processor_response: 'Declined' }))
  assert.partialDeepStrictEqual(failed, hint({ state: 'failed', failure: { code: 'CARD_DECLINED' } }))
})

test('a callback without exactly our hash is refused', () => {
  const wrong = ['', 'another', `${webhookHash} `, webhookHash.toUpperCase(), webhookHash.slice(1), `${webhookHash},x`]
  const content = { event: 'charge.completed', data: charge }

  for (const hash of wrong) assert.equal(read(callback(content, { 'verif-hash': hash })).isGenuine, false, hash)
  assert.deepEqual(read(callback(content, {})), { isGenuine: false, why: 'its hash is wrong' })
})

test('a callback in the legacy format, or not a JSON object, is refused with the reason', () => {
  const old = { isGenuine: false, why: 'it has the form of old accounts, which is not supported' }

  assert.deepEqual(read(callback({ txRef: key, status: 'successful', 'event.type': 'CARD_TRANSACTION' })), old)
  assert.deepEqual(read(callback({ 'event.type': 'Transfer', transfer: { reference: key } })), old)
  for (const body of ['', '[]', 'null', '{"event":'])
    assert.deepEqual(read(callback(body)), { isGenuine: false, why: 'it is not a JSON object' })
})

test('a half-readable callback is a hint to query, and an unrelated one has no observations', () => {
  const submitted = hint({ state: 'submitted' })
  const half = [
    ofCharge({ amount: 'much' }),
    ofCharge({ status: 'odd' }),
    ofCharge({ payment_type: 'bank_transfer', id: undefined }),
    ofTransfer({ status: 'odd' }),
    ofTransfer({ currency: 'XXX' }),
  ]
  for (const request of half) assert.deepEqual(read(request), submitted)

  const nothing = { isGenuine: true, isProof: false, observations: [] }
  for (const content of [
    { event: 'subscription.cancelled', data: charge },
    { event: 'charge.completed', data: { ...charge, tx_ref: 7 } },
    { event: 'transfer.completed', data: null },
    { event: null },
  ])
    assert.deepEqual(read(callback(content)), nothing)
})
