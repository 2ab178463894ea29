import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../packages/server/src/dev-stack/until.ts'
import { startBalancer } from './support/cluster/balancer.ts'
import { openCell } from './support/cluster/cell.ts'
import { startFleet } from './support/cluster/fleet.ts'
import { startOwnServers } from './support/cluster/own-servers.ts'
import { proofSize } from './support/cluster/proof.ts'
import { createRandom } from './support/cluster/random.ts'
import { startControlledSimulator } from './support/cluster/simulator-control.ts'
import { openShop } from './support/load/shop.ts'
import { assertShopIsRight } from './support/oracles/shop-books.ts'

const seconds = proofSize('SECONDS', 15)
const turnMs = Math.min(20_000, (seconds * 1000) / 5)
const seed = proofSize('SEED', 1)

test(`while processes are replaced one by one for ${seconds} s, every request succeeds within two tries`, {
  timeout: (seconds + 240) * 1000,
}, async (t) => {
  const random = createRandom(seed)
  const servers = await startOwnServers(t)
  const simulator = await startControlledSimulator(t, { SIMULATOR_SEED: String(seed) })
  const cell = openCell(t, servers, simulator.settings)
  const balancer = await startBalancer(t)
  const fleet = await startFleet(cell, balancer)
  await simulator.tune({ callbackBase: `${balancer.url}/callbacks/sandbox` })
  const merchants = [await cell.merchant(), await cell.merchant(), await cell.merchant()]

  const shop = openShop(t, { url: balancer.url, merchants, random, customers: 10, perSecond: 4 })
  const startedAt = performance.now()
  let replaced = 0
  while (performance.now() - startedAt < seconds * 1000 || replaced < fleet.size) {
    const turnAt = startedAt + turnMs * replaced
    await until('its turn', () => performance.now() > turnAt, { timeoutMs: 60_000 })
    const { old, isClean } = await fleet.replaceNext()
    assert.ok(isClean, `${old.name} did not end by itself:\n${old.log().slice(-2000)}`)
    replaced += 1
  }
  await shop.stop()

  t.diagnostic(`${replaced} processes replaced, ${shop.requests()} requests, p99 ${shop.slowest()} ms`)
  t.diagnostic(`retried: ${shop.retried.length} ${JSON.stringify(countOf(shop.retried))}`)
  assert.deepEqual(shop.failed, [])
  await assertShopIsRight(t, cell, simulator, shop)
})

const countOf = (words: readonly string[]) =>
  Object.fromEntries([...Map.groupBy(words, String)].map(([word, all]) => [word, all.length]))
