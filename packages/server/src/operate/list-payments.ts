import { isFinal, type State } from '../payments/model/state.ts'
import type { Transaction } from '../payments/model/store.ts'
import { type Db, type Environment, sql } from '../platform/db.ts'
import { readId, showId } from '../platform/ids.ts'
import { requireProvider } from './known-provider.ts'
import { existing, merchantId } from './merchants.ts'
import { readOpenPayments } from './open-payments.ts'
import { type OperatorContext, OperatorError, readScope } from './operator-context.ts'
import { readSummaries } from './payment-summaries.ts'
import { type ListedPayment, listed, typeOf } from './payments.ts'

export interface ListOrder {
  /** Only payments that need a person: in doubt, held back when due, or final with money in suspense. */
  readonly isDoubtOnly: boolean
  readonly merchant?: string
  readonly env?: Environment
  readonly provider?: string
  /** Without one, open payments are listed. */
  readonly state?: State
  /** Without a state: ended payments too, newest first. */
  readonly isWithEnded?: boolean
  readonly type?: ListedPayment['type']
  readonly currency?: string
  readonly olderThanMinutes?: number
  readonly limit: number
  /** Continues behind this payment: the `next` of the page before. */
  readonly after?: string
}

export interface PaymentPage {
  /** Open payments oldest first; ended ones, and all together, newest first. */
  readonly payments: readonly ListedPayment[]
  /** Set when there may be more: the `after` of the next page. */
  readonly next?: string
}

const firstId = '00000000-0000-0000-0000-000000000000'
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
/** One page of ended payments examines at most this many. */
const examinedMax = 20_000

export async function listPayments(context: OperatorContext, order: ListOrder): Promise<PaymentPage> {
  const { isDoubtOnly, state, olderThanMinutes = 0, currency } = order
  const isEndedToo = state === undefined ? order.isWithEnded === true : isFinal(state)
  if (isDoubtOnly && isEndedToo) throw new OperatorError('payments that need a person are listed without a final state')
  if (order.provider !== undefined) requireProvider(order.provider)
  const merchant_id = order.merchant === undefined ? undefined : merchantId(order.merchant)
  const after = order.after === undefined ? undefined : readId('transaction', order.after)
  if (order.after !== undefined && after === undefined)
    throw new OperatorError(`${order.after} is not a payment id; use the next of the page before`)
  const { env, provider, limit } = order
  const type = order.type && typeOf(order.type)
  const scope = readScope(context, 'payments:read')
  const filter = { merchant_id, env, provider, type, currency, olderThanMinutes, limit, scope }
  return context.db.write.snapshot(async (tx) => {
    if (merchant_id !== undefined) await existing(tx, merchant_id)
    if (isEndedToo)
      return endedPage(tx, { ...filter, state, before: await idBefore(tx, after ?? lastId, olderThanMinutes) })
    const found = await readOpenPayments(tx, { ...filter, isDoubtOnly, state, after: after ?? firstId })
    const payments = found.map(listed)
    const next = payments.length === order.limit ? payments.at(-1)?.id : undefined
    return { payments, ...(next !== undefined && { next }) }
  })
}

/** The older of a cursor and the first id that is too new. */
async function idBefore(db: Db, cursor: string, olderThanMinutes: number): Promise<string> {
  if (olderThanMinutes === 0) return cursor
  const [row] = await db.query<{ id: string }>(sql`
    select least(${cursor}::uuid, id_at(record_time() - make_interval(mins => ${olderThanMinutes}::int))) as id`)
  return row?.id ?? cursor
}

interface EndedFilter {
  readonly merchant_id: string | undefined
  readonly env: Environment | undefined
  readonly provider: string | undefined
  readonly type: Transaction['type'] | undefined
  readonly currency: string | undefined
  readonly state: State | undefined
  readonly before: string
  readonly scope: string | null
  readonly limit: number
}

