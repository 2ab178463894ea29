-- Search: how a merchant finds its own transactions by what it remembers of them.
set local role malipo_owner;

-- What a merchant finds a transaction by: the same hashes as in payment_lookups of numbers, provider receipts and opened
-- accounts, and keyed hashes of the first word and the first two words of the counterparty's name. `malipo secrets reseal`
-- moves the keyed ones together with the sealed counterparty. The key starts with the owner and ends with the
-- transaction, so one value is a range of the index in the order of time that holds nothing of other merchants: a page
-- costs the same however often the value occurs, here or elsewhere. Written in the transaction that writes the value.
create table merchant_lookups (
  merchant_id uuid not null,
  env environment not null,
  hash bigint not null,
  transaction_id uuid not null,
  primary key (merchant_id, env, hash, transaction_id)
) partition by range (transaction_id);

grant select, insert, delete on merchant_lookups to malipo_write;
grant select on merchant_lookups to malipo_read;

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
    part := month_of('merchant_lookups', month);
    execute format(
      'create table %I partition of merchant_lookups for values from (%L) to (%L)',
      part,
      id_at(month::timestamp at time zone 'UTC'),
      id_at((month + interval '1 month')::timestamp at time zone 'UTC')
    );
    execute format('alter table %I enable row level security, force row level security', part);
  end loop;
end
$$;
select attach_months('merchant_lookups', 3);

-- Row security binds the owner too, and only malipo_write has a policy here.
alter table unindexed_payments no force row level security;
-- The worker that indexes older payments writes these lookups too: all payments from before this file, and, once a day
-- has passed, those that processes of the previous release may still have accepted or ended. Staff find the older ones as
-- before; a find only reports them until they are indexed again. A new database has none.
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
)
on conflict do nothing;
alter table unindexed_payments force row level security;

-- Row security, as in 0010_row_security.sql.
alter table merchant_lookups enable row level security, force row level security;
create policy write_all on merchant_lookups to malipo_write using (true) with check (true);
create policy insert_for_named on merchant_lookups as restrictive for insert to malipo_write
  with check (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null));
create policy delete_for_named on merchant_lookups as restrictive for delete to malipo_write
  using (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null));
create policy read_own on merchant_lookups for select to malipo_read
  using (merchant_id = (select current_merchant()) and env = (select current_environment()));
