import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { type Db, type Owner, sql } from '../platform/db.ts'

type Counting = Pick<Context, 'config' | 'db' | 'vault'>

/**
 * Refuses what testers of stolen cards do: one card over and over, or cards that are declined one after another from one
 * place. Each merchant has counts of its own, of the hour that runs.
 */
export async function countTry(ctx: Counting, owner: Owner, fingerprint: string, ipAddress: string): Promise<void> {
  const { cardTriesPerHour: most } = ctx.config
  const declined = await triesOf(ctx.db.write, owner, placeOf(ctx, ipAddress))
  if (declined >= most) throw tooMany('Too many cards of this customer were declined.')
  const tries = await addTry(ctx.db.write, owner, fingerprint)
  if (tries > most) throw tooMany('This card was charged too often.')
}

export async function countDecline(ctx: Counting, owner: Owner, ipAddress: string): Promise<void> {
  await addTry(ctx.db.write, owner, placeOf(ctx, ipAddress))
}

/** Counts of hours that have passed are of no use. */
export async function forgetTries(db: Db): Promise<void> {
  await db.query(sql`delete from card_tries where hour < date_trunc('hour', record_time())`)
}

const placeOf = ({ vault }: Counting, ipAddress: string) => vault.hash(ipAddress, 'customer address')

async function triesOf(db: Db, { merchant_id, env }: Owner, hash: string): Promise<number> {
  const [row] = await db.query<{ tries: number }>(sql`
    select tries
    from card_tries
    where merchant_id = ${merchant_id}
      and env = ${env}
      and hash = ${hash}
      and hour = date_trunc('hour', record_time())`)
  return row?.tries ?? 0
}

async function addTry(db: Db, { merchant_id, env }: Owner, hash: string): Promise<number> {
  const [row] = await db.query<{ tries: number }>(sql`
    insert into card_tries as t (merchant_id, env, hash, hour, tries)
    values (${merchant_id}, ${env}, ${hash}, date_trunc('hour', record_time()), 1)
    on conflict (merchant_id, env, hash, hour) do update set tries = t.tries + 1
    returning tries`)
  return row?.tries ?? 0
}

function tooMany(message: string): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', {
    message: `${message} Try again in an hour.`,
    headers: { 'retry-after': '3600' },
  })
}
