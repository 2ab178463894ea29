import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { faultTest } from '../testing/fault-test.ts'
import { type Body, deposit, settleMs, startTestSimulator, type TestSimulator } from '../testing/simulator.ts'

/** A simulator with a completed deposit of 1,000 RWF. */
const paid = async (t: TestContext) => payAt(await startTestSimulator(t))

async function payAt(sim: TestSimulator) {
  const charge = deposit({ amount: '1000' })
  await sim.pawapay('POST', '/v2/deposits', charge)
  await sim.advance(settleMs)
  const { depositId } = charge
  const ask = async (changes: Record<string, unknown> = {}): Promise<Body> => {
    const order = { refundId: randomUUID(), depositId, amount: '400', currency: 'RWF', ...changes }
    const { status, body } = await sim.pawapay('POST', '/v2/refunds', order)
    return { http: status, id: order.refundId, ...body }
  }
  const read = async (id: string): Promise<Body> => (await sim.pawapay('GET', `/v2/refunds/${id}`)).body
  const refunds = async (): Promise<Body[]> => (await sim.control('GET', `/refunds?charge=${depositId}`)).body.items
  return { sim, depositId, ask, read, refunds }
}

test('a refund is accepted, completes, moves its amount out of the float, and calls back', async (t) => {
  const { sim, depositId, ask, read, refunds } = await paid(t)
  await sim.receiver.take(1)

  const { id, refundId, status, created } = await ask()
  assert.deepEqual([refundId, status, typeof created], [id, 'ACCEPTED', 'string'])
  assert.equal((await read(id)).data.status, 'ACCEPTED')
  await sim.advance(settleMs)

  const { status: found, data } = await read(id)
  assert.deepEqual([found, data.refundId, data.status, data.amount], ['FOUND', id, 'COMPLETED', '400.00'])
  const callback = (await sim.receiver.take(1)).at(-1)
  assert.deepEqual([callback?.body['refundId'], callback?.body['status']], [id, 'COMPLETED'])
  assert.partialDeepStrictEqual(await sim.movements(id), [
    { operation: 'refund', kind: 'refunded', amount: '400', refundOf: depositId },
  ])
  assert.partialDeepStrictEqual(await refunds(), [{ key: id, state: 'completed', refundOf: depositId }])
})

test('a repeated refundId is ignored, and refunds without an amount take the rest', async (t) => {
  const { sim, ask } = await paid(t)
  const { id } = await ask()
  assert.equal((await ask({ refundId: id })).status, 'DUPLICATE_IGNORED')
  await sim.advance(settleMs)
  const rest = await ask({ amount: undefined, currency: undefined })
  await sim.advance(settleMs)

  assert.equal((await sim.movements(rest.id))[0]?.amount, '600')
  assert.equal((await sim.movements(id)).length, 1)
})

test('each documented refusal of a refund has its own code and moves nothing', async (t) => {
  const { sim, ask, refunds } = await paid(t)
  const open = deposit()
  await sim.pawapay('POST', '/v2/deposits', open)
  const codeOf = (body: Body) => [body.http, body.status, body.failureReason?.failureCode]

  assert.deepEqual(codeOf(await ask({ depositId: randomUUID() })), [200, 'REJECTED', 'NOT_FOUND'])
  assert.deepEqual(codeOf(await ask({ depositId: open.depositId })), [200, 'REJECTED', 'INVALID_STATE'])
  assert.deepEqual(codeOf(await ask({ amount: '1001' })), [200, 'REJECTED', 'AMOUNT_TOO_LARGE'])
  assert.deepEqual(codeOf(await ask({ currency: 'KES' })), [200, 'REJECTED', 'INVALID_CURRENCY'])
  assert.deepEqual(codeOf(await ask({ amount: '1.5' })), [200, 'REJECTED', 'INVALID_AMOUNT'])
  assert.deepEqual(codeOf(await ask({ currency: undefined })), [400, undefined, 'MISSING_PARAMETER'])
  assert.deepEqual(codeOf(await ask({ recipient: {} })), [400, undefined, 'UNSUPPORTED_PARAMETER'])
  assert.deepEqual(await refunds(), [])

  await ask({ amount: '1000' })
  assert.deepEqual(codeOf(await ask()), [200, 'REJECTED', 'REFUND_IN_PROGRESS'])
  await sim.advance(settleMs)
  assert.deepEqual(codeOf(await ask()), [200, 'REJECTED', 'DEPOSIT_ALREADY_REFUNDED'])
  await sim.fault({ provider: 'pawapay', operation: 'refund', mode: 'account_not_allowed', times: 1 })
  assert.deepEqual(codeOf(await ask()), [403, undefined, 'REFUNDS_NOT_ALLOWED'])
})

