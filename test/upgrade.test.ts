import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../packages/server/src/dev-stack/until.ts'
import type { Operator } from '../packages/server/src/operate/operator.ts'
import { startBalancer } from './support/cluster/balancer.ts'
import { type Cell, openCell } from './support/cluster/cell.ts'
import { beforeTheSchema, earlierCode } from './support/cluster/earlier-code.ts'
import { type Fleet, startFleet } from './support/cluster/fleet.ts'
import { startOwnServers } from './support/cluster/own-servers.ts'
import { proofSize } from './support/cluster/proof.ts'
import { createRandom } from './support/cluster/random.ts'
import { startControlledSimulator } from './support/cluster/simulator-control.ts'
import { openShop, type Shop } from './support/load/shop.ts'
import { assertShopIsRight } from './support/oracles/shop-books.ts'

const from = process.env['MALIPO_PROOF_UPGRADE_FROM'] ?? beforeTheSchema()
const seed = proofSize('SEED', 1)
/** Requests before the migration, between it and the first new process, and after the last. */
const requests = proofSize('REQUESTS', 100)
/** How long processes of this code are replaced by processes of this code; each is replaced once in any case. */
const seconds = proofSize('SECONDS', 0)
const turnMs = Math.min(20_000, (seconds * 1000) / 5)

test('an upgrade of schema and processes, then a rolling restart, under load: no request fails twice', {
  timeout: (600 + seconds) * 1000,
}, async (t) => {
  const earlier = await earlierCode(t, from)
  const servers = await startOwnServers(t, { create: earlier.createDatabase })
  const simulator = await startControlledSimulator(t, { SIMULATOR_SEED: String(seed) })
  const cell = openCell(t, servers, simulator.settings, earlier.openOperator, earlier.makeSecrets(new Date()))
  const balancer = await startBalancer(t)
  const fleet = await startFleet(cell, balancer, earlier.main)
  await simulator.tune({ callbackBase: `${balancer.url}/callbacks/sandbox` })
  const merchants = [await cell.merchant(), await cell.merchant(), await cell.merchant()]
  const random = createRandom(seed)
  const shop = openShop(t, { url: balancer.url, merchants, random, customers: 10, perSecond: 4 })
  const operator = cell.operate()
  const pending = (await operator.database.status()).filter(({ applied_at }) => !applied_at).map(({ name }) => name)

  await served(shop)
  await assertNewOnOldIsNotReady(cell, pending)
  const migration = await migrateUntilDone(operator)
  assert.deepEqual(migration.applied, pending)
  await served(shop)
  for (const url of fleet.urls()) assert.ok(balancer.isReady(url), 'the earlier code is not ready on the new schema')
  for (let place = 0; place < fleet.size; place += 1) await replaceNext(fleet)
  const restarted = await restartInTurn(fleet)
  await served(shop)
  await shop.stop()

  t.diagnostic(`from ${earlier.commit.slice(0, 7)}: ${pending.join(', ') || 'no migration'}, in ${migration.words}`)
  t.diagnostic(
    `${fleet.size} processes upgraded, ${restarted} restarted, ${shop.requests()} requests, p99 ${shop.slowest()} ms, retried: ${shop.retried.join('; ') || 'none'}`,
  )
  assert.deepEqual(
    shop.failed,
    [],
    `the balancer had no ready process for: ${balancer.refused.join('; ') || 'nothing'}`,
  )
  await assertShopIsRight(t, cell, simulator, shop)
})

async function served(shop: Shop): Promise<void> {
  const enough = shop.requests() + requests
  await until(`${requests} more requests`, () => shop.requests() >= enough, { timeoutMs: 120_000 })
}

async function replaceNext(fleet: Fleet): Promise<void> {
  const { old, isClean } = await fleet.replaceNext()
  assert.ok(isClean, `${old.name} did not end by itself:\n${old.log().slice(-2000)}`)
}

/** Replaces one process after another, in regular turns when the proof has a duration. Returns how many. */
async function restartInTurn(fleet: Fleet): Promise<number> {
  const startedAt = performance.now()
  let replaced = 0
  while (performance.now() - startedAt < seconds * 1000 || replaced < fleet.size) {
    const turnAt = startedAt + turnMs * replaced
    await until('its turn', () => performance.now() >= turnAt)
    await replaceNext(fleet)
    replaced += 1
  }
  return replaced
}

/** A process newer than its database reports so, and gets no requests. */
async function assertNewOnOldIsNotReady(cell: Cell, pending: readonly string[]): Promise<void> {
  if (pending.length === 0) return
  const early = await cell.start('api', 'early')
  const response = await fetch(`${early.url}/health/ready`)
  const { checks } = (await response.json()) as { checks: Record<string, string> }
  assert.deepEqual(
    [response.status, checks['migrations']],
    [503, `not applied: ${pending.join(', ')}; run malipo migrate`],
  )
  await early.stop('SIGTERM')
}

/** As the runbook says: a migration that could not get its lock in time is run again. */
async function migrateUntilDone({ database }: Operator): Promise<{ applied: string[]; words: string }> {
  const startedAt = performance.now()
  const applied: string[] = []
  let tries = 0
  await until('the migrations', async () => {
    tries += 1
    applied.push(
      ...(await database.migrate().then(
        (migrated) => migrated.applied,
        () => [],
      )),
    )
    return (await database.status()).every(({ applied_at }) => applied_at)
  })
  return { applied, words: `${Math.round(performance.now() - startedAt)} ms and ${tries} tries` }
}
