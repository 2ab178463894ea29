import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { readId } from '../packages/server/src/platform/ids.ts'
import type { ApiResponse } from '../packages/server/src/testing/malipo.ts'
import { type Cell, type CellMerchant, openCell, type Role } from './support/cluster/cell.ts'
import { proofSize } from './support/cluster/proof.ts'
import { type SimulatorControl, startControlledSimulator } from './support/cluster/simulator-control.ts'
import { keyOf } from './support/load/payments.ts'

const rounds = proofSize('ROUNDS', 3)
const racing = 100
const paid = 1000

let apis: readonly Role[] = []
let cell: Cell
let simulator: SimulatorControl
let merchant: CellMerchant
const endings: (() => unknown)[] = []

before(async () => {
  const lifetime = { after: (end: () => unknown) => void endings.push(end) } as never
  simulator = await startControlledSimulator(lifetime)
  cell = openCell(lifetime, await testDatabase(), simulator.settings)
  apis = await Promise.all([cell.start('api', 'api-1'), cell.start('api', 'api-2')])
  await simulator.tune({ callbackBase: `${apis[0]?.url}/callbacks/sandbox` })
  await cell.start('worker', 'worker')
  merchant = await cell.merchant()
})
after(async () => {
  for (const end of endings.reverse()) await end()
})

let references = 0
const reference = () => {
  references += 1
  return `race-${references}`
}

/** Half of the requests go to each process. Overloaded ones are sent again. */
async function post(index: number, path: string, body: object): Promise<ApiResponse> {
  const { url } = apis[index % 2] as Role
  for (;;) {
    const response = await merchant.call(url, 'POST', path, body)
    if (response.status !== 503) return response
  }
}

/** A successful charge by mobile money, by its id. */
async function charge(round: number): Promise<string> {
  const phoneNumber = `+25470${String(round).padStart(4, '0')}678`
  const body = { amount: paid, currency: 'KES', phoneNumber, externalReference: reference() }
  const { status, body: made } = await post(0, '/fiat/deposit/momo', body)
  assert.equal(status, 200, JSON.stringify(made))
  const id = String(made['transactionId'])
  await until(`${id} to be paid`, async () => (await rowOf(id)).state === 'successful')
  return id
}

interface ChargeRow extends Record<string, unknown> {
  readonly state: string
  readonly adjusted: number
  readonly suspended: number
  readonly pending: number
  readonly successful: number
}

/** The charge and what went back of it, in major units. */
async function rowOf(id: string): Promise<ChargeRow> {
  const [row] = await cell.ask<ChargeRow>(
    `select c.state, (c.adjusted / 100)::int as adjusted, (c.suspended / 100)::int as suspended,
       (coalesce(r.pending, 0) / 100)::int as pending, (coalesce(r.successful, 0) / 100)::int as successful
     from transactions c left join refund_totals r on r.charge_id = c.id where c.id = $1`,
    [readId('transaction', id)],
  )
  assert.ok(row)
  return row
}

/** What went back of a charge according to its refunds and payouts themselves. */
async function takenOf(id: string): Promise<number> {
  const [row] = await cell.ask<{ taken: number }>(
    `select coalesce(sum(amount) / 100, 0)::int as taken from transactions
     where related_transaction_id = $1 and type in ('refund', 'withdrew') and state <> 'failed'`,
    [readId('transaction', id)],
  )
  return row?.taken ?? 0
}

const amounts = [7, 13, 31, 41, 50]
const payout = (refundOf: string, amount: number) => ({
  amount,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo',
  payoutMethod: { accountName: 'Amina', accountNumber: '+254711234567' },
  externalReference: reference(),
  refundOf,
})

/** Refunds and payouts in their place, all at once over both processes. */
function race(id: string, some = amounts): Promise<ApiResponse>[] {
  return Array.from({ length: racing }, (_, index) => {
    const amount = some[index % some.length] ?? 1
    return index % 5 === 4
      ? post(index, '/fiat/payout', payout(id, Math.max(amount, 10)))
      : post(index, `/transactions/${id}/refunds`, { amount, externalReference: reference() })
  })
}

const codeOf = ({ status, body }: ApiResponse) => (status === 200 ? 'accepted' : String(body['errorCode']))

async function assertBooks(): Promise<void> {
  assert.ok((await cell.operator.ledger.check({ isFull: true })).transfers > 0)
}

test(`${racing} partial refunds racing on one charge from two processes never exceed it`, async (t) => {
  let accepted = 0
  for (let round = 0; round < rounds; round += 1) {
    const id = await charge(round)
    const outcomes = (await Promise.all(race(id))).map(codeOf)

    assert.deepEqual(new Set(outcomes), new Set(['accepted', 'REFUND_EXCEEDS_CHARGE']))
    accepted += outcomes.filter((each) => each === 'accepted').length
    const { pending, successful } = await rowOf(id)
    const taken = await takenOf(id)
    assert.equal(pending + successful, taken, 'the totals are the sum of the refunds')
    assert.ok(taken <= paid && taken > paid - Math.max(...amounts), `${taken} of ${paid} went back`)
  }
  await assertBooks()
  t.diagnostic(`${rounds} rounds, ${rounds * racing} requests, ${accepted} accepted`)
})

/** 89 fails at the provider. */
const withFailing = [7, 89, 31, 89, 50]

test('a refund and a chargeback of the same charge racing never take more than it', async (t) => {
  let both = 0
  let failed = 0
  for (let round = 0; round < rounds; round += 1) {
    const id = await charge(1000 + round)
    const refunds = race(id, withFailing)
    await simulator.reverse(keyOf(readId('transaction', id) ?? ''))
    await Promise.all(refunds)
    await until('the chargeback to be booked', async () => {
      const { adjusted, suspended } = await rowOf(id)
      return adjusted + suspended === -paid
    })

    const { adjusted } = await rowOf(id)
    const taken = await takenOf(id)
    assert.ok(taken - adjusted <= paid, `${taken} refunded and ${-adjusted} taken back of ${paid}`)
    if (taken > 0 && adjusted < 0) both += 1
    await until('the refunds to end', async () => (await rowOf(id)).pending === 0)
    const end = await rowOf(id)
    assert.equal(end.adjusted + end.suspended, -paid)
    assert.ok(-end.suspended <= end.successful, `${-end.suspended} in suspense, ${end.successful} refunded`)
    if (end.successful < taken) failed += 1
  }
  await assertBooks()
  t.diagnostic(
    `${rounds} rounds, ${both} with refunds and a chargeback that took the rest, ${failed} with failed refunds`,
  )
})
