import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { showId } from '../packages/server/src/platform/ids.ts'
import type { ApiResponse } from '../packages/server/src/testing/malipo.ts'
import { type Cell, type CellMerchant, openCell, type Role } from './support/cluster/cell.ts'
import { proofSize } from './support/cluster/proof.ts'
import { type SimulatorControl, startControlledSimulator } from './support/cluster/simulator-control.ts'
import { chargeBody, keyOf, payoutBody } from './support/load/payments.ts'

const payoutsMax = proofSize('PAYOUTS', 40)
const copiesMax = proofSize('COPIES', 25)
const rounds = proofSize('ROUNDS', 3)
/** This many payouts are sent at once, with all their copies. */
const wave = 10

let apis: readonly Role[] = []
let cell: Cell
let simulator: SimulatorControl
const endings: (() => unknown)[] = []

// No worker runs: accepted payouts stay accepted, and every effect comes from acceptance.
before(async () => {
  const lifetime = { after: (end: () => unknown) => void endings.push(end) } as never
  simulator = await startControlledSimulator(lifetime)
  cell = openCell(lifetime, await testDatabase(), simulator.settings)
  apis = await Promise.all([cell.start('api', 'api-1'), cell.start('api', 'api-2')])
})
after(async () => {
  for (const end of endings.reverse()) await end()
})

/** Sends this many copies of a body at once, half of them to each process. Overloaded copies are retried. */
async function sendCopies(
  merchant: CellMerchant,
  body: object,
  copies: number,
  headers: Record<string, string> = {},
  path = '/fiat/payout',
) {
  const send = async (index: number): Promise<ApiResponse> => {
    const { url } = apis[index % 2] as Role
    for (;;) {
      const response = await merchant.call(url, 'POST', path, body, headers)
      if (response.status !== 503) return response
      overloads += 1
    }
  }
  return Promise.all(Array.from({ length: copies }, (_, index) => send(index)))
}
let overloads = 0

async function inWaves<Result>(count: number, work: () => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  while (results.length < count)
    results.push(...(await Promise.all(Array.from({ length: Math.min(wave, count - results.length) }, work))))
  return results
}

const codeOf = ({ status, body }: ApiResponse) => (status === 200 ? 'accepted' : String(body['errorCode']))

interface Effect extends Record<string, unknown> {
  readonly payments: number
  readonly references: number
  readonly holds: number
  readonly events: number
  readonly timers: number
  readonly pending: number
}

/** The effects of a merchant's payouts. */
async function effectsOf({ id }: CellMerchant): Promise<Effect> {
  const [row] = await cell.ask<Effect>(
    `with own as (select id from transactions where merchant_id = $1)
    select (select count(*) from own)::int as payments,
      (select count(*) from external_references where merchant_id = $1)::int as references,
      (select count(*) from transfers where transaction_id in (select id from own) and number = 0)::int as holds,
      (select count(*) from events where transaction_id in (select id from own))::int as events,
      (select count(*) from timers where transaction_id in (select id from own))::int as timers,
      (select sum(debits_pending) from wallets where merchant_id = $1)::int as pending`,
    [id],
  )
  assert.ok(row)
  return row
}

const oneEach = (payments: number): Effect => ({
  payments,
  references: payments,
  holds: payments,
  events: payments,
  timers: payments,
  pending: payments * 10_100,
})

/** Feed numbers are dense: 1, 2, 3 … for each merchant. */
async function assertFeedIsDense({ id }: CellMerchant): Promise<void> {
  const [row] = await cell.ask<{ count: number; last: number }>(
    `select count(distinct feed_number)::int as count, max(feed_number)::int as last
     from events where merchant_id = $1 and feed_number is not null`,
    [id],
  )
  assert.equal(row?.count, row?.last)
}

test(`of ${copiesMax} copies of a payout sent to two processes at once one is accepted, the rest refused`, async (t) => {
  const merchant = await cell.merchant()

  const all = await inWaves(payoutsMax, () => sendCopies(merchant, payoutBody(), copiesMax))

  for (const responses of all) {
    const codes = responses.map(codeOf).sort()
    assert.deepEqual(codes, [...Array<string>(copiesMax - 1).fill('E-API-D.S-28'), 'accepted'])
  }
  assert.deepEqual(await effectsOf(merchant), oneEach(payoutsMax))
  await assertFeedIsDense(merchant)
  t.diagnostic(`${payoutsMax * copiesMax} requests, ${overloads} overloaded responses`)
})

test(`of ${copiesMax} copies under one key one takes effect, and the rest get its response or must wait`, async () => {
  const merchant = await cell.merchant()

  const all = await inWaves(payoutsMax, () =>
    sendCopies(merchant, payoutBody(), copiesMax, { 'idempotency-key': randomUUID() }),
  )

  for (const responses of all) {
    const codes = new Set(responses.map(codeOf))
    codes.delete('IDEMPOTENCY_KEY_IN_PROGRESS')
    assert.deepEqual([...codes], ['accepted'])
    const accepted = responses.filter(({ status }) => status === 200)
    assert.equal(new Set(accepted.map(({ body }) => body['transactionId'])).size, 1)
    assert.equal(accepted.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1)
  }
  assert.deepEqual(await effectsOf(merchant), oneEach(payoutsMax))
  await assertFeedIsDense(merchant)
})

