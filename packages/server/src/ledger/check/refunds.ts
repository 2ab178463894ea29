import { sql } from '../../platform/db.ts'

/**
 * Charges with a refund in these batches whose totals differ from their refunds, of which more went back than came in, or whose
 * refunds returned another part of the charge's fee than its rule says. Refunds, totals and books change in one transaction, so
 * in one snapshot they agree.
 */
export const refundsOf = (from: bigint, below: bigint) => sql`
  with touched as (
    select distinct p.related_transaction_id as id
    from transfers t
    join transactions p on p.id = t.transaction_id
    where t.batch >= ${from}
      and t.batch < ${below}
      and p.type in ('refund', 'withdrew')
      and p.related_transaction_id is not null
  ), charges as (
    select c.id, c.type, c.state, c.merchant_id, c.env, c.adjusted, c.fee,
      case when c.method = 'bank-transfer' then c.received else c.amount end as collected,
      coalesce((c.fee_rule ->> 'isReturned')::boolean, false) as is_returned,
      coalesce(r.pending, 0) as pending, coalesce(r.successful, 0) as successful
    from touched
    join transactions c using (id)
    left join refund_totals r on r.charge_id = c.id
  ), refunds as (
    select l.charge_id,
      bool_and(p.merchant_id = c.merchant_id and p.env = c.env and p.related_transaction_id = c.id) as is_fit,
      coalesce(sum(p.amount) filter (where p.state = 'successful'), 0) as successful,
      coalesce(sum(p.amount) filter (where p.state not in ('successful', 'failed')), 0) as pending,
      coalesce(sum(f.amount), 0) as fee
    from charges c
    join refunds_of_charges l on l.charge_id = c.id
    join transactions p on p.id = l.transaction_id
    left join lateral (
      select sum(t.amount) as amount
      from transfers t
      where t.transaction_id = p.id
        and t.kind = 'transfer'
        and t.wallet_id = t.credit_account
        and t.event in ('payout_successful', 'refund_successful')
    ) f on true
    group by l.charge_id
  )
  select c.id, c.type, c.state
  from charges c
  left join refunds r on r.charge_id = c.id
  where r.is_fit is not true
    or c.type <> 'deposit'
    or c.state <> 'successful'
    or c.pending <> r.pending
    or c.successful <> r.successful
    or c.pending + c.successful > c.collected + greatest(c.adjusted, 0)
    or r.fee <> case when c.is_returned then c.fee * least(c.successful, c.collected) / c.collected else 0 end
  limit 1`
