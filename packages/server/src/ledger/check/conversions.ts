import { part, sql } from '../../platform/db.ts'
import { type IdRange, within } from './months.ts'

/**
 * Conversions among these payments that do not move exactly what their row states: `wallet_amount` out of the
 * transaction's wallet, `amount` into the same merchant's wallet of the other currency and country, and the spread to the income
 * of the first currency. A conversion is successful from the start and has no fee.
 */
export const conversionsOf = (ids: readonly string[], ranges: readonly IdRange[]) => sql`
  with books as (
    select p.id, p.type, p.state, p.amount, p.wallet_amount, p.fee, p.currency <> p.wallet_currency as is_across,
      (p.rate ->> 'spread')::bigint as spread,
      count(*) filter (where t.event not in ('conversion', 'debt_collected') or t.kind <> 'transfer') as others,
      coalesce(sum(t.amount) filter (where t.event = 'conversion' and t.debit_account = p.wallet_id
        and t.currency = p.wallet_currency), 0) as taken,
      coalesce(sum(t.amount) filter (where t.event = 'conversion' and t.credit_account = w.id
        and t.currency = p.currency), 0) as credited,
      coalesce(sum(t.amount) filter (where t.event = 'conversion' and a.id is not null
        and t.currency = p.wallet_currency), 0) as earned,
      coalesce(sum(t.amount) filter (where t.event = 'conversion'), 0) as total
    from transactions p
    join transfers t on t.transaction_id = p.id
    left join wallets w on (w.merchant_id, w.env, w.currency, w.country) = (p.merchant_id, p.env, p.currency, p.country)
    left join platform_accounts a on a.id = t.credit_account and a.kind = 'fx_income'
    where p.id = any(${ids}::uuid[])
      and p.type = 'conversion'
      and ${within(part`p.id`, ranges)}
      and ${within(part`t.transaction_id`, ranges)}
    group by p.id
  )
  select id, type, state
  from books
  where state <> 'successful'
    or fee <> 0
    or not is_across
    or spread is null
    or others > 0
    or (taken, credited, earned) is distinct from (wallet_amount, amount, spread)
    or total <> wallet_amount + amount + spread
  limit 1`