test('a key sent at once with different payouts belongs to one, and the others are refused', async () => {
  const merchant = await cell.merchant()

  const all = await inWaves(10, async () => {
    const headers = { 'idempotency-key': randomUUID() }
    return Promise.all(Array.from({ length: 10 }, () => sendCopies(merchant, payoutBody(), 2, headers)))
  })

  for (const responses of all) {
    const codes = responses.flat().map(codeOf)
    assert.ok(codes.includes('accepted'))
    const ids = responses.flat().flatMap(({ status, body }) => (status === 200 ? [body['transactionId']] : []))
    assert.equal(new Set(ids).size, 1)
    const refused = codes.filter((code) => code !== 'accepted' && code !== 'IDEMPOTENCY_KEY_REUSED')
    assert.deepEqual(refused, [])
  }
  assert.deepEqual(await effectsOf(merchant), oneEach(10))
})

test(`funds for 100 payouts pay 100 of 200 sent at once, ${rounds} times, and no wallet is negative`, async () => {
  for (let round = 0; round < rounds; round += 1) {
    const merchant = await cell.merchant()
    // Merchants start without money of Burkina Faso. A payout of 100 takes 101 with its fee.
    const funding = { env: 'sandbox', currency: 'XOF', country: 'BF', amount: '10100' } as const
    const shown = showId('merchant', merchant.id)
    await cell.operator.wallets.fund(shown, { ...funding, evidence: `for ${shown}`, reason: 'test' })

    const sent = Array.from({ length: 200 }, () => sendCopies(merchant, inBurkinaFaso(), 1))
    const codes = (await Promise.all(sent)).flat().map(codeOf).sort()

    assert.deepEqual(codes, [...Array<string>(100).fill('INSUFFICIENT_FUNDS'), ...Array<string>(100).fill('accepted')])
    const [wallet] = await cell.ask<{ available: string }>(
      `select credits_posted - debits_posted - debits_pending as available
       from wallets where merchant_id = $1 and country = 'BF'`,
      [merchant.id],
    )
    assert.equal(wallet?.available, '0')
    assert.partialDeepStrictEqual(await effectsOf(merchant), { payments: 100, references: 100, holds: 100 })
  }
  await cell.operator.ledger.check({ isFull: true })
})

const inBurkinaFaso = () => ({
  ...payoutBody({ currency: 'XOF', country: 'BF' }),
  payoutMethod: { accountName: 'Awa', accountNumber: '+22670123456', code: 'MOOV_BF' },
})

test('copies of a bulk request under one key pay each payout once', async () => {
  const merchant = await cell.merchant()
  const payouts = Array.from({ length: 50 }, () => payoutBody())

  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      merchant.call(
        apis[index % 2]?.url ?? '',
        'POST',
        '/fiat/payouts/bulk',
        { payouts },
        { 'idempotency-key': 'all' },
      ),
    ),
  )

  assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200])
  const ids = responses.map(({ body }) =>
    JSON.stringify((body['data'] as ApiResponse['body'][]).map((item) => item['transactionId'])),
  )
  assert.equal(new Set(ids).size, 1)
  assert.deepEqual(await effectsOf(merchant), oneEach(50))
})

test('copies of a charge that is sent while the caller waits call the provider once', async () => {
  const merchant = await cell.merchant()
  const code = { currency: 'XOF', phoneNumber: '+2250701234567', momoOperatorId: 'ORANGE_CI', otpCode: '123456' }
  const all = await inWaves(10, () => {
    const headers = { 'idempotency-key': randomUUID() }
    return sendCopies(merchant, chargeBody(code), 10, headers, '/fiat/deposit/momo')
  })

  for (const responses of all) {
    const codes = new Set(responses.map(codeOf))
    codes.delete('IDEMPOTENCY_KEY_IN_PROGRESS')
    assert.deepEqual([...codes], ['accepted'])
  }
  const rows = await cell.ask<{ id: string }>(`select id from transactions where merchant_id = $1`, [merchant.id])
  assert.equal(rows.length, 10)
  for (const { id } of rows) assert.equal((await simulator.requests(keyOf(id))).length, 1)
})

test('copies sent at once without funds are all refused for that, and the reference stays free', async () => {
  const merchant = await cell.merchant()
  const body = payoutBody({ amount: 249_000 })
  for (let index = 0; index < 3; index += 1)
    await merchant.call(apis[0]?.url ?? '', 'POST', '/fiat/payout', payoutBody({ amount: 249_000 }))
  await merchant.call(apis[0]?.url ?? '', 'POST', '/fiat/payout', payoutBody({ amount: 100_000 }))

  const responses = await sendCopies(merchant, body, copiesMax)

  assert.deepEqual([...new Set(responses.map(codeOf))], ['INSUFFICIENT_FUNDS'])
  const again = await sendCopies(merchant, { ...body, amount: 100 }, 1)
  assert.equal(codeOf(again[0] as ApiResponse), 'accepted')
})
