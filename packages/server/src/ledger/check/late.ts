import { part, sql } from '../../platform/db.ts'
import { type IdRange, within } from './months.ts'

/**
 * Adjustments among these payments that do not move the stated amount, or whose first transaction is missing or does
 * not name them. What a debit could not take from the wallet is owed.
 */
export const adjustmentsOf = (ids: readonly string[], ranges: readonly IdRange[], ofFirst: readonly IdRange[]) => sql`
  with books as (
    select p.id, p.type, p.direction, p.wallet_amount, p.fee, p.reason, first.id as first_id, first.adjustments,
      first.merchant_id = p.merchant_id and first.env = p.env and first.type <> 'adjustment' as is_fit,
      coalesce(sum(case when t.wallet_id = t.credit_account then t.amount else -t.amount end)
        filter (where t.wallet_id is not null and t.event <> 'debt_collected'), 0) as moved,
      coalesce(sum(t.amount) filter (where a.id is not null), 0) as owed
    from transactions p
    join transfers t on t.transaction_id = p.id
    left join platform_accounts a on a.id = t.debit_account and a.kind = 'receivable'
    left join transactions first on first.id = p.related_transaction_id and ${within(part`first.id`, ofFirst)}
    where p.id = any(${ids}::uuid[])
      and p.type = 'adjustment'
      and ${within(part`p.id`, ranges)}
      and ${within(part`t.transaction_id`, ranges)}
    group by p.id, first.id
  )
  select id, type, reason as state
  from books
  where is_fit is not true
    or not id = any(adjustments)
    or moved - owed <> case direction when 'credit' then wallet_amount - fee else -wallet_amount end
  limit 1`

/**
 * Suspense accounts that differ from the sum of open cases and of charges that wait for the rest of their money. Needs one
 * snapshot: a case changes in the transaction that moves its money.
 */
export const suspenseWithoutCases = sql`
  with held as (
    select a.env, a.currency, sum(a.credits_posted + coalesce(d.credits, 0) - a.debits_posted - coalesce(d.debits, 0)) as amount
    from platform_accounts a
    left join (
      select account_id, sum(credits_posted) as credits, sum(debits_posted) as debits
      from account_deltas
      where batch >= (select folded_below from delta_folds)
      group by account_id
    ) d on d.account_id = a.id
    where a.kind = 'suspense'
    group by a.env, a.currency
  ), explained as (
    select env, currency, sum(amount) as amount
    from (
      select env, currency, amount from suspense_cases where closed_at is null
      union all
      select env, currency, received from transactions where state not in ('successful', 'failed') and received > 0
    ) parts
    group by env, currency
  )
  select coalesce(h.env, e.env) || ' ' || coalesce(h.currency, e.currency) as id,
    'suspense ' || coalesce(h.amount, 0) as type, 'open cases ' || coalesce(e.amount, 0) as state
  from held h
  full join explained e using (env, currency)
  where coalesce(h.amount, 0) <> coalesce(e.amount, 0)
  limit 1`

/** Wallets whose debt differs from the balance of their receivable account. */
export const debtsWithoutBooks = sql`
  select w.id, 'owed ' || w.owed as type, 'receivable ' || coalesce(a.balance, 0) as state
  from wallets w
  left join (
    select a.wallet_id, sum(a.debits_posted - a.credits_posted + coalesce(d.debits, 0) - coalesce(d.credits, 0)) as balance
    from platform_accounts a
    left join (
      select account_id, sum(credits_posted) as credits, sum(debits_posted) as debits
      from account_deltas
      where batch >= (select folded_below from delta_folds)
      group by account_id
    ) d on d.account_id = a.id
    where a.kind = 'receivable'
    group by a.wallet_id
  ) a on a.wallet_id = w.id
  where (w.owed > 0 or a.wallet_id is not null)
    and w.owed <> coalesce(a.balance, 0)
  limit 1`
