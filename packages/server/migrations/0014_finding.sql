-- Finding: how staff find a payment by what a caller knows of it, and the low-water marks of floats.
set local role malipo_owner;

-- What a payment can be found by: the first 8 bytes of a hash of its reference, of the number of its counterparty, of its
-- provider receipts, or of the account opened for it. Hashes of numbers are keyed, so a copy of the database alone finds
-- no number; `malipo secrets reseal` moves them together with the sealed number. A find compares references and numbers,
-- which merchants choose, with the payment itself. Written in the transaction that writes the value. Partitioned by the
-- payment's month: the index that is written stays small, and a find reads a few index pages of each month.
create table payment_lookups (
  hash bigint not null,
  transaction_id uuid not null,
  primary key (hash, transaction_id)
) partition by range (transaction_id);

grant select, insert, delete on payment_lookups to malipo_write;

-- The months in which there are payments already, then the months ahead.
do $$
declare
  month date;
  part text;
begin
  for month in
    select to_date(right(c.relname, 6), 'YYYYMM')
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'transactions'::regclass
  loop
    part := month_of('payment_lookups', month);
    execute format(
      'create table %I partition of payment_lookups for values from (%L) to (%L)',
      part,
      id_at(month::timestamp at time zone 'UTC'),
      id_at((month + interval '1 month')::timestamp at time zone 'UTC')
    );
    execute format('alter table %I enable row level security, force row level security', part);
  end loop;
end
$$;
select attach_months('payment_lookups', 3);

-- Ranges of payments that may have no lookups yet. A worker adds the missing ones from the newest down, lowers id_below
-- in the same transaction, and deletes the row at the end. A find reports what is left.
create table unindexed_payments (
  id_from uuid not null,
  id_below uuid not null,
  primary key (id_from, id_below)
);

-- Payments from before this file; and, once a day has passed, those that processes of the previous release may still
-- have accepted or ended. Neither exists in a new database.
insert into unindexed_payments (id_from, id_below)
select id_from, id_below
from (
  values
    ('00000000-0000-0000-0000-000000000000'::uuid, id_at(record_time())),
    (id_at(record_time() - interval '3 days'), id_at(record_time() + interval '1 day'))
) as missing (id_from, id_below)
where exists (
  select
  from pg_inherits
  where inhparent = 'transactions'::regclass
    and pg_relation_size(inhrelid) > 0
);

grant select, delete, update (id_below) on unindexed_payments to malipo_write;

-- Low-water marks: below this amount a float must be topped up. At most one for each float, set by an operator in the
-- transaction of its audit row. A float without a row has no mark.
create table float_marks (
  env environment not null,
  provider text not null,
  country text not null constraint float_marks_country_is_iso2 check (country ~ '^[A-Z]{2}$'),
  currency text not null constraint float_marks_currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  -- In minor units.
  mark bigint not null constraint float_marks_mark_positive check (mark > 0),
  set_at timestamptz not null default record_time(),
  primary key (env, provider, country, currency)
);

grant select, insert, delete, update (mark, set_at) on float_marks to malipo_write;

do $$
declare
  name text;
begin
  foreach name in array array['payment_lookups', 'unindexed_payments', 'float_marks'] loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy write_all on %I to malipo_write using (true) with check (true)', name);
  end loop;
end
$$;