test('a refund without funds in the wallet is rejected, and its key may be sent again', async (t) => {
  const { sim, ask } = await paid(t)
  await sim.control('PUT', '/float', { provider: 'pawapay', country: 'RWA', currency: 'RWF', amount: '399' })
  const first = await ask()
  assert.equal(first.failureReason.failureCode, 'PAWAPAY_WALLET_OUT_OF_FUNDS')

  await sim.control('PUT', '/float', { provider: 'pawapay', country: 'RWA', currency: 'RWF', amount: '400' })
  assert.equal((await ask({ refundId: first.id })).status, 'ACCEPTED')
})

test('a refund waits for a slow operator, can be cancelled there, and frees its amount', async (t) => {
  const { sim, ask, read } = await paid(t)
  await sim.fault({ provider: 'pawapay', operation: 'refund', mode: 'operator_delayed', times: 1 })
  const { id } = await ask({ amount: '1000' })
  assert.equal((await read(id)).data.status, 'ENQUEUED')

  await sim.pawapay('POST', `/v2/refunds/fail-enqueued/${id}`)
  assert.equal((await read(id)).data.failureReason.failureCode, 'MANUALLY_CANCELLED')
  assert.equal((await ask({ amount: '1000' })).status, 'ACCEPTED')
})

test('a refund of an amount in 89 fails, and one in 29 stays until the control API ends it', async (t) => {
  const { sim, ask, read } = await paid(t)
  const failing = await ask({ amount: '289' })
  await sim.advance(settleMs)
  assert.equal((await read(failing.id)).data.status, 'FAILED')

  const staying = await ask({ amount: '429' })
  await sim.advance(86_400_000)
  assert.equal((await read(staying.id)).data.status, 'PROCESSING')
  await sim.control('POST', `/payer/${staying.id}/act`, { action: 'approve' })
  assert.equal((await read(staying.id)).data.status, 'COMPLETED')
})

test('a reversed refund fails late, and its amount can be refunded again', async (t) => {
  const { sim, ask, read } = await paid(t)
  const { id } = await ask({ amount: '1000' })
  await sim.advance(settleMs)
  await sim.control('POST', `/payments/${id}/reverse`, {})

  assert.equal((await read(id)).data.status, 'FAILED')
  assert.deepEqual(
    (await sim.movements(id)).map(({ kind }) => kind),
    ['refunded', 'reversed'],
  )
  assert.equal((await ask({ amount: '1000' })).status, 'ACCEPTED')
})

test('a refund is hidden from reads for a while, and a stuck one is in reconciliation', async (t) => {
  const { sim, ask, read } = await paid(t)
  const set = (mode: string, more = {}) => sim.fault({ provider: 'pawapay', operation: 'refund', mode, ...more })
  await set('not_found_window', { seconds: 60 })
  await set('stuck_pending')
  const { id } = await ask()

  assert.equal((await read(id)).status, 'NOT_FOUND')
  await sim.advance(60_000)
  assert.equal((await read(id)).data.status, 'IN_RECONCILIATION')
})

faultTest('refund_named_payout', 'the response names the refund as the guide does', async (sim) => {
  await sim.fault({ provider: 'pawapay', operation: 'refund', mode: 'refund_named_payout' })
  const { ask } = await payAt(sim)
  const { id, payoutId, refundId } = await ask()

  assert.deepEqual([payoutId, refundId], [id, undefined])
})

test('a refund made in the dashboard counts as a refund of the charge, up to what is left', async (t) => {
  const { sim, depositId, ask, refunds } = await paid(t)
  const refund = (body: object) => sim.control('POST', `/payments/${depositId}/refund`, body)
  assert.equal((await refund({ amount: '1000.01' })).status, 400)
  const { body } = await refund({ amount: '700' })
  await sim.advance(settleMs)

  assert.equal((await ask()).failureReason.failureCode, 'AMOUNT_TOO_LARGE')
  assert.partialDeepStrictEqual(await refunds(), [{ key: body.key, state: 'completed', amount: '700' }])
})
