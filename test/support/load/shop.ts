import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { readId } from '../../../packages/server/src/platform/ids.ts'
import type { ApiResponse } from '../../../packages/server/src/testing/malipo.ts'
import type { CellMerchant } from '../cluster/cell.ts'
import type { Random } from '../cluster/random.ts'
import { bodyOf, makeOrder, type Order, pathOf } from './shopper.ts'

/** Responses to merchants who send all kinds of requests, and retry once without a response. */
export interface Shop {
  readonly url: string
  readonly orders: readonly Order[]
  readonly requests: () => number
  /** Why requests were retried, and which retries failed too. */
  readonly retried: readonly string[]
  readonly failed: readonly string[]
  /** 99th percentile in milliseconds, retry included. */
  slowest(): number
  stop(): Promise<void>
}

interface ShopOptions {
  readonly url: string
  readonly merchants: readonly CellMerchant[]
  readonly random: Random
  /** How many merchants call at once, and how many times a second each. */
  readonly customers: number
  readonly perSecond: number
}

/** It closes with the test at the latest. */
export function openShop(t: TestContext, { url, merchants, random, customers, perSecond }: ShopOptions): Shop {
  const orders: Order[] = []
  const known: Order[] = []
  const retried: string[] = []
  const failed: string[] = []
  const latencies: number[] = []
  const over = new AbortController()

  const tryTwice = async (what: string, ask: () => Promise<ApiResponse>): Promise<ApiResponse | undefined> => {
    const startedAt = performance.now()
    const first = await tried(ask)
    if (first.response === undefined) retried.push(`${what}: ${first.why}`)
    const last = first.response ? first : await tried(ask)
    if (last.response === undefined) failed.push(`${what}: ${first.why}, then ${last.why}`)
    latencies.push(performance.now() - startedAt)
    return last.response
  }
  const order = async (kind: Order['kind']) => {
    const wanted = makeOrder(random, random.pick(merchants), kind)
    orders.push(wanted)
    const headers = { 'idempotency-key': wanted.reference }
    const ask = () => wanted.merchant.call(url, 'POST', pathOf(wanted), bodyOf(wanted), headers)
    const id = readId('transaction', String((await tryTwice(kind, ask))?.body['transactionId']))
    if (id === undefined) return
    wanted.id = id
    known.push(wanted)
  }
  const read = async () => {
    const { merchant, reference } = known.length > 0 ? random.pick(known) : { merchant: merchants[0], reference: '' }
    const path =
      reference === ''
        ? '/users'
        : random.pick([`/transactions/${reference}`, '/users', '/wallets/statement?currency=KES'])
    if (merchant) await tryTwice(`GET ${path.split('/')[1]}`, () => merchant.call(url, 'GET', path))
  }
  const serve = async () => {
    while (!over.signal.aborted) {
      const rested = pause(2 * random() * (1000 / perSecond), undefined, { signal: over.signal }).catch(() => undefined)
      await random.pick([() => order('payout'), () => order('charge'), read])()
      await rested
    }
  }
  const serving = Promise.all(Array.from({ length: customers }, serve))
  t.after(() => over.abort())
  return {
    url,
    orders,
    retried,
    failed,
    requests: () => latencies.length,
    slowest: () =>
      Math.round(latencies.toSorted((left, right) => left - right)[Math.floor(latencies.length * 0.99)] ?? 0),
    stop: async () => {
      over.abort()
      await serving
    },
  }
}

/** Anything but success counts as no response: no request here should be refused. */
async function tried(ask: () => Promise<ApiResponse>): Promise<{ response?: ApiResponse; why?: string }> {
  try {
    const response = await ask()
    return response.status < 300 ? { response } : { why: `${response.status} ${response.body['errorCode']}` }
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string; message?: string } }
    return { why: cause?.code ?? cause?.message ?? message }
  }
}
