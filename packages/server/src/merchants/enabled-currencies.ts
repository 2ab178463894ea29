import { AppError } from '../errors.ts'
import type { Currency } from '../money/currencies.ts'
import { createBatchLoader } from '../platform/batch-loader.ts'
import { BoundedMap } from '../platform/bounded-map.ts'
import { type Db, type Owner, sql, type Tx } from '../platform/db.ts'

/** Which currencies merchants may pay and be paid in. Cached for a few seconds, because every payment reads it. */
export interface EnabledCurrencies {
  /** Refuses a currency that the operator disabled for this merchant. */
  refuseDisabled(owner: Owner, currency: Currency): Promise<void>
}

const rememberedMs = 5000
const ownersMax = 100_000

export function createEnabledCurrencies(db: Db): EnabledCurrencies {
  const find = createBatchLoader((owners: readonly Owner[]) => disabledOf(db, owners))
  const known = new BoundedMap<string, { readonly disabled: Promise<ReadonlySet<string>>; readonly until: number }>(
    ownersMax,
  )
  const disabledFor = (owner: Owner) => {
    const key = `${owner.merchant_id} ${owner.env}`
    const found = known.get(key)
    if (found && found.until > performance.now()) return found.disabled
    const disabled = find(owner)
    known.set(key, { disabled, until: performance.now() + rememberedMs })
    disabled.catch(() => known.delete(key))
    return disabled
  }
  return {
    refuseDisabled: async (owner, currency) => {
      if ((await disabledFor(owner)).has(currency))
        throw new AppError('CURRENCY_NOT_ENABLED', { message: `${currency} is not enabled for this merchant.` })
    },
  }
}

async function disabledOf(db: Db, owners: readonly Owner[]): Promise<ReadonlySet<string>[]> {
  const rows = await db.query<Owner & { currency: string }>(sql`
    select merchant_id, env, currency
    from disabled_currencies
    join unnest(${owners.map(({ merchant_id }) => merchant_id)}::uuid[], ${owners.map(({ env }) => env)}::text[])
      as owner(merchant_id, env) using (merchant_id, env)`)
  return owners.map(
    ({ merchant_id, env }) =>
      new Set(rows.filter((row) => row.merchant_id === merchant_id && row.env === env).map(({ currency }) => currency)),
  )
}

export async function disabledCurrencies(db: Db, owner: Owner): Promise<ReadonlySet<string>> {
  const [disabled] = await disabledOf(db, [owner])
  return disabled ?? new Set()
}

/** Disables and enables currencies. Repeating a change has no effect. */
export async function changeCurrencies(
  tx: Tx,
  { merchant_id, env }: Owner,
  { enable, disable }: { readonly enable: readonly Currency[]; readonly disable: readonly Currency[] },
): Promise<void> {
  await tx.query(sql`
    delete from disabled_currencies
    where merchant_id = ${merchant_id}
      and env = ${env}
      and currency = any(${enable})`)
  await tx.query(sql`
    insert into disabled_currencies (merchant_id, env, currency)
    select ${merchant_id}, ${env}, unnest(${disable}::text[])
    on conflict do nothing`)
}
