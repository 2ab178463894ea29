import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRandom } from '../support/cluster/random.ts'
import { checkRaw, checkResponse } from './check-response.ts'
import { readDocument } from './document.ts'
import { asSent, drawRequest } from './draft.ts'
import { drawFraming } from './framing.ts'
import { mutate } from './mutations.ts'
import type { World } from './world.ts'

const failure = {
  type: 'object',
  required: ['success', 'message', 'errorCode', 'requestId'],
  properties: { success: { const: false }, errorCode: { type: 'string' } },
}
const json = (schema: object) => ({ 'application/json': { schema } })
const document = readDocument(
  JSON.stringify({
    paths: {
      '/api/b2b/things/{id}': {
        get: {
          operationId: 'getThing',
          parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 100 } }],
          responses: {
            200: {
              description: 'Success',
              content: {
                ...json({ type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } }),
                'text/csv': { schema: { type: 'string' } },
              },
            },
            404: {
              description: '`THING_NOT_FOUND`: There is none.',
              content: json({ $ref: '#/components/schemas/Failure' }),
            },
            503: { description: '`OVERLOADED`: Busy.', content: json({ $ref: '#/components/schemas/Failure' }) },
          },
        },
      },
    },
    components: { schemas: { Failure: failure } },
  }),
)
const world: World = {
  ...{
    seed: 1,
    document,
    transactions: ['txn_1'],
    cards: ['txn_2'],
    references: ['r-1'],
    accounts: ['ea_1'],
    webhooks: ['wh_1'],
  },
  callers: [{ publicKey: 'pk', apiKey: 'sk', token: 'a.b.c' }],
}
const sent = { method: 'GET', target: '/api/b2b/things/1?x=1', headers: {}, body: undefined }
const headers = {
  ...{ 'x-request-id': 'req_1', 'x-api-version': '1.0.0', 'x-content-type-options': 'nosniff' },
  ...{ 'cache-control': 'no-store', 'content-security-policy': '…', 'content-type': 'application/json; charset=utf-8' },
}
const good = { status: 200, headers, text: '{"amount":1}', tookMs: 5 }
const refused = (status: number, errorCode: string, more = {}) => ({
  ...good,
  status,
  headers: { ...headers, ...more },
  text: JSON.stringify({ success: false, message: 'No.', errorCode, requestId: 'req_1' }),
})
const kinds = (received: typeof good, target = sent.target) =>
  checkResponse(world, { ...sent, target }, received).map(({ kind }) => kind)

test('a documented response that fits its schema gives no problem', () => {
  assert.deepEqual(kinds(good), [])
  assert.deepEqual(kinds(refused(404, 'THING_NOT_FOUND')), [])
  assert.deepEqual(kinds(refused(503, 'OVERLOADED', { 'retry-after': '1' })), [])
  assert.deepEqual(kinds(refused(404, 'ROUTE_NOT_FOUND'), '/nowhere'), [])
  const csv = { ...headers, 'content-type': 'text/csv; charset=utf-8; header=present' }
  assert.deepEqual(kinds({ ...good, headers: csv, text: 'amount' }), [])
})

test('a fault, a slow, an undocumented and a misshapen response are each found', () => {
  const { 'x-request-id': _, ...without } = headers

  assert.ok(kinds(refused(500, 'INTERNAL_SERVER_ERROR')).includes('5xx'))
  assert.deepEqual(kinds({ ...good, tookMs: 1001 }), ['slow'])
  assert.deepEqual(kinds(refused(422, 'X')), ['undocumented'])
  assert.deepEqual(kinds(refused(404, 'ANOTHER_CODE')), ['undocumented'])
  assert.deepEqual(kinds({ ...good, text: '{"amount":"1"}' }), ['mismatched'])
  assert.deepEqual(kinds({ ...good, text: 'oops' }), ['mismatched'])
  assert.deepEqual(kinds({ ...good, headers: { ...headers, 'content-type': 'text/html' } }), ['mismatched'])
  assert.deepEqual(kinds({ ...good, headers: without as typeof headers }), ['mismatched'])
  assert.deepEqual(kinds(refused(503, 'OVERLOADED')), ['mismatched'], 'without Retry-After')
  assert.deepEqual(kinds({ ...refused(404, 'x'), text: '{}' }, '/nowhere'), ['mismatched'])
})

test('raw bytes on a connection get an allowed status, or no response where that is allowed', () => {
  const request = { name: 'x', bytes: Buffer.alloc(0), parts: 1, isCut: false, allowed: [400] }
  const found = (received: (typeof good)[], allowed = [400]) =>
    checkRaw(world, { ...request, allowed }, received).map(({ kind }) => kind)

  assert.deepEqual(found([refused(400, 'VALIDATION_ERROR')]), [])
  assert.deepEqual(found([good]), ['undocumented'])
  assert.deepEqual(found([]), ['no response'])
  assert.deepEqual(found([], [400, 0]), [])
  assert.deepEqual(found([{ ...good, status: 400, text: '' }]), ['mismatched'])
})

test('the same seed and number draw the same request, and others draw others', () => {
  const draw = (seed: number) => {
    const random = createRandom(seed)
    const draft = drawRequest(document, world, random)
    mutate(draft, random, world)
    return JSON.stringify([asSent(draft), drawFraming(random, world)])
  }
  const drawn = Array.from({ length: 200 }, (_, seed) => draw(seed))

  assert.deepEqual(
    drawn,
    Array.from({ length: 200 }, (_, seed) => draw(seed)),
  )
  assert.ok(new Set(drawn).size > 150)
})
