-- Limits of the currency that is paid also count a payout from a wallet of another currency.
set local role malipo_owner;

-- The paid side of a payout whose wallet has another currency: what is paid, and the kinds of payout_days in that currency that
-- count it. The columns from before are the wallet's side. Constant defaults: no row is rewritten.
alter table controlled_payouts
  add column paid_currency text,
  add column paid_amount bigint,
  add column paid_counted text[] not null default '{}';
-- Not checked for old rows, which have none: reading them all would block payouts.
alter table controlled_payouts add constraint controlled_payouts_paid_side_is_whole check (
  num_nulls(paid_currency, paid_amount) in (0, 2)
  and paid_amount >= 0
  and (paid_currency is not null or paid_counted = '{}')
) not valid;
