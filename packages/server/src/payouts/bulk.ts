import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { AppError, catalogue } from '../errors.ts'
import { type KeyedRequest, reserveKey } from '../idempotency/keys.ts'
import type { PayoutMaker } from '../payments/controls/maker.ts'
import { isPassing } from '../platform/batch.ts'
import type { Owner } from '../platform/db.ts'
import { reach } from '../platform/failpoints.ts'
import { createTurns } from '../platform/turns.ts'
import { createWaitingLimit } from '../platform/waiting-limit.ts'
import { createRateOf } from '../reference/rates.ts'
import type { Scenario } from '../scenarios/catalogue.ts'
import { acceptNew, acceptPayout, type InOrder } from './accept.ts'
import type { PayoutBody } from './price.ts'

interface BulkResult {
  readonly success: boolean
  readonly message: string
  readonly externalReference: string
  readonly transactionId?: string
  readonly errorCode?: string
}

interface BulkTerms {
  /** The credential or person that sends the request. */
  readonly maker: PayoutMaker
  readonly scenario?: Scenario | undefined
}

/** Reads one item, or throws the error for its result. */
export type ReadItem = (item: unknown) => PayoutBody

/** Requests of one merchant that run or wait. */
const limited = createWaitingLimit(32)
const inTurn = createTurns()

/**
 * Accepts many payouts in order, each by itself: an error is reported in the item's place and stops no other item. All items share
 * the same rates and the same scenario. A repeat under the same key gets the same result for every item. A merchant's requests run
 * one after another, so other merchants wait for one part of one request at most.
 */
export function acceptBulk(...order: Parameters<typeof acceptAll>): ReturnType<typeof acceptAll> {
  const [, owner] = order
  return inMerchantTurn(owner, () => acceptAll(...order))
}

/** Runs a request with many payouts after the merchant's earlier ones. */
export function inMerchantTurn<Result>({ merchant_id, env }: Owner, work: () => Promise<Result>): Promise<Result> {
  const key = `${merchant_id} ${env}`
  return limited(key, () => inTurn(key, work))
}

async function acceptAll(
  ctx: Context,
  owner: Owner,
  items: readonly unknown[],
  readItem: ReadItem,
  keyed: KeyedRequest | undefined,
  { maker, scenario }: BulkTerms,
): Promise<{ readonly results: BulkResult[]; readonly isReplay: boolean }> {
  const isRepeated = keyed !== undefined && (await reserveKey(ctx, owner, keyed))
  const accept = isRepeated ? acceptPayout : acceptNew // Items of a new request have no stored keys.
  reach('bulk.reserved')
  const terms = { origin: { ...maker, isBulk: true }, rateOf: createRateOf(ctx, owner), scenario }
  const nextPlace = createQueue()
  const one = async (item: unknown, index: number) => {
    const place = nextPlace()
    try {
      const body = readItem(item)
      const ordered = { ...terms, inOrder: place.inOrder }
      const { response, isReplay } = await accept(ctx, owner, body, itemKey(keyed, index, body), ordered)
      const { message, externalReference, transactionId } = response
      return { result: { success: true, message, externalReference, transactionId }, isReplay }
    } catch (error) {
      return { result: refusal(asRefusal(ctx, error), item), isReplay: false }
    } finally {
      place.leave()
    }
  }
  const all = await inParts(items, one)
  reach('bulk.accepted')
  const taken = all.filter(({ result }) => result.success)
  return {
    results: all.map(({ result }) => result),
    isReplay: taken.length > 0 && taken.every((each) => each.isReplay),
  }
}

interface Place {
  readonly inOrder: InOrder
  /** The place is not needed any more, submitted or not. */
  leave(): void
}

/**
 * Items are priced at once, each in its own time, and submitted in the order of their places. So what runs out (funds, limits, what
 * is left of a charge) runs out in the order of the request, as its validation says.
 */
function createQueue(): () => Place {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const before = last
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    last = before.then(() => left)
    const inOrder: InOrder = async (submit) => {
      await before
      const submitted = submit()
      leave()
      return submitted
    }
    return { inOrder, leave }
  }
}

const perPart = 200
const perTurn = 50

/** Runs one part after another: payouts of other merchants wait for one part at most. */
export async function inParts<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  while (results.length < items.length) {
    const done = results.length
    results.push(...(await startInTurns(items.slice(done, done + perPart), (item, index) => work(item, done + index))))
  }
  return results
}

/** Starts all items of a part, with a pause after each turn: reading all items at once would delay other requests. */
async function startInTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const started: Promise<Result>[] = []
  for (const [index, item] of items.entries()) {
    if (index % perTurn === 0) await nextTurn()
    started.push(work(item, index))
  }
  return Promise.all(started)
}

/** Our own error on one item is reported in its place too: other items may have been accepted. */
function asRefusal({ log }: Context, error: unknown): AppError {
  if (error instanceof AppError) return error
  if (isPassing(error as Error)) return new AppError('OVERLOADED')
  log.error({ err: error }, 'bulk item failed: internal error')
  return new AppError('INTERNAL')
}

function refusal(error: AppError, item: unknown): BulkResult {
  const { externalReference } = (item ?? {}) as { externalReference?: unknown }
  return {
    success: false,
    message: error.message,
    externalReference: typeof externalReference === 'string' ? externalReference : '',
    errorCode: catalogue[error.key].errorCode,
  }
}

/** Each item gets its own key, derived from the request's, so each result is stored by itself. */
function itemKey(keyed: KeyedRequest | undefined, index: number, body: PayoutBody): KeyedRequest | undefined {
  if (!keyed) return undefined
  const key = `bulk-${createHash('sha256').update(keyed.key).digest('base64url')}-${index}`
  return { ...keyed, key, asked: body }
}
