import { part, sql } from '../../platform/db.ts'
import { type IdRange, inPiece, type Piece, within } from './months.ts'

/**
 * Payments with a transfer in these batches whose books contradict their state. State and books change in one transaction, so in
 * one snapshot they agree unless a row was tampered with. Amounts that touch the wallet or are earned by an exchange are in the
 * wallet's currency, all others in the payment's.
 */
export const paymentsOf = (piece: Piece) => sql`
  with fx as materialized (
    select coalesce(array_agg(id), '{}') as accounts from platform_accounts where kind = 'fx_income'
  ), books as (
    select p.id, p.type, p.state, p.amount, p.wallet_amount, p.fee, p.method, p.received as came,
      p.currency <> p.wallet_currency as is_across, p.rate is not null as has_rate,
      coalesce((p.rate ->> 'spread')::bigint, 0) as spread, b.*
    from (select distinct transaction_id as id from transfers where ${inPiece(piece)}) touched
    cross join lateral (
      select *
      from transactions
      where id = touched.id
        and ${within(part`id`, piece.ranges)}
      limit 1
    ) p
    cross join lateral (
      select
        bool_or(t.currency <> case when t.wallet_id is null and not t.is_earned then p.currency else p.wallet_currency end)
          as is_in_another_currency,
        count(*) filter (where t.kind = 'hold') as holds,
        coalesce(sum(t.amount) filter (where t.kind = 'hold' and t.wallet_id is not null), 0) as held,
        coalesce(sum(t.amount) filter (where t.kind = 'hold' and t.wallet_id is null), 0) as held_across,
        coalesce(sum(t.amount) filter (where t.phase = 0 and t.is_earned), 0) as earned,
        count(*) filter (where t.kind = 'post') as posts,
        count(*) filter (where t.kind = 'void') as voids,
        coalesce(sum(t.amount) filter (where t.kind = 'transfer' and t.wallet_id is null
          and t.event in ('payout_successful', 'refund_successful')), 0) as paid,
        coalesce(sum(t.amount) filter (where t.wallet_id = t.credit_account
          and t.event in ('charge_successful', 'charge_successful_into_another_currency', 'receipts_complete')), 0) as received,
        coalesce(sum(t.amount) filter (where t.wallet_id = t.debit_account
          and t.event in ('charge_successful', 'charge_successful_into_another_currency', 'receipts_complete')), 0) as charged,
        coalesce(sum(t.amount) filter (where t.wallet_id is null and not t.is_earned
          and t.event = 'charge_successful_into_another_currency'), 0) as received_across,
        coalesce(sum(t.amount) filter (where t.event = 'receipt_taken'), 0) as booked,
        coalesce(sum(case t.event when 'receipt_reversed' then t.amount when 'receipt_restored' then -t.amount end), 0)
          as taken_back
      from (
        select *, credit_account = any((select accounts from fx)::uuid[]) as is_earned
        from transfers
        where transaction_id = p.id
          and ${within(part`transaction_id`, piece.ranges)}
      ) t
    ) b
    where p.type not in ('conversion', 'adjustment')
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
        and ${within(part`r.transaction_id`, piece.ranges)}
    )
  limit 1`

/** Payments of these months that should be in the books and are missing. Reads every payment, so only a full check runs it. */
export const paymentsWithoutBooks = (ranges: readonly IdRange[]) => sql`
  select p.id, p.type, p.state
  from transactions p
  where (p.type in ('withdrew', 'refund') or p.state = 'successful')
    and ${within(part`p.id`, ranges)}
    and not exists (select from transfers t where t.transaction_id = p.id and ${within(part`t.transaction_id`, ranges)})
  limit 1`
