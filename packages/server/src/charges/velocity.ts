import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Transaction } from '../payments/model/store.ts'
import { countedAs } from '../platform/addresses.ts'
import { type Db, type Owner, sql } from '../platform/db.ts'
import type { FailureCode } from '../providers/failure-codes.ts'

type Counting = Pick<Context, 'config' | 'db' | 'vault'>

/** Failures by which a bank reports a card that the customer may not use. Our own errors are not among them. */
const declines: readonly FailureCode[] = [
  'CARD_DECLINED',
  'CARD_EXPIRED',
  'INSUFFICIENT_BALANCE',
  'SUSPECTED_FRAUD',
  'AUTHENTICATION_FAILED',
  'UNSPECIFIED_FAILURE',
]

/** Counts a try until its outcome is known. A try that we or the provider refuse before that is not counted. */
export async function counted<Result>(
  ctx: Counting,
  owner: Owner,
  { fingerprint, ipAddress }: { readonly fingerprint: string; readonly ipAddress: string },
  work: (settled: (charge: Transaction | undefined) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  await countTry(ctx, owner, fingerprint, ipAddress)
  let isSettled = false
  const settled = async (charge: Transaction | undefined) => {
    if (isSettled) return
    isSettled = true
    await countOutcome(ctx, owner, ipAddress, charge)
  }
  return work(settled).catch(async (refusal) => {
    await settled(undefined)
    throw refusal
  })
}

/**
 * Blocks testers of stolen cards: one card charged over and over, or declined cards in a row from one address. Counts are per
 * merchant and clock hour. A try counts as declined until its outcome is known, so parallel tries gain nothing.
 */
async function countTry(ctx: Counting, owner: Owner, fingerprint: string, ipAddress: string): Promise<void> {
  const most = owner.env === 'live' ? ctx.config.liveCardTries : ctx.config.sandboxCardTries
  const place = placeOf(ctx, ipAddress)
  if ((await add(ctx.db.write, owner, place, 1)) > most) {
    await add(ctx.db.write, owner, place, -1)
    throw tooMany('Too many declined cards for this customer.')
  }
  if ((await add(ctx.db.write, owner, fingerprint, 1)) <= most) return
  await add(ctx.db.write, owner, place, -1)
  throw tooMany('This card was charged too often.')
}

/** Keeps a declined card in the count of its customer's address; removes any other outcome. */
async function countOutcome(
  ctx: Counting,
  owner: Owner,
  ipAddress: string,
  charge: Transaction | undefined,
): Promise<void> {
  if (!isDeclined(charge)) await add(ctx.db.write, owner, placeOf(ctx, ipAddress), -1)
}

/** Counts a charge that passed before and was declined at a later step. */
export async function countLateDecline(
  ctx: Counting,
  owner: Owner,
  ipAddress: string,
  charge: Transaction | undefined,
): Promise<void> {
  if (isDeclined(charge)) await add(ctx.db.write, owner, placeOf(ctx, ipAddress), 1)
}

const isDeclined = (charge: Transaction | undefined) =>
  charge?.state === 'failed' && declines.some((code) => code === charge.failure?.code)

/** Deletes the counts of past hours. */
export async function forgetTries(db: Db): Promise<void> {
  await db.query(sql`delete from card_tries where hour < date_trunc('hour', record_time())`)
}

/** The same for every spelling of an address. For IPv6 it is the network, since a customer has many addresses in one. */
const placeOf = ({ vault }: Counting, ipAddress: string) => vault.hash(countedAs(ipAddress), 'customer address')

/** Returns the new count. */
async function add(db: Db, { merchant_id, env }: Owner, hash: string, tries: 1 | -1): Promise<number> {
  const [row] = await db.query<{ tries: number }>(sql`
    insert into card_tries as t (merchant_id, env, hash, hour, tries)
    values (${merchant_id}, ${env}, ${hash}, date_trunc('hour', record_time()), ${Math.max(tries, 0)})
    on conflict (merchant_id, env, hash, hour) do update set tries = greatest(t.tries + ${tries}, 0)
    returning tries`)
  return row?.tries ?? 0
}

function tooMany(message: string): AppError {
  const headers = { 'retry-after': '3600' }
  return new AppError('RATE_LIMIT_EXCEEDED', { message: `${message} Try again in an hour.`, headers })
}