async function endedPage(db: Db, wanted: EndedFilter): Promise<PaymentPage> {
  const { merchant_id, env, limit, scope } = wanted
  const envs = env === undefined ? environments : [env]
  const scans = await (merchant_id === undefined
    ? Promise.all([scanAll(db, wanted)])
    : Promise.all(envs.map((each) => scanMerchant(db, { ...wanted, merchant_id, env: each }))))
  // Complete only down to the newest place at which a scan stopped.
  const examinedTo = scans
    .flatMap((scan) => scan.examinedTo ?? [])
    .sort()
    .at(-1)
  const ids = scans
    .flatMap((scan) => scan.ids)
    .filter((id) => examinedTo === undefined || id >= examinedTo)
    .sort((left, right) => (left < right ? 1 : -1))
  const shown = ids.slice(0, limit)
  const last = ids.length > limit ? shown.at(-1) : examinedTo
  const found =
    shown.length === 0 ? [] : await readSummaries(db, shown, { merchant_id: undefined, env: undefined, scope })
  return { payments: found.map(listed), ...(last !== undefined && { next: showId('transaction', last) }) }
}

interface Scan {
  /** At most one more than fits the page, newest first. */
  readonly ids: readonly string[]
  /** The last examined payment, if the scan stopped there with too few. */
  readonly examinedTo: string | undefined
}

const environments = ['live', 'sandbox'] as const

/** The newest payments of all merchants, along the primary key. */
async function scanAll(db: Db, wanted: EndedFilter): Promise<Scan> {
  const { env = null, provider = null, type = null, currency = null, state = null, before, limit, scope } = wanted
  const found = await db.query<{ id: string }>(sql`
    with examined as (
      select id, env, provider, type, state, country, currency
      from transactions
      where id < ${before}
      order by id desc
      limit ${examinedMax}
    )
    select id
    from examined
    where state = coalesce(${state}::text, state)
      and type = coalesce(${type}::text, type)
      and currency = coalesce(${currency}::text, currency)
      and env = coalesce(${env}::text, env)
      and provider = coalesce(${provider}::text, provider)
      and is_in_scope(${scope}::jsonb, country, currency)
    order by id desc
    limit ${limit + 1}`)
  if (found.length > limit) return { ids: found.map(({ id }) => id), examinedTo: undefined }
  const [last] = await db.query<{ id: string }>(sql`
    select id
    from transactions
    where id < ${before}
    order by id desc
    offset ${examinedMax - 1}
    limit 1`)
  return { ids: found.map(({ id }) => id), examinedTo: last?.id }
}

/** The newest payments of one merchant, along its own index. */
async function scanMerchant(
  db: Db,
  wanted: EndedFilter & { readonly merchant_id: string; readonly env: Environment },
): Promise<Scan> {
  const { merchant_id, env, provider = null, type = null, currency = null, state = null } = wanted
  const { before, limit, scope } = wanted
  const found = await db.query<{ id: string }>(sql`
    with examined as (
      select id, provider, type, state, country, currency
      from transactions
      where merchant_id = ${merchant_id}
        and env = ${env}
        and id < ${before}
      order by id desc
      limit ${examinedMax}
    )
    select id
    from examined
    where state = coalesce(${state}::text, state)
      and type = coalesce(${type}::text, type)
      and currency = coalesce(${currency}::text, currency)
      and provider = coalesce(${provider}::text, provider)
      and is_in_scope(${scope}::jsonb, country, currency)
    order by id desc
    limit ${limit + 1}`)
  if (found.length > limit) return { ids: found.map(({ id }) => id), examinedTo: undefined }
  const [last] = await db.query<{ id: string }>(sql`
    select id
    from transactions
    where merchant_id = ${merchant_id}
      and env = ${env}
      and id < ${before}
    order by id desc
    offset ${examinedMax - 1}
    limit 1`)
  return { ids: found.map(({ id }) => id), examinedTo: last?.id }
}
