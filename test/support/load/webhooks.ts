import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { until } from '../../../packages/server/src/dev-stack/until.ts'
import { readId } from '../../../packages/server/src/platform/ids.ts'
import { attachPartitions } from '../../../packages/server/src/platform/partitions.ts'
import {
  type ApiResponse,
  call,
  exchange,
  type Malipo,
  testMalipo,
} from '../../../packages/server/src/testing/malipo.ts'
import { type NotifiedEvent, notifyMerchants } from '../../../packages/server/src/testing/notifying.ts'
import { startDeliveries } from '../../../packages/server/src/workers/deliveries.ts'

/** A webhook record as the API shows it. */
interface SeenRecord {
  readonly id: string
  readonly status: string
  readonly attempts: number
  readonly nextAttemptAt?: string
  readonly response: { readonly status: string; readonly error?: string }
}

interface FeedLine {
  readonly number: number
  readonly id: string
}

/** A merchant with an endpoint. */
export interface HookedMerchant {
  readonly id: string
  ask(method: string, path: string, body?: unknown): Promise<ApiResponse>
  setUrl(url: string): Promise<void>
  notify(count: number): Promise<NotifiedEvent[]>
  record(id: string): Promise<SeenRecord>
  /** Waits until a record has these values. */
  becomes(id: string, what: Partial<SeenRecord>): Promise<SeenRecord>
  feed(): Promise<FeedLine[]>
}

export interface Webhooks {
  readonly malipo: Malipo
  merchant(url: string): Promise<HookedMerchant>
  /** Moves the clock of the database, and wakes the deliveries. */
  forward(ms: number): Promise<void>
  /** How far the clock has been moved. */
  aheadMs(): number
  /** Delivers in this process. */
  deliver(): { stop(): Promise<void> }
}

export const settings = {
  MALIPO_WEBHOOK_RANGES: '127.0.0.0/8',
  MALIPO_RATE_LIMIT_SANDBOX: '1000000',
  MALIPO_RATE_LIMIT_ADDRESS: '1000000',
}
export const [seconds, minutes, hours] = [1000, 60_000, 3_600_000].map((unit) => (count: number) => count * unit) as [
  (count: number) => number,
  (count: number) => number,
  (count: number) => number,
]

export async function testWebhooks(t: TestContext): Promise<Webhooks> {
  const malipo = await testMalipo(t, settings)
  await malipo.ask(`update webhook_endpoints set next_due = null, url = ''`) // Left by the previous test.
  let ahead = 0
  return {
    malipo,
    merchant: (url) => openMerchant(malipo, url),
    forward: async (ms) => {
      ahead += ms
      await malipo.ask(`update clock_offset set ahead = ahead + make_interval(secs => $1)`, [ms / 1000])
      await attachPartitions(malipo.ctx.db.write)
      malipo.ctx.wakeups.wake('webhooks')
    },
    aheadMs: () => ahead,
    deliver: () => {
      const watch = startDeliveries(malipo.ctx)
      t.after(() => watch.stop())
      return watch
    },
  }
}

async function openMerchant(malipo: Malipo, url: string): Promise<HookedMerchant> {
  const merchant = await malipo.merchant()
  const id = readId('merchant', merchant.id) ?? ''
  const token = String((await exchange(malipo.url, merchant)).body['token'])
  const ask: HookedMerchant['ask'] = (method, path, body) =>
    call(malipo.url, method, `/api/sandbox/b2b${path}`, { authorization: `Bearer ${token}` }, body)
  const record = async (shown: string) => {
    const { status, body } = await ask('GET', `/webhooks/${shown}`)
    assert.equal(status, 200, JSON.stringify(body))
    return body['data'] as SeenRecord
  }
  const setUrl = async (sandboxWebhookUrl: string) => {
    assert.equal((await ask('PUT', '/users', { sandboxWebhookUrl })).status, 200)
    malipo.ctx.wakeups.wake('webhooks')
  }
  await setUrl(url)
  return {
    id,
    ask,
    setUrl,
    record,
    notify: async (count) => {
      const events = await notifyMerchants(malipo.ctx.db.write, Array<string>(count).fill(id))
      malipo.ctx.wakeups.wake('webhooks')
      return events
    },
    becomes: async (shown, what) => {
      let last: SeenRecord | undefined
      const isSo = async () => {
        last = await record(shown)
        return Object.entries(what).every(([name, value]) => last?.[name as keyof SeenRecord] === value) && last
      }
      return until(`${shown} to become ${JSON.stringify(what)}`, isSo).catch((error) => {
        throw new Error(`${(error as Error).message}; it is ${JSON.stringify(last)}`)
      })
    },
    feed: () => readFeed(ask),
  }
}

async function readFeed(ask: HookedMerchant['ask']): Promise<FeedLine[]> {
  const lines: FeedLine[] = []
  for (;;) {
    const { body } = await ask('GET', `/events?after=${lines.at(-1)?.number ?? 0}&limit=200`)
    const page = body['data'] as FeedLine[]
    lines.push(...page)
    if (page.length < 200) return lines
  }
}
