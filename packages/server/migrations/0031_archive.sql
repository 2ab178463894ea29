-- Archived months: `malipo archive` moves transfers of old months to files. Decision: docs/decisions/archive.md.
set local role malipo_owner;

-- A month whose transfers are in a file. The row is written in the transaction that removes them, so the database knows the true file.
create table archived_months (
  -- The first day of the month.
  month date primary key constraint archived_months_month_is_a_first_day check (extract(day from month) = 1),
  -- The ids of the month: from the first, below the end.
  first_id uuid not null generated always as (id_at(month::timestamp at time zone 'UTC')) stored,
  end_id uuid not null generated always as (id_at((month + interval '1 month')::timestamp at time zone 'UTC')) stored,
  -- How many transfers are in the file, and its SHA-256.
  transfers bigint not null constraint archived_months_not_empty check (transfers > 0),
  file_hash bytea not null constraint archived_months_hash_is_sha256 check (length(file_hash) = 32),
  -- Every transfer of the month in a batch below this number is either in the file or retained here.
  below bigint not null,
  -- The retained transfers of these batches, and the SHA-256 of the SHA-256 of each of their lines.
  retained_transfers bigint not null,
  retained_hash bytea not null,
  at timestamptz not null default record_time()
);

grant select on archived_months to malipo_write;

-- Row security: as of database_cell in 0030_cell.sql. Only the owner archives and restores.
alter table archived_months enable row level security, force row level security;
create policy own_all on archived_months to malipo_owner using (true) with check (true);
create policy write_all on archived_months to malipo_write using (true) with check (true);

-- A transfer as a line of an archive file: COPY's text format.
create function archive_line(t transfers) returns text
language sql immutable parallel safe
return t.transaction_id::text || E'\t' || t.number::text || E'\t' || t.phase::text || E'\t' || t.kind || E'\t' || t.event
  || E'\t' || t.debit_account::text || E'\t' || t.credit_account::text || E'\t' || t.amount::text || E'\t' || t.currency
  || E'\t' || coalesce(t.wallet_id::text, E'\\N') || E'\t' || coalesce(t.entry_at::text, E'\\N')
  || E'\t' || coalesce(t.balance::text, E'\\N') || E'\t' || t.batch::text || E'\t' || t.position::text;

-- Creates the table that is filled to replace a month, empty. A run that was killed may have left one. malipo_write may fill it,
-- until it is attached.
create function start_transfers_copy(month date) returns void
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
begin
  drop table if exists public.transfers_copy;
  -- A vacuum of the filled table would make every try to replace the month fail.
  create table public.transfers_copy (like public.transfers including all) with (autovacuum_enabled = off);
  -- With its bounds as a constraint, the table is attached without being read while payments wait.
  execute format('alter table public.transfers_copy add constraint transfers_copy_of_month
      check (transaction_id >= %L and transaction_id < %L)',
    id_at(month::timestamp at time zone 'UTC'), id_at((month + interval '1 month')::timestamp at time zone 'UTC'));
  grant select, insert on public.transfers_copy to malipo_write;
end
$$;

-- Lets replace_month find the newest batches of a month by index. Called before it, because it waits for a vacuum.
create function prepare_month(month date) returns void
language plpgsql
set search_path = pg_catalog, public, pg_temp
as $$
begin
  perform brin_summarize_new_values(i.indexrelid)
  from pg_index i
  join pg_class c on c.oid = i.indexrelid
  join pg_am a on a.oid = c.relam
  where i.indrelid = format('public.%I', month_of('public.transfers', month))::regclass
    and a.amname = 'brin';
end
$$;

-- Puts the filled table in the place of a month, with the transfers that were written since. It waits at most 100 ms for each lock.
-- The parent, which payments need, is locked last, and then only the catalogue changes. A table with another number of transfers is
-- that of another run or of another database, and replaces nothing.
create function replace_month(month date, below bigint, expected bigint) returns void
language plpgsql
set search_path = pg_catalog, public, pg_temp
set lock_timeout = '100ms'
set enable_seqscan = off
as $$
declare
  part text := month_of('public.transfers', month);
  index_name text;
  found bigint;
begin
  lock table public.transfers_copy in access exclusive mode;
  select count(*) into found from public.transfers_copy;
  if found <> expected then
    raise exception 'transfers_copy has % transfers in place of %: nothing was replaced', found, expected;
  end if;
  execute format('lock table public.%I in access exclusive mode', part);
  execute format('alter table public.transfers detach partition public.%I', part);
  -- The owner reads a month only here, where no other role can reach it any more.
  execute format('alter table public.%I no force row level security', part);
  execute format('insert into public.transfers_copy select * from public.%I where batch >= %s', part, below);
  execute format('drop table public.%I', part);
  revoke all on public.transfers_copy from malipo_write;
  alter table public.transfers_copy enable row level security, force row level security;
  execute format('alter table public.transfers_copy rename to %I', part);
  for index_name in select relname from pg_index join pg_class on oid = indexrelid where indrelid = format('public.%I', part)::regclass
  loop
    execute format('alter index public.%I rename to %I', index_name, replace(index_name, 'transfers_copy', part));
  end loop;
  execute format('alter table public.transfers attach partition public.%I for values from (%L) to (%L)', part,
    id_at(month::timestamp at time zone 'UTC'), id_at((month + interval '1 month')::timestamp at time zone 'UTC'));
  execute format('alter table public.%I drop constraint transfers_copy_of_month, reset (autovacuum_enabled)', part);
end
$$;

revoke execute on function start_transfers_copy, prepare_month, replace_month from public;

-- Days are counted from 1970, so this is before the year 2244: no sum of a day can make the ledger check fail by its size.
alter table wallet_day_sums add constraint wallet_day_sums_day_is_near check (day between 0 and 100000);
