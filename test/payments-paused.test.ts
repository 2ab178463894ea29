import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { providerKeyOf, readId } from '../packages/server/src/platform/ids.ts'
import { type Malipo, testMalipo } from '../packages/server/src/testing/malipo.ts'
import { startLanes } from '../packages/server/src/workers/lanes.ts'
import { type Cell, openCell, type Role } from './support/cluster/cell.ts'
import { type SimulatorControl, startControlledSimulator } from './support/cluster/simulator-control.ts'
import { type ProviderGate, startProviderGate } from './support/faults/provider-gate.ts'
import { startTcpProxy } from './support/faults/tcp-proxy.ts'
import { assertFinalIsFinal, chargeBody, keyOf, minutes, payoutBody, testPayments } from './support/load/payments.ts'

/** Past the send deadline, and past the time by which the provider must have received it. */
const pastSending = 11_000
const pastWindow = minutes(16)

/** A process that is stopped the moment it sends the COMMIT of a claim: the server commits, and the process does not see it. */
async function startSleeper(t: TestContext, cell: Cell, role: 'api' | 'worker', isLast: (text: string) => boolean) {
  const { loginUrl } = await testDatabase()
  const sleeper: { role?: Role; isAwaited: boolean; isAsleep: boolean } = { isAwaited: true, isAsleep: false }
  const proxy = await startTcpProxy({
    url: loginUrl,
    random: Math.random,
    faultOf: ({ text, before }) => {
      if (sleeper.role && sleeper.isAwaited && /commit$/.test(text) && isLast(before)) {
        sleeper.isAwaited = false
        process.kill(sleeper.role.pid, 'SIGSTOP')
        sleeper.isAsleep = true
      }
      return undefined
    },
  })
  t.after(() => proxy.close())
  const started = await cell.start(role, `${role}-sleeper`, { DATABASE_URL: proxy.url })
  sleeper.role = started
  return { ...started, isAsleep: () => sleeper.isAsleep, wake: () => process.kill(started.pid, 'SIGCONT') }
}

async function openBench(t: TestContext) {
  const simulator = await startControlledSimulator(t)
  const cell = openCell(t, await testDatabase(), simulator.settings)
  const stateOf = async (id: string) =>
    (await cell.ask<{ state: string }>(`select state from transactions where id = $1`, [id]))[0]?.state
  return { simulator, cell, stateOf, merchant: await cell.merchant() }
}

const submits = async (simulator: SimulatorControl, key: string, operation: 'payout' | 'charge') =>
  (await simulator.requests(key)).filter((request) => request.operation === operation).length

test('a worker stopped between claim and send, while another takes over, moves no money again', async (t) => {
  const { simulator, cell, stateOf, merchant } = await openBench(t)
  const api = await cell.start('api', 'api')
  await simulator.tune({ callbackBase: `${api.url}/callbacks/sandbox` })
  const sleeper = await startSleeper(t, cell, 'worker', (text) => text.includes('set budget = budget - n.requests'))
  const { body } = await merchant.call(api.url, 'POST', '/fiat/payout', payoutBody())
  const id = readId('transaction', String(body['transactionId'])) ?? ''
  const key = providerKeyOf(id, 1)
  await until('the worker to be stopped', sleeper.isAsleep)
  await until('the claim to be committed', async () => (await stateOf(id)) === 'sending')

  await cell.start('worker', 'worker-awake')
  await cell.forward(pastSending)
  await until('the other worker to query', async () => (await stateOf(id)) === 'unknown')
  assert.equal(await submits(simulator, key, 'payout'), 0)
  await simulator.advance(pastWindow)
  await cell.forward(pastWindow)
  await until('the other worker to send', async () => (await stateOf(id)) === 'successful')
  // By its own clock the sleeper is still in time, like one stopped on the way to the first byte.
  sleeper.wake()
  await until('the stopped worker to send too', async () => (await submits(simulator, key, 'payout')) === 2)
  const { body: second } = await merchant.call(api.url, 'POST', '/fiat/payout', payoutBody())
  await until('the payout to end', async () => {
    const other = readId('transaction', String(second['transactionId'])) ?? ''
    return (await stateOf(other)) === 'successful'
  })

  assert.deepEqual(
    (await simulator.moved(key)).map(({ kind, amount }) => [kind, amount]),
    [['paid', '100']],
  )
  assert.equal(await stateOf(id), 'successful')
  await cell.operator.ledger.check({ isFull: true })
})

