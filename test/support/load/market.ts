import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { readId } from '../../../packages/server/src/platform/ids.ts'
import type { Answer } from '../../../packages/server/src/testing/malipo.ts'
import type { CellMerchant } from '../cluster/cell.ts'
import type { Random } from '../cluster/random.ts'
import type { SimulatorDesk } from '../cluster/simulator-desk.ts'

/** What somebody may want. */
export type Wish = 'payout' | 'bulk' | 'till' | 'momo' | 'wave' | 'card' | 'transfer'

/** A payment that somebody of the crowd asked for, and what they were told. */
export interface Ordered {
  readonly merchant: CellMerchant
  readonly what: Wish
  readonly reference: string
  /** In major units. */
  readonly amount: number
  id?: string
  /** It was said to be cancelled. */
  isCancelled?: true
  /** Its number never gets an answer out of the provider: an operator must end it. */
  readonly isStuck?: true
}

/** What the crowd works with. */
export interface Market {
  readonly random: Random
  readonly merchants: readonly CellMerchant[]
  /** Where the service listens; any of them may be down at any moment. */
  readonly urls: readonly string[]
  readonly simulator: SimulatorDesk
  readonly orders: Ordered[]
  /** Answers that nobody should get. */
  readonly refusals: string[]
  /** How often somebody was told to come again, by what they were told. */
  readonly setbacks: Map<string, number>
}

const comeAgainMs = 250
/** Longer than both of two servers can be kept from their work by being struck again and again. */
const patienceMs = 600_000

/** Asks until there is an answer that is not "come again", under one key. */
export async function insist(
  { random, urls, setbacks }: Market,
  merchant: CellMerchant,
  path: string,
  body: object | undefined,
  { isDone = () => true, within = patienceMs }: { isDone?: (answer: Answer) => boolean; within?: number } = {},
): Promise<Answer> {
  const key = { 'idempotency-key': randomUUID() }
  const deadline = performance.now() + within
  for (;;) {
    const answer = await merchant.call(random.pick(urls), 'POST', path, body, key).catch(() => undefined)
    const isToComeAgain =
      answer === undefined || answer.status >= 500 || answer.body['errorCode'] === 'IDEMPOTENCY_KEY_IN_PROGRESS'
    if (!isToComeAgain && isDone(answer)) return answer
    const word = answer ? `${answer.status} ${String(answer.body['errorCode'] ?? '')}`.trim() : 'nobody there'
    setbacks.set(word, (setbacks.get(word) ?? 0) + 1)
    if (performance.now() > deadline) throw new Error(`not answered in ${within} ms: ${path}, at last ${word}`)
    await pause(comeAgainMs)
  }
}

/** The transaction that an answer names. */
export function idIn({ status, body }: Answer): string {
  const { transactionId } = (body['data'] ?? body) as { transactionId?: unknown }
  const id = status === 200 ? readId('transaction', String(transactionId)) : undefined
  if (id === undefined) throw new Error(`refused: ${status} ${JSON.stringify(body)}`)
  return id
}

/** Notes an order before it is sent: whatever becomes of it, it is known that it was wanted. */
export function note(
  { random, merchants, orders }: Market,
  what: Wish,
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
