import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { loadConfig } from '../packages/server/src/config.ts'
import { openContext } from '../packages/server/src/context.ts'
import { testDatabase } from '../packages/server/src/dev-stack/servers.ts'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { approvePayout, rejectPayout } from '../packages/server/src/payouts/approve.ts'
import { providerKeyOf, showId } from '../packages/server/src/platform/ids.ts'
import { createLog } from '../packages/server/src/platform/log.ts'
import { makeApprover } from '../packages/server/src/testing/members.ts'
import { type Cell, type CellMerchant, openCell, type Role } from './support/cluster/cell.ts'
import { proofSize } from './support/cluster/proof.ts'
import { startControlledSimulator } from './support/cluster/simulator-control.ts'
import { payoutBody } from './support/load/payments.ts'

const kills = proofSize('KILLS', 6)
const rules = { env: 'sandbox', currency: 'KES', reason: 'a proof' } as const

async function openProof(t: TestContext) {
  const simulator = await startControlledSimulator(t)
  const cell = openCell(t, await testDatabase(), simulator.settings)
  const merchant = await cell.merchant()
  return { simulator, cell, merchant, shown: showId('merchant', merchant.id) }
}

const statesOf = async (cell: Cell, { id }: CellMerchant) => {
  const rows = await cell.ask<{ state: string; count: number }>(
    'select state, count(*)::int as count from transactions where merchant_id = $1 group by state',
    [id],
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

test('of fifty payouts sent at once to two api processes, a limit for ten accepts exactly ten', async (t) => {
  const { cell, merchant, shown } = await openProof(t)
  const { amount } = payoutBody()
  await cell.operator.payoutControls.setLimits(shown, { ...rules, perMerchantDay: String(10 * amount) })
  const apis = [await cell.start('api', 'api-1'), await cell.start('api', 'api-2')]

  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      merchant.call((apis[index % 2] as Role).url, 'POST', '/fiat/payout', payoutBody()),
    ),
  )

  const codes = Map.groupBy(responses, ({ status, body }) => String(body['errorCode'] ?? status))
  assert.deepEqual([codes.get('200')?.length, codes.get('PAYOUT_LIMIT_EXCEEDED')?.length], [10, 40])
  assert.deepEqual(await statesOf(cell, merchant), { accepted: 10 })
  await cell.operator.ledger.check({ isFull: true })
})

/** Sends until the payout is accepted: a killed process gives no response, and a repeat is recognised by its reference. */
async function accepted(merchant: CellMerchant, apis: () => readonly Role[], body: { externalReference: string }) {
  for (let tries = 0; ; tries += 1) {
    const api = apis()[tries % 2] as Role
    const response = await merchant.call(api.url, 'POST', '/fiat/payout', body).catch(() => undefined)
    if (response?.status === 200 || response?.status === 409) return
  }
}

test('unapproved payouts survive kills of every process, and only approved ones are paid, once', async (t) => {
  const { simulator, cell, merchant, shown } = await openProof(t)
  await cell.operator.payoutControls.setApprovals(shown, { ...rules, above: '0' })
  const roles = { api: [] as Role[], worker: [] as Role[] }
  const start = async (kind: 'api' | 'worker', place: number, life: number) => {
    roles[kind][place] = await cell.start(kind, `${kind}-${place}-${life}`)
  }
  await Promise.all([start('api', 0, 0), start('api', 1, 0), start('worker', 0, 0), start('worker', 1, 0)])
  const config = loadConfig({ ...cell.variables, MALIPO_PORT: '0' })
  const ctx = openContext(config, { log: createLog({ level: 'error', write: () => undefined }) })
  t.after(() => ctx.close())
  const owner = { merchant_id: merchant.id, env: 'sandbox' } as const
  const approver = { id: 'person_0193000000007000800000000000000a', name: 'Wanjiru' }
  await makeApprover(cell.ask, owner, approver)
  const bodies = Array.from({ length: 60 }, () => payoutBody())

  const sending = Promise.all(bodies.map((body) => accepted(merchant, () => roles.api, body)))
  for (let life = 1; life <= kills; life += 1) {
    const [kind, place] = [life % 2 === 0 ? 'api' : 'worker', Math.floor(life / 2) % 2] as const
    await roles[kind][place]?.stop('SIGKILL')
    await start(kind, place, life)
  }
  await sending
  assert.deepEqual(await statesOf(cell, merchant), { unapproved: 60 })

  const decide = (decision: typeof approvePayout, { externalReference }: { externalReference: string }) =>
    decision(ctx, owner, {
      transactionId: externalReference,
      approver,
      reason: 'a proof',
    })
  const deciding = Promise.all(
    bodies.map((body, index) =>
      index % 3 === 0 ? undefined : decide(index % 3 === 1 ? approvePayout : rejectPayout, body),
    ),
  )
  await roles.worker[0]?.stop('SIGKILL')
  const decided = await deciding
  await start('worker', 0, kills + 1)
  await until('the approved payouts to be paid', async () => (await statesOf(cell, merchant))['successful'] === 20)

  assert.deepEqual(await statesOf(cell, merchant), { unapproved: 20, successful: 20, failed: 20 })
  const ids = await cell.ask<{ id: string; state: string }>(
    'select id, state from transactions where merchant_id = $1',
    [merchant.id],
  )
  for (const { id, state } of ids)
    assert.equal((await simulator.moved(providerKeyOf(id, 1))).length, state === 'successful' ? 1 : 0, state)
  assert.equal(decided.filter((each) => each !== undefined).length, 40)
  await cell.operator.ledger.check({ isFull: true })
})
