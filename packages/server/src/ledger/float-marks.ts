import { type Db, type Environment, sql, type Tx } from '../platform/db.ts'
import { platformBalances } from './deltas.ts'

interface Float {
  readonly env: Environment
  readonly provider: string
  readonly country: string
  readonly currency: string
}

/** A float and its low-water mark, in minor units. */
export interface FloatLevel extends Float {
  readonly amount: bigint
  readonly mark: bigint | null
}

/** Every float, and every mark of a float that has had no money yet. */
export async function floatLevels(db: Db): Promise<FloatLevel[]> {
  const balances = (await platformBalances(db)).filter(({ kind }) => kind === 'float')
  const marks = await db.query<Float & { readonly mark: bigint }>(sql`
    select env, provider, country, currency, mark
    from float_marks
    order by env, provider, country, currency`)
  const markOf = new Map(marks.map((each) => [keyOf(each), each.mark]))
  const held = balances.map(({ env, provider, country, currency, debits_posted, credits_posted }) => {
    const float = { env: env as Environment, provider, country, currency }
    return { ...float, amount: debits_posted - credits_posted, mark: markOf.get(keyOf(float)) ?? null }
  })
  const known = new Set(held.map(keyOf))
  return [...held, ...marks.filter((each) => !known.has(keyOf(each))).map((each) => ({ ...each, amount: 0n }))]
}

const keyOf = ({ env, provider, country, currency }: Float) => [env, provider, country, currency].join('/')

/** Returns the mark before, if there was one. */
export async function setMark(tx: Tx, float: Float, mark: bigint): Promise<bigint | undefined> {
  const before = await lockMark(tx, float)
  const { env, provider, country, currency } = float
  await tx.query(sql`
    insert into float_marks (env, provider, country, currency, mark)
    values (${env}, ${provider}, ${country}, ${currency}, ${mark})
    on conflict (env, provider, country, currency) do update
    set mark = excluded.mark, set_at = record_time()`)
  return before
}

/** Returns the mark before, if there was one. */
export async function removeMark(tx: Tx, float: Float): Promise<bigint | undefined> {
  const before = await lockMark(tx, float)
  const { env, provider, country, currency } = float
  await tx.query(sql`
    delete from float_marks
    where (env, provider, country, currency) = (${env}, ${provider}, ${country}, ${currency})`)
  return before
}

/** Locked, so that the audit row of each of two changes at once has the right value before. */
async function lockMark(tx: Tx, { env, provider, country, currency }: Float): Promise<bigint | undefined> {
  const [found] = await tx.query<{ mark: bigint }>(sql`
    select mark
    from float_marks
    where (env, provider, country, currency) = (${env}, ${provider}, ${country}, ${currency})
    for no key update`)
  return found?.mark
}
