import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { faultTest } from '../testing/fault-test.ts'
import {
  type Body,
  bankTransfer,
  card,
  sealed,
  settleMs,
  startTestSimulator,
  type TestSimulator,
} from '../testing/simulator.ts'

/** A simulator with a successful card charge of 1,000 NGN. */
const paid = async (t: TestContext) => payAt(await startTestSimulator(t))

async function payAt(sim: TestSimulator) {
  const charge = card('4242424242424242', { amount: 1000 })
  const { body } = await sim.flutterwave('POST', '/charges?type=card', sealed(charge))
  const id = String(body.data.id)
  const key = charge.tx_ref
  const ask = (order: object = { amount: 400 }, transaction = id) =>
    sim.flutterwave('POST', `/transactions/${transaction}/refund`, order)
  const list = async (more = '', transaction = id): Promise<Body> =>
    (await sim.flutterwave('GET', `/refunds?tx_id=${transaction}${more}`)).body
  const refunds = async (): Promise<Body[]> => (await sim.control('GET', `/refunds?charge=${key}`)).body.items
  return { sim, id, key, ask, list, refunds }
}

test('a refund is ordered, completes, is listed with its comments, and sends no callback', async (t) => {
  const { sim, id, key, ask, list } = await paid(t)
  await sim.receiver.take(1)
  const comments = randomUUID()

  const { status, body } = await ask({ amount: 400, comments })
  assert.deepEqual([status, body.message], [200, 'Transaction refund initiated'])
  assert.partialDeepStrictEqual(body.data, { tx_id: Number(id), amount_refunded: 400, status: 'pending', comments })
  await sim.advance(settleMs)

  const { data } = await list()
  const row = { TransactionId: Number(id), AmountRefunded: 400, currency: 'NGN', status: 'completed', comments }
  assert.partialDeepStrictEqual(data, [row])
  assert.equal((await sim.flutterwave('GET', `/refunds/${data[0].id}`)).body.data.status, 'completed')
  assert.partialDeepStrictEqual(await sim.movements(comments), [{ kind: 'refunded', amount: '400', refundOf: key }])
  assert.deepEqual((await sim.control('GET', `/callbacks?key=${comments}`)).body.items, [])
})

test('the same request refunds once more, until the transaction is refunded in full', async (t) => {
  const { sim, ask, refunds } = await paid(t)
  const comments = randomUUID()
  for (let time = 0; time < 2; time++) assert.equal((await ask({ amount: 400, comments })).status, 200)
  assert.match((await ask({ amount: 400, comments })).body.message, /more than the amount left/)
  assert.equal((await ask({ comments })).body.data.amount_refunded, 200)
  assert.match((await ask({ comments })).body.message, /already been refunded/)
  await sim.advance(settleMs)

  const all = await refunds()
  assert.deepEqual(
    all.map(({ state, amount }) => [state, amount]),
    [
      ['completed', '400'],
      ['completed', '400'],
      ['completed', '200'],
    ],
  )
  assert.equal(new Set(all.map(({ key }) => key)).size, 3)
  assert.equal(all[0].key, comments)
})

test('refunds of unknown, unpaid and malformed requests are refused', async (t) => {
  const { sim, ask, refunds } = await paid(t)
  const unpaid = card('4187427415564246')
  const pending = (await sim.flutterwave('POST', '/charges?type=card', sealed(unpaid))).body.data.id
  const messages = [
    [await ask({}, '1'), /No transaction was found/],
    [await ask({}, String(pending)), /Only a successful transaction/],
    [await ask({ amount: 1.234 }), /amount is invalid/],
    [await ask({ amount: 0 }), /amount is invalid/],
    [await ask({ reference: 'x' }), /reference is not allowed/],
  ] as const
  for (const [{ status, body }, words] of messages) {
    assert.equal(status, 400)
    assert.match(body.message, words)
  }
  await sim.fault({ provider: 'flutterwave', operation: 'refund', mode: 'float_empty', times: 1 })
  assert.match((await ask()).body.message, /Insufficient funds/)
  assert.deepEqual(await refunds(), [])
})

test('a list has ten rows per page, newest first, and a new refund may be missing for minutes', async (t) => {
  const { sim, ask, list } = await paid(t)
  for (let number = 1; number <= 12; number++) await ask({ amount: number })
  const amounts = ({ data }: Body) => data.map((row: Body) => row.AmountRefunded)
  assert.deepEqual(amounts(await list()), [12, 11, 10, 9, 8, 7, 6, 5, 4, 3])
  assert.deepEqual(amounts(await list('&page=2')), [2, 1])
  assert.equal((await list()).meta.page_info.total_pages, 2)

  await sim.fault({ provider: 'flutterwave', operation: 'refund', mode: 'not_found_window', seconds: 600, times: 1 })
  await ask({ amount: 13 })
  assert.equal(amounts(await list())[0], 12)
  await sim.advance(600_000)
  assert.equal(amounts(await list())[0], 13)
})

test('a transfer into an account is refunded by its own transaction, up to its own amount', async (t) => {
  const { sim, ask, list } = await paid(t)
  const charge = bankTransfer()
  await sim.flutterwave('POST', '/charges?type=bank_transfer', charge)
  const pay = async (amount: string) =>
    (await sim.control('POST', `/payer/${charge.tx_ref}/act`, { action: 'pay_account', amount })).body.receipt.id
  const [first, second] = [await pay('1000'), await pay('500')]

  assert.match((await ask({ amount: 501 }, second)).body.message, /more than the amount left/)
  assert.equal((await ask({ amount: 500 }, second)).status, 200)
  assert.equal((await ask({ amount: 1000 }, first)).status, 200)
  assert.equal((await list('', first)).data.length, 1)
})

faultTest('refund_without_comments', 'the list leaves the comments out', async (sim) => {
  await sim.fault({ provider: 'flutterwave', operation: 'refund', mode: 'refund_without_comments', times: 1 })
  const { ask, list } = await payAt(sim)
  for (const amount of [1, 2]) await ask({ amount, comments: 'a note' })

  assert.deepEqual(
    (await list()).data.map(({ comments }: Body) => comments),
    ['a note', undefined],
  )
})

test('89 fails, 29 stays, and a reversal fails late', async (t) => {
  const { sim, ask, list } = await paid(t)
  const [failing, staying, late] = [randomUUID(), randomUUID(), randomUUID()]
  await ask({ amount: 189.5, comments: failing })
  await ask({ amount: 229, comments: staying })
  await ask({ amount: 300, comments: late })
  await sim.advance(settleMs)
  await sim.control('POST', `/payments/${late}/reverse`, {})
  const rows = (await list()).data.map(({ status, comments }: Body) => [status, comments])
  assert.deepEqual(rows, [
    ['failed', late],
    ['pending', staying],
    ['failed', failing],
  ])
})