test('a process stopped past the send deadline does not send', async (t) => {
  const { simulator, cell, merchant } = await openBench(t)
  const worker = await startSleeper(t, cell, 'worker', (text) => text.includes('set budget = budget - n.requests'))
  const api = await startSleeper(t, cell, 'api', (text) => text.includes('insert into webhook_records'))
  const code = { currency: 'XOF', phoneNumber: '+2250701234567', momoOperatorId: 'ORANGE_CI', otpCode: '123456' }
  const other = await cell.start('api', 'api')
  const paying = merchant.call(other.url, 'POST', '/fiat/payout', payoutBody())
  const payout = readId('transaction', String((await paying).body['transactionId'])) ?? ''
  const charging = merchant.call(api.url, 'POST', '/fiat/deposit/momo', chargeBody(code)).catch(() => undefined)
  await until('both processes to be stopped', () => worker.isAsleep() && api.isAsleep())
  const asleepAt = performance.now()
  const [charge] = await cell.ask<{ id: string }>(`select id from transactions where code = 'ORANGE_CI'`)

  await until('their send deadline to pass', () => performance.now() - asleepAt > 10_500)
  worker.wake()
  api.wake()
  await until('the worker to run again', () => /send deadline passed|poll failed/.test(worker.log()))
  await charging

  await t.test('a worker does not send its payout', async () => {
    assert.equal(await submits(simulator, providerKeyOf(payout, 1), 'payout'), 0)
  })
  await t.test('an api does not send its charge', async () => {
    assert.equal(await submits(simulator, providerKeyOf(charge?.id ?? '', 1), 'charge'), 0)
  })
})

/**
 * Lets a process send one payment to the gate, and claim nothing after it. The returned function waits until the payment is
 * resolved.
 */
async function sendOnce(t: TestContext, { ctx }: Malipo, gate: ProviderGate): Promise<() => Promise<unknown>> {
  const lanes = startLanes(ctx)
  await until('the request to be sent', () => gate.held.length === 1)
  const stopped = Promise.all(lanes.map((lane) => lane.stop()))
  t.after(() => {
    gate.open()
    return stopped
  })
  return () => stopped
}

test('a request in transit for longer than the window moves no money again', async (t) => {
  const payments = await testPayments(t)
  const { simulator } = payments
  const gate = await startProviderGate(t, simulator.url, ({ method }) => (method === 'POST' ? 'hold' : 'pass'))
  const late = await testMalipo(t, { ...simulator.settings, MALIPO_SIMULATOR_URL: gate.url })
  const id = await payments.payOut()
  const stopped = await sendOnce(t, late, gate)

  payments.work()
  await payments.forward(pastSending)
  await payments.becomes(id, { state: 'unknown' })
  await payments.forward(pastWindow)
  await payments.becomes(id, { state: 'successful', sends: 2 })
  gate.open()
  await until('it to arrive', async () => (await submits(simulator, keyOf(id), 'payout')) === 2)
  await stopped()

  assert.equal((await simulator.moved(keyOf(id))).length, 1)
  await assertFinalIsFinal(payments.malipo)
})

test('the refusal of a first sending does not fail a payout that was sent again and accepted', async (t) => {
  const payments = await testPayments(t)
  const { simulator } = payments
  const refusal = {
    status: 200,
    body: ({ json }: { json: unknown }) => ({
      payoutId: (json as { payoutId: string }).payoutId,
      status: 'REJECTED',
      failureReason: { failureCode: 'RECIPIENT_NOT_FOUND', failureMessage: 'no' },
    }),
  }
  const gate = await startProviderGate(t, simulator.url, ({ method }) => (method === 'POST' ? refusal : 'pass'))
  const late = await testMalipo(t, { ...simulator.settings, MALIPO_SIMULATOR_URL: gate.url })
  const id = await payments.payOut()
  const stopped = await sendOnce(t, late, gate)
  await simulator.fault({ operation: 'payout', mode: 'stuck_pending' })

  payments.work()
  await payments.forward(pastSending)
  await payments.becomes(id, { state: 'unknown' })
  await payments.forward(pastWindow)
  await payments.becomes(id, { state: 'submitted', sends: 2 })
  gate.open()
  await stopped()
  await simulator.approve(keyOf(id))
  await simulator.repeat(keyOf(id), 0)

  assert.equal((await simulator.moved(keyOf(id))).length, 1)
  assert.partialDeepStrictEqual(await payments.seen(id), { state: 'successful', suspended: '0', adjustments: [] })
})
