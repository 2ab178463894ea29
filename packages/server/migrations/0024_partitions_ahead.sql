-- A reader of alarms (pg_dump, a report) stalled every payment while an old hour was dropped, and undid the new hours with it.
-- Hours now belong to a role that owns nothing else, so that a process can detach them concurrently, which takes the owner and
-- no transaction; and attaching waits at most 200 ms for any lock. Decision: docs/decisions/ids-and-partitions.md.
do $$
begin
  begin
    create role malipo_timers nologin noinherit;
  exception
    when duplicate_object or unique_violation then null; -- Roles belong to the cluster: another database made it.
  end;
  execute format('grant malipo_timers to %I', current_user);
end
$$;
grant malipo_timers to malipo_write;

-- A schema of its own: a role that may create tables in public could put functions there that the owner's functions would call.
create schema timer_hours authorization malipo_timers;
grant usage on schema public to malipo_timers;
grant select on clock_offset to malipo_timers;
create policy read_all on clock_offset for select to malipo_timers using (true);

-- The new owner needs the right to create in public at this moment only. Payments wait 1 s for this at most; if it fails, run it
-- again.
set local lock_timeout = '1s';
grant create on schema public to malipo_timers;
lock table alarms in access exclusive mode;
alter table alarms owner to malipo_timers;
do $$
declare
  part regclass;
begin
  for part in select inhrelid from pg_inherits where inhparent = 'alarms'::regclass loop
    execute format('alter table %s owner to malipo_timers', part);
    execute format('alter table %s set schema timer_hours', part);
  end loop;
end
$$;
drop function attach_alarm_hours;

set local role malipo_timers;

create function hour_of(hour timestamptz) returns text
language sql immutable strict
return to_char(hour at time zone 'UTC', '"alarms_"YYYYMMDDHH24');

-- Attaches the first hour that is missing, from the hour before this one to as many after it as asked for. One in a call, so that
-- a database that is slow attaches slowly instead of not at all. Returns 1 when it attached one, 0 when none is missing, and -1
-- when another process is attaching. Waits at most 200 ms for any lock, and takes none that a reader or a payment waits for.
create function attach_hour(ahead integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set lock_timeout = '200ms'
as $$
declare
  start timestamptz := date_trunc('hour', record_time(), 'UTC');
  hour timestamptz;
  part text;
begin
  if ahead not between 1 and 240 then
    raise exception 'between 1 and 240 hours are attached ahead';
  end if;
  if not pg_try_advisory_xact_lock(hashtextextended('attach_hour', 0)) then
    return -1;
  end if;
  for step in -1..ahead loop
    hour := start + make_interval(hours => step);
    part := hour_of(hour);
    continue when to_regclass(format('timer_hours.%I', part)) is not null;
    execute format('create table timer_hours.%I (like public.alarms including all)', part);
    execute format('alter table timer_hours.%I enable row level security, force row level security', part);
    execute format(
      'alter table public.alarms attach partition timer_hours.%I for values from (%L) to (%L)',
      part, hour, hour + interval '1 hour'
    );
    return 1;
  end loop;
  return 0;
end
$$;

-- What processes of before this migration call. They do not drop hours any more: that takes a process of after it.
create function attach_alarm_hours(ahead integer, keep integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  attached integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('attach_hour', 0));
  while attach_hour(ahead) > 0 loop
    attached := attached + 1;
  end loop;
  return attached;
end
$$;

revoke execute on function attach_hour, attach_alarm_hours from public;
grant execute on function attach_hour, attach_alarm_hours to malipo_write;

-- How many whole hours after this one can already be written to; -1 when this one cannot.
create function hours_ahead() returns integer
language sql volatile set search_path = pg_catalog, public, pg_temp
begin atomic
  select min(step) - 1
  from generate_series(0, 241) as step
  where not exists (
    select
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.alarms'::regclass
      and not i.inhdetachpending
      and c.relname = hour_of(date_trunc('hour', (select record_time()), 'UTC') + make_interval(hours => step))
  );
end;

reset role;
revoke create on schema public from malipo_timers;

set local role malipo_owner;

-- As before, by the time of record, which ids are made of. Waits at most 200 ms for any lock. Returns how many it attached, and -1
-- when another process is attaching.
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

-- How many whole months after this one can already be written to; -1 when this one cannot. A month that is there but not
-- attached takes no rows.
create or replace function months_ahead(parent regclass) returns integer
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
