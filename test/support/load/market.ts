import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { readId } from '../../../packages/server/src/platform/ids.ts'
import type { ApiResponse } from '../../../packages/server/src/testing/malipo.ts'
import type { CellMerchant } from '../cluster/cell.ts'
import type { Random } from '../cluster/random.ts'
import type { SimulatorControl } from '../cluster/simulator-control.ts'

export type Request = 'payout' | 'bulk' | 'till' | 'momo' | 'wave' | 'card' | 'transfer'

/** A payment that a customer requested, and the responses. */
export interface Ordered {
  readonly merchant: CellMerchant
  readonly what: Request
  readonly reference: string
  /** In major units. */
  readonly amount: number
  id?: string
  /** It was reported as cancelled. */
  isCancelled?: true
  /** The provider never responds for its number: an operator must end it. */
  readonly isStuck?: true
}

export interface Market {
  readonly random: Random
  readonly merchants: readonly CellMerchant[]
  /** URLs of the service; each may be down at any moment. */
  readonly urls: readonly string[]
  readonly simulator: SimulatorControl
  readonly orders: Ordered[]
  /** Responses that are never allowed. */
  readonly refusals: string[]
  /** Count of retryable responses, by response. */
  readonly setbacks: Map<string, number>
}

const retryMs = 250
/** Longer than repeated strikes can keep both servers from their work. */
const patienceMs = 600_000

/** Retries under one key until the response is not retryable. */
export async function insist(
  { random, urls, setbacks }: Market,
  merchant: CellMerchant,
  path: string,
  body: object | undefined,
  { isDone = () => true, within = patienceMs }: { isDone?: (response: ApiResponse) => boolean; within?: number } = {},
): Promise<ApiResponse> {
  const key = { 'idempotency-key': randomUUID() }
  const deadline = performance.now() + within
  for (;;) {
    const response = await merchant.call(random.pick(urls), 'POST', path, body, key).catch(() => undefined)
    const isRetryable =
      response === undefined || response.status >= 500 || response.body['errorCode'] === 'IDEMPOTENCY_KEY_IN_PROGRESS'
    if (!isRetryable && isDone(response)) return response
    const word = response ? `${response.status} ${String(response.body['errorCode'] ?? '')}`.trim() : 'no connection'
    setbacks.set(word, (setbacks.get(word) ?? 0) + 1)
    if (performance.now() > deadline) throw new Error(`no final response in ${within} ms: ${path}, last: ${word}`)
    await pause(retryMs)
  }
}

/** The transaction that a response names. */
export function idIn({ status, body }: ApiResponse): string {
  const { transactionId } = (body['data'] ?? body) as { transactionId?: unknown }
  const id = status === 200 ? readId('transaction', String(transactionId)) : undefined
  if (id === undefined) throw new Error(`refused: ${status} ${JSON.stringify(body)}`)
  return id
}

/** Records an order before it is sent, so that every request is known. */
export function note(
  { random, merchants, orders }: Market,
  what: Request,
  over: Partial<Pick<Ordered, 'isStuck' | 'merchant'>> = {},
): Ordered {
  const order = {
    merchant: random.pick(merchants),
    what,
    reference: randomUUID(),
    amount: 10 + random.below(390),
    ...over,
  }
  orders.push(order)
  return order
}
