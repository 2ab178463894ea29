import { sql, type Tx } from '../platform/db.ts'
import { newId } from '../platform/ids.ts'
import { actingWith } from './approver.ts'
import { type Done, type OperatorContext, type Perform, performAtOnce } from './operator-context.ts'
import { thresholdOf } from './thresholds.ts'

type Money = NonNullable<Done<unknown>['money']>

/** What one person moved alone in a day reaches the threshold: a second person is needed. */
class SecondPersonNeeded extends Error {}

/**
 * Runs an action that moves live money for one person, unless a second one is needed; then it returns undefined and nothing has
 * changed. What the person moved alone in the last 24 hours counts: an amount cannot be split to stay below the threshold.
 */
export async function actAlone(
  context: OperatorContext,
  act: (context: OperatorContext) => Promise<unknown>,
  money: Money | undefined,
): Promise<{ readonly result: unknown } | undefined> {
  if (!money || money.amount >= (await thresholdOf(context.db.write, money.currency))) return undefined
  try {
    return { result: await act({ ...context, perform: performAlone(money.currency) }) }
  } catch (error) {
    if (error instanceof SecondPersonNeeded) return undefined
    throw error
  }
}

/** The lock comes first: the work takes those of wallets, and proposals that change the threshold take this one after their own. */
const performAlone =
  (currency: string): Perform =>
  (context, work) =>
    performAtOnce(context, async (tx) => {
      const threshold = await lockThreshold(tx, currency)
      const done = await work(tx)
      const { money } = done
      if (money?.currency !== currency) throw new SecondPersonNeeded('the money has changed since the dry run')
      const moved = await movedAlone(tx, context.principal.id, currency)
      if (moved + money.amount >= threshold) throw new SecondPersonNeeded('the sum reaches the threshold')
      await tx.query(sql`
        insert into solo_movements (id, actor, currency, amount)
        values (${newId(Number(tx.atUs / 1000n), context.cell)}, ${context.principal.id}, ${currency}, ${money.amount})`)
      return done
    })

async function lockThreshold(tx: Tx, currency: string): Promise<bigint> {
  const [row] = await tx.query<{ amount: bigint }>(sql`
    select amount from approval_thresholds where currency = ${currency} for no key update`)
  return row?.amount ?? 0n
}

/** In the last 24 hours, under every identity of the person and by its machines. */
async function movedAlone(tx: Tx, actor: string, currency: string): Promise<bigint> {
  const [row] = await tx.query<{ sum: bigint }>(sql`
    select coalesce(sum(amount), 0)::bigint as sum
    from solo_movements
    where actor = any(${await actingWith(tx, actor)}::text[])
      and currency = ${currency}
      and moved_at > record_time() - interval '24 hours'`)
  return row?.sum ?? 0n
}
