-- Sums of the past days of wallets: without them the dashboard adds up a month of the ledger at each start of a process.
set local role malipo_owner;

-- The lines of a wallet's statement on one day that are alike, added up. A worker adds a day when the wallet has a later line: each
-- line of a wallet is later than the one before, under the wallet's lock, so no transaction can still add one to that day. Days are
-- added in order and whole, in one statement, so the newest day of a wallet says how far it is added up; a day without lines has no
-- row. Append-only, like the lines.
--
-- Grows with the days on which a wallet moved, not with its payments: a few rows of about 150 bytes for each such day, which is
-- 200 MB a year for 1,000 wallets that charge, pay out and refund every day. So it is not partitioned. Rows that are lost or deleted
-- from the newest day on are added again from the ledger.
create table wallet_day_sums (
  wallet_id uuid not null,
  -- Days since 1970 in UTC, like entry_at, which is in microseconds.
  day integer not null,
  event text not null,
  number smallint not null,
  -- The payment's method; '' where no payment caused the line.
  method text not null,
  is_credit boolean not null,
  amount bigint not null constraint wallet_day_sums_amount_positive check (amount > 0),
  count bigint not null constraint wallet_day_sums_count_positive check (count > 0),
  primary key (wallet_id, day, event, number, method, is_credit)
);

grant select on wallet_day_sums to malipo_write, malipo_read;
grant insert (wallet_id, day, event, number, method, is_credit, amount, count) on wallet_day_sums to malipo_write;

-- Row security, as of transfers in 0010_row_security.sql.
alter table wallet_day_sums enable row level security, force row level security;
create policy write_all on wallet_day_sums to malipo_write using (true) with check (true);
create policy read_own on wallet_day_sums for select to malipo_read
  using (wallet_id in (select id from wallets));
