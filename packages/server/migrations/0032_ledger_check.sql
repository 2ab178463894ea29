-- What `malipo ledger check` remembers between and during its runs, and how months are stored that are updated often.
set local role malipo_owner;

-- The sums of the wallet's days up to this one were compared with its balance after that day: an ordinary check compares later days
-- only.
alter table checked_accounts
  add column day integer,
  add column day_balance bigint,
  add constraint checked_accounts_day_is_whole check ((day is null) = (day_balance is null));

grant update (day, day_balance) on checked_accounts to malipo_write;

-- The archived month whose retained transfers an ordinary check compared last: each compares the next one.
alter table ledger_checkpoints add column retained_month date;

grant update (retained_month) on ledger_checkpoints to malipo_write;

-- One row: how far `malipo ledger check --full` has come, so that it can be resumed after a kill. No other check reads it.
create table full_checks (
  id boolean primary key default true constraint full_checks_one_row check (id),
  -- Which run it is: one that finds another here was overtaken.
  run uuid not null,
  started_at timestamptz not null,
  -- Everything below this batch is checked, and is in full_check_accounts.
  checked_below bigint not null default 0,
  batches bigint not null default 0,
  transfers bigint not null default 0,
  -- The newest seal when the run started, and a hash over the archived months: of other books it is not resumed.
  seal bigint not null,
  seal_hash bytea not null,
  archived_hash bytea not null
);

-- The counters of each account and the last line of each wallet, as that check found them.
create table full_check_accounts (
  account_id uuid primary key,
  debits_pending bigint not null,
  debits_posted bigint not null,
  credits_pending bigint not null,
  credits_posted bigint not null,
  entry_at bigint,
  balance bigint,
  constraint full_check_accounts_line_is_whole check ((entry_at is null) = (balance is null))
);

grant select, insert, update, delete on full_checks, full_check_accounts to malipo_write;

-- Row security: as of ledger_checkpoints in 0010_row_security.sql, but the owner needs neither.
alter table full_checks enable row level security, force row level security;
create policy write_all on full_checks to malipo_write using (true) with check (true);
alter table full_check_accounts enable row level security, force row level security;
create policy write_all on full_check_accounts to malipo_write using (true) with check (true);

-- Storage of months whose rows change after they were written. A fifth of each page stays free, so that the new version of a row is
-- written beside the old one. Vacuum and analyze run after 2 % of the rows changed, not after 20 % and 10 %, so each has less to do.
create function storage_of_months(parent regclass) returns text
language sql stable strict
return case
  when (select relname from pg_class where oid = parent) in ('transactions', 'attempts', 'webhook_records')
    then '(fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)'
end;

-- As in 0002_platform.sql, with the storage settings of the month's table.
create or replace function attach_months(parent regclass, ahead integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set lock_timeout = '200ms'
as $$
declare
  month date;
  part text;
  attached integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('attach_months', parent::oid::bigint)) then
    return -1;
  end if;
  for step in 0..ahead loop
    month := date_trunc('month', record_time() at time zone 'UTC') + make_interval(months => step);
    part := month_of(parent, month);
    continue when to_regclass(format('public.%I', part)) is not null;
    execute format('create table public.%I (like %s including all) %s', part, parent, 'with ' || storage_of_months(parent));
    execute format('alter table public.%I enable row level security, force row level security', part);
    execute format(
      'alter table %s attach partition public.%I for values from (%L) to (%L)',
      parent, part,
      id_at(month::timestamp at time zone 'UTC'),
      id_at((month + interval '1 month')::timestamp at time zone 'UTC')
    );
    attached := attached + 1;
  end loop;
  return attached;
end
$$;

-- Existing months: changes the catalogue only, and blocks neither reads nor writes. Rows that are there stay where they are.
do $$
declare
  part record;
begin
  for part in
    select i.inhrelid::regclass as name, storage_of_months(i.inhparent) as storage
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid and c.relkind = 'r'
    where storage_of_months(i.inhparent) is not null
  loop
    execute format('alter table %s set %s', part.name, part.storage);
  end loop;
end
$$;
