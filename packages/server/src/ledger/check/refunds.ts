import { part, sql } from '../../platform/db.ts'
import { type IdRange, within } from './months.ts'

export interface RefundedCharges {
  readonly charges: readonly string[]
  /** Where these charges are. */
  readonly ofCharges: readonly IdRange[]
  /** Where their refunds are. */
  readonly ofRefunds: readonly IdRange[]
}

/**
 * Those of these charges whose totals differ from their refunds, of which more went back than came in, or whose
 * refunds returned another part of the charge's fee than its rule says. A payout in place of a refund returns none of it. Refunds,
 * totals and books change in one transaction, so in one snapshot they agree.
 */
export const refundsOf = ({ charges, ofCharges, ofRefunds }: RefundedCharges) => sql`
  with charges as (
    select c.id, c.type, c.state, c.merchant_id, c.env, c.wallet_id, c.adjusted, c.fee,
      case when c.method = 'bank-transfer' then c.received else c.amount end as collected,
      coalesce((c.fee_rule ->> 'isReturned')::boolean, false) as is_returned,
      coalesce(r.pending, 0) as pending, coalesce(r.successful, 0) as successful
    from transactions c
    left join refund_totals r on r.charge_id = c.id and ${within(part`r.charge_id`, ofCharges)}
    where c.id = any(${charges}::uuid[])
      and ${within(part`c.id`, ofCharges)}
  ), refunds as (
    select l.charge_id,
      bool_and(p.merchant_id = c.merchant_id and p.env = c.env and p.related_transaction_id = c.id) as is_fit,
      coalesce(sum(p.amount) filter (where p.state = 'successful'), 0) as successful,
      coalesce(sum(p.amount) filter (where p.state not in ('successful', 'failed')), 0) as pending,
      coalesce(sum(f.amount), 0) as fee,
      coalesce(sum(f.amount) filter (where p.type <> 'refund'), 0) as fee_elsewhere,
      bool_or(p.type <> 'refund') as is_elsewhere
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
        and ${within(part`t.transaction_id`, ofRefunds)}
    ) f on true
    where ${within(part`l.charge_id`, ofCharges)}
      and ${within(part`p.id`, ofRefunds)}
    group by l.charge_id
  )
  select c.id, c.type, c.state
  from charges c
  left join refunds r on r.charge_id = c.id
  cross join lateral (
    select case when c.is_returned then c.fee * least(c.successful, c.collected) / c.collected else 0 end as fee
  ) d
  where r.is_fit is not true
    or c.type <> 'deposit'
    or c.state <> 'successful'
    or c.pending <> r.pending
    or c.successful <> r.successful
    or c.pending + c.successful > c.collected + greatest(c.adjusted, 0)
    or r.fee_elsewhere <> 0
    or r.fee > d.fee
    or (r.fee < d.fee and not r.is_elsewhere)
  limit 1`

/**
 * Totals that the refunds of their charge do not explain, or whose turn belongs to no open refund of it, so that the next waits for
 * ever. Finds also a refund that no longer names its charge. Reads all totals of these months, so only a full check runs it.
 */
export const totalsWithoutRefunds = (ranges: readonly IdRange[]) => sql`
  select r.charge_id as id, 'pending ' || r.pending as type, 'successful ' || r.successful as state
  from refund_totals r
  where ${within(part`r.charge_id`, ranges)} and ((r.pending, r.successful) <> (
      select coalesce(sum(p.amount) filter (where p.state not in ('successful', 'failed')), 0),
        coalesce(sum(p.amount) filter (where p.state = 'successful'), 0)
      from refunds_of_charges l
      join transactions p on p.id = l.transaction_id and p.related_transaction_id = l.charge_id
      where l.charge_id = r.charge_id
        and ${within(part`l.charge_id`, ranges)}
    )
    or (r.turn_of is not null and not exists (
      select
      from transactions p
      where p.id = r.turn_of
        and p.type = 'refund'
        and p.related_transaction_id = r.charge_id
        and p.state not in ('successful', 'failed')
    )))
  limit 1`
