import { setTimeout as pause } from 'node:timers/promises'
import { openDatabase } from '../../packages/server/src/platform/db.ts'
import { readId } from '../../packages/server/src/platform/ids.ts'
import { Secret } from '../../packages/server/src/platform/secret.ts'
import type { CellMerchant } from '../support/cluster/cell.ts'

interface Acknowledged {
  readonly reference: string
  readonly id: string
  readonly at: number
}

/** Merchants who pay out, and retry the same request until it is accepted. */
export interface Load {
  readonly acknowledged: readonly Acknowledged[]
  readonly statuses: ReadonlyMap<string, number>
  readonly asked: () => number
  /** Sends nothing new, and waits until every request is accepted. */
  stop(): Promise<void>
}

const retryMs = 500
const patienceMs = 12_000

export function startLoad(url: string, merchants: readonly CellMerchant[], perSecond: number, name: string): Load {
  const acknowledged: Acknowledged[] = []
  const statuses = new Map<string, number>()
  const open = new Set<Promise<void>>()
  const over = new AbortController()
  let asked = 0
  const pay = async (merchant: CellMerchant, reference: string) => {
    for (;;) {
      const { seen, id } = await payOnce(url, merchant, reference)
      statuses.set(seen, (statuses.get(seen) ?? 0) + 1)
      if (id !== undefined) return void acknowledged.push({ reference, id, at: performance.now() })
      await pause(retryMs * (0.5 + Math.random()))
    }
  }
  const run = async () => {
    while (!over.signal.aborted) {
      const merchant = merchants[asked % merchants.length]
      asked += 1
      if (merchant) {
        const paid: Promise<void> = pay(merchant, `${name}-${asked}`).finally(() => open.delete(paid))
        open.add(paid)
      }
      await pause(1000 / perSecond)
    }
  }
  const running = run()
  return {
    acknowledged,
    statuses,
    asked: () => asked,
    stop: async () => {
      over.abort()
      await running
      await Promise.all(open)
    },
  }
}

async function payOnce(url: string, merchant: CellMerchant, reference: string): Promise<{ seen: string; id?: string }> {
  const payoutMethod = { accountName: 'Amina', accountNumber: '+254703456789' }
  const body = {
    amount: 20,
    currency: 'KES',
    country: 'KE',
    destination: 'MoMo',
    payoutMethod,
    externalReference: reference,
  }
  const headers = { 'idempotency-key': reference }
  try {
    const asking = merchant.call(url, 'POST', '/fiat/payout', body, headers)
    const reply = await Promise.race([asking, pause(patienceMs, undefined, { ref: false })])
    if (!reply) return { seen: 'no response' }
    const id = readId('transaction', String(reply.body['transactionId']))
    return reply.status === 200 && id !== undefined ? { seen: '200', id } : { seen: String(reply.status) }
  } catch (error) {
    // HAProxy responds with a page where no api is ready.
    return { seen: error instanceof SyntaxError ? '503 of HAProxy' : 'connection lost' }
  }
}

/** When the database took a write, and when it did not, by several writers in parallel. */
interface WriteSample {
  readonly from: number
  readonly to: number
  readonly isWritable: boolean
}

export interface Writable {
  readonly samples: readonly WriteSample[]
  stop(): Promise<void>
}

/** One try may wait for 2 s at a server that does not respond, so others run meanwhile. */
const tries = 4
const tryEveryMs = 200

export function watchWritable(url: string): Writable {
  const samples: WriteSample[] = []
  const limits = { connectionsMax: 1, statementTimeoutMs: 5000 }
  const db = openDatabase({ url: new Secret(url), ...limits, onError: () => undefined })
  let isOver = false
  const run = async () => {
    const probe = db.openProbe()
    while (!isOver) {
      const from = performance.now()
      const isWritable = await probe.write().then(
        () => true,
        () => false,
      )
      samples.push({ from, to: performance.now(), isWritable })
      await pause(tryEveryMs * (0.5 + Math.random()))
    }
    await probe.close()
  }
  const running = Promise.all(Array.from({ length: tries }, run))
  return {
    samples,
    stop: async () => {
      isOver = true
      await running
      await db.close()
    },
  }
}
