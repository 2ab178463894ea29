import { sql } from '../../platform/db.ts'

/**
 * Payments with a transfer in these batches whose books contradict their state. State and books change in one transaction, so in
 * one snapshot they agree unless a row was tampered with. Amounts that touch the wallet or are earned by an exchange are in the
 * wallet's currency, all others in the payment's.
 */
export const paymentsOf = (from: bigint, below: bigint) => sql`
  with touched as (
    select distinct transaction_id as id from transfers where batch >= ${from} and batch < ${below}
  ), books as (
    select p.id, p.type, p.state, p.amount, p.wallet_amount, p.fee, p.method, p.received as came,
      p.currency <> p.wallet_currency as is_across, p.rate is not null as has_rate,
      coalesce((p.rate ->> 'spread')::bigint, 0) as spread,
      bool_or(t.currency <> case when t.wallet_id is null and a.id is null then p.currency else p.wallet_currency end)
        as is_in_another_currency,
      count(*) filter (where t.kind = 'hold') as holds,
      coalesce(sum(t.amount) filter (where t.kind = 'hold' and t.wallet_id is not null), 0) as held,
      coalesce(sum(t.amount) filter (where t.kind = 'hold' and t.wallet_id is null), 0) as held_across,
      coalesce(sum(t.amount) filter (where t.phase = 0 and a.id is not null), 0) as earned,
      count(*) filter (where t.kind = 'post') as posts,
      count(*) filter (where t.kind = 'void') as voids,
      coalesce(sum(t.amount) filter (where t.kind = 'transfer' and t.wallet_id is null
        and t.event in ('payout_successful', 'refund_successful')), 0) as paid,
      coalesce(sum(t.amount) filter (where t.wallet_id = t.credit_account
        and t.event in ('charge_successful', 'charge_successful_into_another_currency', 'receipts_complete')), 0) as received,
      coalesce(sum(t.amount) filter (where t.wallet_id = t.debit_account
        and t.event in ('charge_successful', 'charge_successful_into_another_currency', 'receipts_complete')), 0) as charged,
      coalesce(sum(t.amount) filter (where t.wallet_id is null and a.id is null
        and t.event = 'charge_successful_into_another_currency'), 0) as received_across,
      coalesce(sum(t.amount) filter (where t.event = 'receipt_taken'), 0) as booked,
      coalesce(sum(case t.event when 'receipt_reversed' then t.amount when 'receipt_restored' then -t.amount end), 0)
        as taken_back
    from touched
    join transactions p using (id)
    join transfers t on t.transaction_id = p.id
    left join platform_accounts a on a.id = t.credit_account and a.kind = 'fx_income'
    where p.type not in ('conversion', 'adjustment')
    group by p.id
  )
  select id, type, state
  from books
  where is_across <> has_rate or is_in_another_currency
    or (type in ('withdrew', 'refund') and (
      held <> wallet_amount + fee
      or held_across <> case when is_across then amount else 0 end
      or earned <> spread
      or posts <> case state when 'successful' then holds else 0 end
      or voids <> case state when 'failed' then holds else 0 end
      or paid <> case state when 'successful' then amount else 0 end
    ))
    or (type = 'deposit' and (
      received <> case
        when state <> 'successful' then 0
        when method = 'bank-transfer' then came
        else wallet_amount
      end
      or received_across <> case when state = 'successful' and is_across then amount else 0 end
      or earned <> case state when 'successful' then spread else 0 end
      or charged <> case state when 'successful' then fee else 0 end
    ))
    or (booked, came) <> (
      select coalesce(sum(r.amount) filter (where not r.is_late), 0),
        coalesce(sum(r.amount) filter (where not r.is_late), 0) - taken_back
      from receipts r
      where r.transaction_id = books.id
    )
  limit 1`

/** Payments that should be in the books and are missing. Reads every payment, so only a full check runs it. */
export const paymentsWithoutBooks = sql`
  select p.id, p.type, p.state
  from transactions p
  where (p.type in ('withdrew', 'refund') or p.state = 'successful')
    and not exists (select from transfers t where t.transaction_id = p.id)
  limit 1`
