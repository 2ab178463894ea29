import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { call, exchange } from '../packages/server/src/testing/malipo.ts'
import { openCell } from './support/cluster/cell.ts'
import { startOwnServers } from './support/cluster/own-servers.ts'
import { proofSize } from './support/cluster/proof.ts'
import { startControlledSimulator } from './support/cluster/simulator-control.ts'
import { type AttackOrder, attacks } from './support/load/attacker.ts'

const seconds = proofSize('SECONDS', 4)
const everyMs = 25
const okShareMin = 0.99
const p99MaxMs = 500
/** Relative to a process that is not attacked: on a busy machine, that one is slow as well. */
const timesMax = 10

/** Cleanups, run last first. */
const ends: (() => unknown)[] = []
after(async () => {
  for (const end of ends.toReversed()) await end()
})
let site: Awaited<ReturnType<typeof openSite>>
before(async () => {
  site = await openSite()
})

/** Two api processes, of which one is attacked, a live merchant, and an attacker with a sandbox merchant. */
async function openSite() {
  const t = { after: (end: () => unknown) => void ends.push(end) }
  const servers = await startOwnServers(t)
  const simulator = await startControlledSimulator(t)
  const live = { MALIPO_PAWAPAY_URL: await openLiveProvider(t), MALIPO_PAWAPAY_TOKEN: 'token-of-live-payments' }
  const cell = openCell(t, servers, { ...simulator.settings, ...live, MALIPO_PAWAPAY_CALLBACKS: 'unsigned' })
  await cell.operator.fees.set({ env: 'live', basisPoints: 0, reason: 'a test' })
  const defaults = { MALIPO_RATE_LIMIT_ADDRESS: '100', MALIPO_RATE_LIMIT_SANDBOX: '25' }
  const api = await cell.start('api', 'api', defaults)
  const calm = await cell.start('api', 'calm', defaults)
  const merchantOf = async (env: 'live' | 'sandbox') => {
    const names = { name: 'Duka', email: 'amina@example.com', firstName: 'Amina', lastName: 'Otieno', country: 'KE' }
    const { id } = await cell.operator.merchants.create(names)
    const pair = await cell.operator.keys.create(id, { env })
    const { body } = await exchange(api.url, pair)
    return { id, pair, authorization: `Bearer ${String(body['token'])}` }
  }
  const [merchant, attacker] = [await merchantOf('live'), await merchantOf('sandbox')]
  const funds = { env: 'live', currency: 'KES', country: 'KE', amount: '1000000' } as const
  await cell.operator.wallets.fund(merchant.id, { ...funds, evidence: 'a transfer', reason: 'a test' })
  const reference = 'transfer'
  const charge = { amount: 2500, currency: 'NGN', email: 'a@example.com', externalReference: reference }
  const headers = { authorization: attacker.authorization }
  const { status } = await call(api.url, 'POST', '/api/b2b/fiat/deposit/bank-transfer', headers, charge)
  assert.equal(status, 200)
  await simulator.fault({ provider: '*', operation: 'resolve', mode: 'latency', delayMs: 9000, times: 100_000 })
  return { api, calm, merchant, attacker, reference }
}

for (const attack of Object.keys(attacks) as AttackOrder['attack'][]) {
  test(`a live merchant is served in time during an attack by ${attack}`, { timeout: 120_000 }, async (t) => {
    const { api, calm, merchant, attacker, reference } = site
    const port = Number(new URL(api.url).port)
    const child = fork(join(import.meta.dirname, 'support/load/attacker.ts'))
    try {
      const { pair, authorization } = attacker
      child.send({ attack, port, reference, pair, authorization } satisfies AttackOrder)
      await once(child, 'message')
      await pause(500) // The attack runs this long before anything is measured.
      const [seen, beside] = await Promise.all([api, calm].map(({ url }) => serve(url, merchant.authorization)))
      assert(seen && beside)

      for (const [name, { asked, statuses, p99 }] of Object.entries({ attacked: seen, 'not attacked': beside }))
        t.diagnostic(`${name}: ${asked} requests: ${JSON.stringify(statuses)}, p99 ${Math.round(p99)} ms`)
      assert.ok(seen.okShare >= Math.min(okShareMin, beside.okShare), 'too many requests failed')
      assert.ok(seen.p99 <= Math.max(p99MaxMs, timesMax * beside.p99), 'responses took too long')
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  })
}

/** A provider for live payments, so that they are accepted. It never gets one: without a worker nothing is sent. */
async function openLiveProvider(t: { after(end: () => unknown): void }): Promise<string> {
  const server = createServer((_, response) => response.writeHead(503).end()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

let payouts = 0
const payout = () => ({
  amount: 10,
  currency: 'KES',
  country: 'KE',
  destination: 'MoMo',
  externalReference: `live-${payouts++}`,
  payoutMethod: { accountName: 'Juma', accountNumber: '+254712345678' },
})

/** A request every 25 ms, open loop: alternately one over a new connection, and a payout. */
async function serve(url: string, authorization: string) {
  const statuses = { 200: 0 } as Record<string | 200, number>
  const latencies: number[] = []
  const requestOf = (isPayout: boolean) =>
    isPayout
      ? {
          path: '/api/b2b/fiat/payout',
          method: 'POST',
          headers: { authorization, 'content-type': 'application/json' },
          body: JSON.stringify(payout()),
        }
      : { path: '/api/b2b/users', headers: { authorization, connection: 'close' } }
  const ask = async (isPayout: boolean) => {
    const startedAt = performance.now()
    const { path, ...request } = requestOf(isPayout)
    const status = await fetch(url + path, { ...request, signal: AbortSignal.timeout(20_000) }).then(
      async (response) => {
        await response.arrayBuffer()
        return response.status
      },
      (error: Error & { cause?: { code?: string } }) => error.cause?.code ?? error.name,
    )
    statuses[status] = (statuses[status] ?? 0) + 1
    latencies.push(performance.now() - startedAt)
  }
  const asked: Promise<void>[] = []
  for (const until = performance.now() + seconds * 1000; performance.now() < until; await pause(everyMs))
    asked.push(ask(asked.length % 2 === 0))
  await Promise.all(asked)
  const p99 = latencies.sort((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? 0
  return { statuses, asked: asked.length, okShare: statuses[200] / asked.length, p99 }
}
