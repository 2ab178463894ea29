import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '../packages/server/src/platform/db.ts'
import { Secret } from '../packages/server/src/platform/secret.ts'
import { notifyMerchants } from '../packages/server/src/testing/notifying.ts'
import { type Bench, inPairs, rounded } from './bench.ts'
import { merchantsOf, onSite, type Site } from './site.ts'

const events = Number(process.env['BENCH_EVENTS'] ?? 10_000)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)
const endpointCount = 100
/** As many as the service has in progress at one endpoint. */
const inFlight = 8
const reportedAtOnce = 1000

/**
 * Webhooks a second that one process delivers from a backlog to 100 endpoints that respond at once: claimed, signed, posted
 * through the gate, every response stored. Compared with a loop over undici that posts the same bodies to the same receivers, as
 * many at a time, and stores nothing. Counted from the first request that a receiver gets to the last.
 */
export const deliver: Bench = async (print) =>
  onSite(deliverSettings, async (site) => {
    const deliveries = await openDeliveries(site)
    const bare = start('bare-deliveries.ts', {})
    try {
      const urls = Array.from({ length: endpointCount }, () => deliveries.url)
      const theirs = async () => {
        bare.send({ urls, each: events / endpointCount, inFlight, body: deliveries.body })
        await once(bare, 'message')
        return deliveries.received()
      }
      for (const side of [deliveries.run, theirs]) await side()
      const result = await inPairs(rounds, deliveries.run, theirs, print)
      return {
        figures: { webhooksPerSecond: rounded(result.ours), barePerSecond: rounded(result.theirs) },
        ratios: { bare: rounded(result.ratio) },
      }
    } finally {
      bare.kill()
      await deliveries.stop()
    }
  })

export const deliverSettings = { cell: { MALIPO_WEBHOOK_RANGES: '127.0.0.0/8' } }

export interface Deliveries {
  /** URL of the receivers. */
  readonly url: string
  /** Body of a notification. */
  readonly body: string
  /** Process id of the delivering worker. */
  readonly worker: number
  /** Notifies merchants while the worker is paused, then resumes it, and returns webhooks a second. */
  run(): Promise<number>
  /** Waits until all webhooks of a run are received, and returns the rate a second. */
  received(): Promise<number>
  stop(): Promise<void>
}

/** A process that delivers, receivers, and merchants to notify. */
export async function openDeliveries({ cell, servers }: Site): Promise<Deliveries> {
  const receivers = start('webhook-receivers.ts', {})
  const [{ port }] = (await once(receivers, 'message')) as [{ port: number }]
  const url = `http://127.0.0.1:${port}/well`
  const merchants = await merchantsOf(cell, endpointCount, url)
  const ids = Array.from({ length: events }, (_, index) => merchants[index % endpointCount]?.id ?? '')
  const db = openDatabase({
    url: new Secret(servers.superuserUrl),
    connectionsMax: 2,
    statementTimeoutMs: 60_000,
    onError: () => undefined,
  })
  const worker = start('webhook-worker.ts', { ...cell.variables, MALIPO_PORT: '0' })
  await once(worker, 'message')
  const received = () => rateAt(receivers, events)
  const [reported] = await notifyMerchants(db.write, ids.slice(0, 1))
  return {
    url,
    body: reported?.body ?? '',
    worker: worker.pid ?? 0,
    run: async () => {
      await cell.ask(`update webhook_endpoints set rests_until = 'infinity'`)
      for (let from = 0; from < events; from += reportedAtOnce)
        await notifyMerchants(db.write, ids.slice(from, from + reportedAtOnce))
      await cell.ask(`update webhook_endpoints set rests_until = '-infinity', next_due = now() where url <> ''`)
      return received()
    },
    received,
    stop: async () => {
      for (const child of [worker, receivers]) child.kill('SIGKILL')
      await db.close()
    },
  }
}

function start(program: string, env: Readonly<Record<string, string>>): ChildProcess {
  return fork(join(import.meta.dirname, program), { env: { PATH: process.env['PATH'], ...env } })
}

interface Report {
  readonly requests: number
  readonly firstAt: number
  readonly lastAt: number
}

/** Waits until the receivers got this many, and returns the rate a second. */
async function rateAt(receivers: ChildProcess, count: number): Promise<number> {
  for (;;) {
    receivers.send('count')
    const [{ requests, firstAt, lastAt }] = (await once(receivers, 'message')) as [Report]
    if (requests >= count) {
      receivers.send('report')
      await once(receivers, 'message')
      return (requests / (lastAt - firstAt)) * 1000
    }
    await pause(50)
  }
}
