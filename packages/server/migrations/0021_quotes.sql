-- Quotes: what a payout or a conversion will cost, for a minute.
set local role malipo_owner;

-- Figures that a merchant may execute once before they expire. A row is written when it is quoted; only `used_by` changes
-- after that, once, by the batch that accepts the transaction, which locks the row first. The terms are sealed, because
-- they name the beneficiary's account. The partitions are used in turn, each for one hour (quote_slot), and emptied whole
-- two hours later (empty_old_quotes), so no row is ever deleted by itself.
create table quotes (
  slot smallint not null,
  id uuid not null,
  merchant_id uuid not null,
  env environment not null,
  kind text not null constraint quotes_kind_is_known check (kind in ('payout', 'conversion')),
  terms text not null,
  expires_at timestamptz not null,
  -- The transaction that executed the quote.
  used_by uuid,
  primary key (id, slot)
) partition by list (slot);
create table quotes_0 partition of quotes for values in (0);
create table quotes_1 partition of quotes for values in (1);
create table quotes_2 partition of quotes for values in (2);
create table quotes_3 partition of quotes for values in (3);

grant select, insert, update (used_by) on quotes to malipo_write;
grant select on quotes to malipo_read;

-- The partition of the quotes made in the hour of this time.
create function quote_slot(at timestamptz) returns smallint
language sql immutable strict parallel safe
return (floor(extract(epoch from at) / 3600)::bigint % 4)::smallint;

-- Empties the partition of the hour before the last. That of the next hour is left alone: a transaction that starts later
-- may write there while this one runs. Locks only that partition, which no current quote is in, and waits at most 200 ms for it. Returns whether
-- there was anything to empty.
create function empty_old_quotes() returns boolean
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set lock_timeout = '200ms'
as $$
declare
  part text := 'quotes_' || quote_slot(record_time() - interval '2 hours');
  is_used boolean;
begin
  -- By its pages, since the owner too sees no row of a table with forced row security.
  select pg_relation_size(format('public.%I', part)) > 0 into is_used;
  if is_used then
    execute format('truncate public.%I', part);
  end if;
  return is_used;
end
$$;

revoke execute on function empty_old_quotes from public;
grant execute on function empty_old_quotes to malipo_write;

-- Row security, as in 0010_row_security.sql. Partitions have neither grants nor policies.
do $$
declare
  name text;
begin
  foreach name in array array['quotes', 'quotes_0', 'quotes_1', 'quotes_2', 'quotes_3'] loop
    execute format('alter table %I enable row level security, force row level security', name);
  end loop;
end
$$;
create policy write_all on quotes to malipo_write using (true) with check (true);
create policy insert_for_named on quotes as restrictive for insert to malipo_write
  with check (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null));
create policy update_for_named on quotes as restrictive for update to malipo_write
  using (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null));
create policy read_own on quotes for select to malipo_read
  using (merchant_id = current_merchant() and env = current_environment());
