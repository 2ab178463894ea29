-- Retention: months of callbacks and webhook records are emptied when their time is over, and old idempotency keys are deleted.
set local role malipo_owner;

-- For work that goes through a table in steps: where the next step starts.
alter table leases add column place bigint not null default 0;
grant update (place) on leases to malipo_write;

-- Not forced for a moment: the owner has no policy that lets it insert.
alter table leases no force row level security;
insert into leases (name) values ('retention');
alter table leases force row level security;

-- Locks a month of callbacks or webhook records that is to be emptied, until the end of the transaction. False when any other
-- transaction uses it: it never waits, so that no other transaction waits behind it. The month must have ended 30 days ago, whatever
-- the settings say. Payments write to the current month only, and it is not locked. Decision: docs/decisions/retention.md.
create function lock_old_month(part regclass) returns boolean
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
begin
  if not exists (
    select
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where c.oid = part
      and i.inhparent in ('public.callbacks'::regclass, 'public.webhook_records'::regclass, 'public.added_webhook_records'::regclass)
      and c.relname < month_of(i.inhparent, ((record_time() - interval '30 days') at time zone 'UTC')::date)
  ) then
    raise exception '% is not a month that may be emptied', part;
  end if;
  execute format('lock table only %s in access exclusive mode nowait', part);
  return true;
exception
  when lock_not_available then return false;
end
$$;

-- Empties a month and returns its disk space at once: nothing is left to vacuum. False when another transaction uses it.
create function empty_old_month(part regclass) returns boolean
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
as $$
begin
  if not lock_old_month(part) then
    return false;
  end if;
  execute format('truncate only %s', part);
  return true;
end
$$;

revoke execute on function lock_old_month, empty_old_month from public;
grant execute on function lock_old_month, empty_old_month to malipo_write;

-- Processes of the version before call it, and do not know how long callbacks are kept now. It drops nothing any more.
create or replace function drop_old_callbacks() returns integer
language sql
return 0;

-- As in 0024_request_log.sql, but two processes that drop at once no longer fail.
create or replace function drop_request_log_day(kept integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set lock_timeout = '200ms'
as $$
declare
  part text;
begin
  if kept < 1 then
    raise exception 'the request log is kept for at least a day';
  end if;
  if not pg_try_advisory_xact_lock(hashtextextended('drop_request_log_day', 0)) then
    return 0; -- Another process is dropping.
  end if;
  select c.relname into part
  from pg_inherits i
  join pg_class c on c.oid = i.inhrelid
  where i.inhparent = 'request_log'::regclass
    and c.relname < request_log_day((record_time() at time zone 'UTC')::date - kept)
  order by c.relname
  limit 1;
  if part is null then
    return 0;
  end if;
  execute format('drop table public.%I', part);
  return 1;
exception
  when lock_not_available then
    return 0;
end
$$;
