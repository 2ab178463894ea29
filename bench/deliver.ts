import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '../packages/server/src/platform/db.ts'
import { Secret } from '../packages/server/src/platform/secret.ts'
import { tellMerchants } from '../packages/server/src/testing/telling.ts'
import { type Bench, inPairs, rounded } from './bench.ts'
import { merchantsOf, onSite } from './site.ts'

const events = Number(process.env['BENCH_EVENTS'] ?? 10_000)
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 5)
const endpointCount = 100
/** As many as the service has under way at one endpoint. */
const inFlight = 8
const toldAtOnce = 1000

/**
 * Webhooks a second that one process delivers out of a backlog to 100 endpoints that answer at once: claimed, signed, posted
 * through the gate, every answer kept. Against a loop over undici that posts the same bodies to the same receivers, as many at
 * a time, and keeps nothing. Counted from the first request that a receiver gets to the last.
 */
export const deliver: Bench = async (print) =>
  onSite({ cell: { MALIPO_WEBHOOK_RANGES: '127.0.0.0/8' } }, async ({ cell, servers }) => {
    const receivers = start('webhook-receivers.ts', {})
    const [{ port }] = (await once(receivers, 'message')) as [{ port: number }]
    const merchants = await merchantsOf(cell, endpointCount, `http://127.0.0.1:${port}/well`)
    const ids = Array.from({ length: events }, (_, index) => merchants[index % endpointCount]?.id ?? '')
    const db = openDatabase({
      url: new Secret(servers.superuserUrl),
      connectionsMax: 2,
      statementTimeoutMs: 60_000,
      onError: () => undefined,
    })
    const worker = start('webhook-worker.ts', { ...cell.variables, MALIPO_PORT: '0' })
    const bare = start('bare-deliveries.ts', {})
    try {
      await once(worker, 'message')
      const body = await bodyOf(db.write, merchants[0]?.id ?? '')
      const ours = async () => {
        await cell.ask(`update webhook_endpoints set rests_until = 'infinity'`)
        for (let from = 0; from < events; from += toldAtOnce)
          await tellMerchants(db.write, ids.slice(from, from + toldAtOnce))
        await cell.ask(`update webhook_endpoints set rests_until = '-infinity'`)
        return rateAt(receivers, events)
      }
      const theirs = async () => {
        const urls = Array.from({ length: endpointCount }, () => `http://127.0.0.1:${port}/well`)
        bare.send({ urls, each: events / endpointCount, inFlight, body })
        await once(bare, 'message')
        return rateAt(receivers, events)
      }
      for (const side of [ours, theirs]) await side()
      const result = await inPairs(rounds, ours, theirs, print)
      return {
        figures: { webhooksPerSecond: rounded(result.ours), barePerSecond: rounded(result.theirs) },
        ratios: { bare: rounded(result.ratio) },
      }
    } finally {
      for (const child of [worker, bare, receivers]) child.kill('SIGKILL')
      await db.close()
    }
  })

function start(program: string, env: Readonly<Record<string, string>>): ChildProcess {
  return fork(join(import.meta.dirname, program), { env: { PATH: process.env['PATH'], ...env } })
}

async function bodyOf(db: Parameters<typeof tellMerchants>[0], merchant: string): Promise<string> {
  const [told] = await tellMerchants(db, [merchant])
  return told?.body ?? ''
}

interface Report {
  readonly requests: number
  readonly firstAt: number
  readonly lastAt: number
}

/** Waits until the receivers got so many, and gives how many a second. */
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
