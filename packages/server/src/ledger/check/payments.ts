import { sql } from '../../platform/db.ts'

/**
 * Payments with a transfer in these batches whose books do not say what their state says. State and books change in one
 * transaction, so in one snapshot they agree or somebody has touched them.
 */
export const paymentsOf = (from: bigint, below: bigint) => sql`
  with touched as (
    select distinct transaction_id as id
    from transfers
    where batch >= ${from}
      and batch < ${below}
  ), books as (
    select p.id, p.type, p.state, p.discrepancy, p.amount, p.wallet_amount, p.fee,
      count(*) filter (where t.kind = 'hold') as holds,
      coalesce(sum(t.amount) filter (where t.kind = 'hold'), 0) as held,
      count(*) filter (where t.kind = 'post') as posts,
      count(*) filter (where t.kind = 'void') as voids,
      coalesce(sum(t.amount) filter (where t.kind = 'transfer' and t.event = 'payout_successful'), 0) as paid,
      coalesce(sum(t.amount) filter (where t.event = 'charge_successful' and t.wallet_id = t.credit_account), 0) as received,
      bool_or(t.event in ('payout_successful_late', 'charge_successful_late')) as is_late,
      bool_or(t.event in ('payout_reversed', 'charge_reversed')) as is_reversed
    from touched
    join transactions p using (id)
    join transfers t on t.transaction_id = p.id
    group by p.id
  )
  select id, type, state
  from books
  where is_late <> (discrepancy ~ 'late_success|stray_success')
    or is_reversed <> (discrepancy ~ 'reversed')
    or (type = 'withdrew' and (
      held <> amount + fee
      or posts <> case state when 'successful' then holds else 0 end
      or voids <> case state when 'failed' then holds else 0 end
      or paid <> case state when 'successful' then amount else 0 end
    ))
    or (type = 'deposit' and received <> case state when 'successful' then wallet_amount else 0 end)
  limit 1`

/** Payments that should be in the books and are not there at all. Looks at every payment, so only a full check asks. */
export const paymentsWithoutBooks = sql`
  select p.id, p.type, p.state
  from transactions p
  where (p.type = 'withdrew' or p.state = 'successful')
    and not exists (select from transfers t where t.transaction_id = p.id)
  limit 1`
