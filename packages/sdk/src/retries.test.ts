import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MalipoError, NetworkError, refusalOf, TimeoutError } from './errors.ts'
import { backoffMs, mayRepeat, pause } from './retries.ts'

const refused = (status: number, headers: Record<string, string> = {}, body: Record<string, unknown> = {}) =>
  refusalOf({ status, headers: new Headers(headers), body }, { requestId: 'r', isAfterRetry: false })
const timeout = new TimeoutError('late', { requestId: 'r' })
const lost = new NetworkError('lost', { requestId: 'r', outcome: 'unknown' })
const unsent = new NetworkError('refused', { requestId: 'r', outcome: 'not_sent' })
const inProgress = refused(409, {}, { errorCode: 'IDEMPOTENCY_KEY_IN_PROGRESS', retryable: true })

const cases: readonly (readonly [string, MalipoError, { readonly safe: boolean; readonly unsafe: boolean }])[] = [
  ['a timeout', timeout, { safe: true, unsafe: false }],
  ['a lost connection', lost, { safe: true, unsafe: false }],
  ['a connection never made', unsent, { safe: true, unsafe: true }],
  ['too many requests', refused(429), { safe: true, unsafe: true }],
  ['an overloaded server', refused(503), { safe: true, unsafe: false }],
  ['a server error', refused(500), { safe: true, unsafe: false }],
  ['a gateway without a server', refused(502), { safe: true, unsafe: false }],
  ['a key still in progress', inProgress, { safe: true, unsafe: false }],
  ['a refusal', refused(422), { safe: false, unsafe: false }],
  ['an invalid request', refused(400), { safe: false, unsafe: false }],
  ['a server that asks for a minute of waiting', refused(503, { 'retry-after': '60' }), { safe: false, unsafe: false }],
]

for (const [name, error, expected] of cases) {
  test(`${name}: a safe call ${expected.safe ? 'is' : 'is not'} retried, an unsafe ${expected.unsafe ? 'is' : 'is not'}`, () => {
    assert.deepEqual({ safe: mayRepeat(error, true), unsafe: mayRepeat(error, false) }, expected)
  })
}

test('the back-off is random up to a bound that doubles, never less than the server asked for', () => {
  const bounds = [1, 2, 3, 10].map((tries) => [backoffMs(tries, lost, () => 0), backoffMs(tries, lost, () => 1)])

  assert.deepEqual(bounds, [
    [0, 500],
    [0, 1000],
    [0, 2000],
    [0, 8000],
  ])
  assert.deepEqual(
    [() => 0, () => 1].map((random) => backoffMs(1, refused(503, { 'retry-after': '3' }), random)),
    [3000, 3500],
  )
  const inTwoSeconds = new Date(Date.now() + 2000).toUTCString()
  const dated = backoffMs(1, refused(503, { 'retry-after': inTwoSeconds }), () => 0)
  assert.ok(dated > 0 && dated <= 2000, String(dated))
})

test('an aborted wait ends at once with the reason of its signal', async () => {
  const end = new AbortController()
  const waiting = pause(60_000, end.signal)
  end.abort(new Error('enough'))

  await assert.rejects(waiting, /enough/)
  await assert.rejects(pause(60_000, end.signal), /enough/)
})
