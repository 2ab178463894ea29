-- An hour that exists but was detached, because the clock jumped ahead and came back, is attached again. Until now it was taken for
-- attached, and every payment whose alarm fell into it was refused.
grant create on schema public to malipo_timers;
set local role malipo_timers;

create or replace function attach_hour(ahead integer) returns integer
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
    -- One that is being detached can be attached once that is finished, which takes a connection of its own.
    continue when exists (select from pg_inherits where inhrelid = to_regclass(format('timer_hours.%I', part)));
    if to_regclass(format('timer_hours.%I', part)) is null then
      execute format('create table timer_hours.%I (like public.alarms including all)', part);
      execute format('alter table timer_hours.%I enable row level security, force row level security', part);
    end if;
    execute format(
      'alter table public.alarms attach partition timer_hours.%I for values from (%L) to (%L)',
      part, hour, hour + interval '1 hour'
    );
    return 1;
  end loop;
  return 0;
end
$$;

reset role;
revoke create on schema public from malipo_timers;
