-- The balance of a wallet at a moment: one rule for statements and for the flow of money.
set local role malipo_owner;

-- A balance is computed from later lines, never from earlier ones, which may be archived. A day that is added up keeps its sums when
-- its lines are archived, so the balance at its start is that after all such days, less what the sums from there on moved. Within
-- such a day it is the balance before the day's next line; without one, that at the end of the day. Later lines are all in the
-- table: there it is the balance before the next line, or the wallet's current one.
--
-- The planner makes it a part of the statement that calls it, which needs a function of one query without settings.
create function wallet_balance_at(wallet uuid, moment bigint) returns table (balance bigint)
language sql stable parallel safe
begin atomic
  select coalesce(
      (
        select t.balance - case when t.credit_account = t.wallet_id then t.amount else -t.amount end
        from transfers t
        where t.wallet_id = w.id
          and t.entry_at >= moment
          and t.entry_at < ends.day_end
        order by t.entry_at
        limit 1
      ),
      coalesce((
        select t.balance - case when t.credit_account = t.wallet_id then t.amount else -t.amount end
        from transfers t
        where t.wallet_id = w.id
          and t.entry_at >= greatest(ends.day_end, days.summed_to)
        order by t.entry_at
        limit 1
      ), w.credits_posted - w.debits_posted) - coalesce((
        select sum(case when s.is_credit then s.amount else -s.amount end)
        from wallet_day_sums s
        where s.wallet_id = w.id
          and s.day >= ends.day_end / 86400000000
          and s.day < days.summed_to / 86400000000
      ), 0)::bigint
    )
  from wallets w
  cross join lateral (
    select coalesce(max(s.day) + 1, 0)::bigint * 86400000000 as summed_to
    from wallet_day_sums s
    where s.wallet_id = w.id
  ) as days
  cross join lateral (
    select case when moment < days.summed_to then (moment + 86399999999) / 86400000000 * 86400000000 else moment end as day_end
  ) as ends
  where w.id = wallet;
end;
