-- What every other file builds on: time of record, monthly partitions, batch numbers, merchant scope, probe and key list.
set local role malipo_owner;

-- Environments ------------------------------------------------------------------------------------------------------

create domain environment as text
  constraint environment_is_known check (value in ('live', 'sandbox'));

-- Merchant scope: settings of the transaction that the row security policies read -----------------------------------

-- The merchant whose rows this transaction may read. Null when not set: it then reads no rows.
create function current_merchant() returns uuid
language sql stable parallel safe
return nullif(current_setting('malipo.merchant', true), '')::uuid;

create function current_environment() returns text
language sql stable parallel safe
return nullif(current_setting('malipo.environment', true), '');

-- The merchants this transaction may write for. Null when none are named: workers then write for all merchants. The
-- policies call it in a subquery, so PostgreSQL evaluates it once per statement.
create function named_merchants() returns uuid[]
language sql stable parallel safe
return nullif(current_setting('malipo.merchants', true), '')::uuid[];

-- Time of record ----------------------------------------------------------------------------------------------------

-- How far record time is ahead of the database's clock. One row, which only the owner can update. Tests and a private
-- sandbox move it; in live it stays 0.
create table clock_offset (
  id boolean primary key default true constraint clock_offset_one_row check (id),
  ahead interval not null default '0'
);
insert into clock_offset default values;

grant select on clock_offset to malipo_write, malipo_timers;

create function record_time() returns timestamptz
language sql volatile parallel safe
return clock_timestamp() + (select ahead from clock_offset);

-- Monthly partitions by id. Decision: docs/decisions/ids-and-partitions.md ------------------------------------------

-- The smallest version 7 id that can be made at this time.
create function id_at(at timestamptz) returns uuid
language sql immutable strict parallel safe
return (
  rpad(lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0'), 32, '0')
)::uuid;

create function month_of(parent regclass, month date) returns text
language sql stable strict
return (select relname from pg_class where oid = parent) || to_char(month, '"_"YYYYMM');

-- Attaches the current month and `ahead` months after it, by the time of record, which ids are made of. Returns how many
-- it attached, and -1 when another process is attaching. Waits at most 200 ms for any lock. A month is created first and
-- then attached: `create table … partition of` would lock the parent. Runs as the owner, so that workers need no right
-- to create tables. A partition gets no grants, and forced row security without a policy: access is through its parent.
create function attach_months(parent regclass, ahead integer) returns integer
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
    execute format('create table public.%I (like %s including all)', part, parent);
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
revoke execute on function attach_months from public;
grant execute on function attach_months to malipo_write;

-- How many whole months after the current one accept rows; -1 when the current one does not. A month that exists but is
-- not attached accepts no rows.
create function months_ahead(parent regclass) returns integer
language plpgsql volatile set search_path = pg_catalog, public, pg_temp
as $$
declare
  ahead integer := -1;
  month date := date_trunc('month', record_time() at time zone 'UTC');
begin
  while exists (
    select
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = parent
      and not i.inhdetachpending
      and c.relname = month_of(parent, month)
  ) loop
    ahead := ahead + 1;
    month := month + interval '1 month';
  end loop;
  return ahead;
end
$$;

-- Batch numbers: they only grow, also after a restore into another cluster ------------------------------------------

-- A batch's number is its transaction id plus the offset of the newest epoch. An epoch starts above every number in use.
-- Only the owner inserts, in start_epoch() when it migrates (0009_operations.sql).
create table batch_epochs (
  number integer primary key,
  batch_offset bigint not null constraint batch_epochs_offset_once unique,
  started_at timestamptz not null default clock_timestamp()
);
insert into batch_epochs (number, batch_offset) values (0, 0);

grant select on batch_epochs to malipo_write;

create function batch_offset() returns bigint
language sql stable parallel safe
return (select max(batch_offset) from batch_epochs);

-- The number of this transaction. Every batch calls it: PL/pgSQL keeps the plan, which halves the time.
create function current_batch() returns bigint
language plpgsql stable
as $$
begin
  return pg_current_xact_id()::text::bigint + (select max(batch_offset) from public.batch_epochs);
end
$$;

-- Every batch below this number has ended, so no row can still appear there.
create function settled_below() returns bigint
language sql stable
return pg_snapshot_xmin(pg_current_snapshot())::text::bigint + batch_offset();

-- No batch has this number or a higher one yet.
create function next_batch() returns bigint
language sql stable
return pg_snapshot_xmax(pg_current_snapshot())::text::bigint + batch_offset();

-- Whether a batch has committed or rolled back, as the current snapshot sees it.
create function batch_has_ended(batch bigint) returns boolean
language sql stable
return batch <= batch_offset()
  or pg_visible_in_snapshot((batch - batch_offset())::text::xid8, pg_current_snapshot());

-- One row per batch, written in the batch's transaction: the row exists exactly if the batch was committed. This decides
-- a COMMIT whose response was lost. After a crash PostgreSQL can reuse a transaction id; the token identifies the batch.
-- Rows are kept for an hour.
create table batch_commits (
  batch bigint primary key default current_batch(),
  token uuid not null default gen_random_uuid(),
  at timestamptz not null default record_time()
);

grant select, insert, delete on batch_commits to malipo_write;

-- Write probe -------------------------------------------------------------------------------------------------------

-- One row that every process updates about once a second, to check that a commit returns: on a standby, and while a
-- synchronous standby is missing, reads work and writes do not. No code reads it. The low fillfactor leaves room for
-- every update on the row's own page: no index entry is added, and old versions go without a vacuum.
create table write_probe (
  id boolean primary key default true check (id),
  at timestamptz not null default now()
) with (fillfactor = 10);
insert into write_probe default values;

grant select, update (at) on write_probe to malipo_write;

-- Secret keys -------------------------------------------------------------------------------------------------------

-- The ids of the secret keys that values in the database may be sealed or hashed under; never the keys. A key can leave
-- the configuration once it is retired.
create table secret_keys (
  id text primary key constraint secret_keys_id_is_a_name check (id ~ '^[A-Za-z0-9_-]{1,32}$'),
  -- When a process last had it as the first of its keys, the one that writes.
  used_at timestamptz not null default now(),
  -- When the last sealed value and API key under it had moved to a newer key.
  retired_at timestamptz
);

grant select, insert, update (used_at, retired_at) on secret_keys to malipo_write;
