-- Dispatch: the lanes that payments are sent and polled in, the timers that wake them, and what holds a payment back.
set local role malipo_owner;

-- One row per lane: whether it is paused or unhealthy, and what is left of the provider's requests per second. A lane's
-- row has the provider's total; a row `env/provider/operation` has the limit of one operation, if one is set.
create table lanes (
  lane text primary key,
  paused_at timestamptz,
  reason text not null default '',
  budget double precision not null default 0,
  budget_at timestamptz not null default record_time(),
  -- What requests that send at once must leave to the lane.
  reserve double precision not null default 0,
  -- Routing skips the provider until then.
  unhealthy_until timestamptz
) with (fillfactor = 50);

grant select, insert, update (paused_at, reason, budget, budget_at, reserve, unhealthy_until) on lanes to malipo_write;

-- Accounts of bank transfer charges that are paid. More money may arrive until the account's end, and its callback may
-- be lost, so the bank is queried once more when no more money can arrive. The row is deleted after that.
create table paid_accounts (
  transaction_id uuid primary key,
  due timestamptz not null
);
create index paid_accounts_due on paid_accounts (due);

grant select, insert, delete, update (due) on paid_accounts to malipo_write;

-- What a payment needs next. These three functions are the only definition: lanes, sweepers and operator tools use them.

-- Whether the next request for a payment sends it, for the first time or again.
create function is_to_send(state text, is_lost boolean) returns boolean
language sql immutable parallel safe
return state = 'accepted' or (state = 'unknown' and is_lost);

-- Why a payment that is due is held back: its lane is paused, or its merchant is frozen. For a frozen merchant nothing is
-- sent, but payments that were sent are still polled. Null when the payment is not held back.
create function held_by(state text, is_lost boolean, frozen_at timestamptz, paused_at timestamptz) returns text
language sql immutable parallel safe
return case
  when paused_at is not null then 'paused'
  when frozen_at is not null and is_to_send(state, is_lost) then 'frozen'
end;

-- Which queue of its lane a payment waits in: a charge to send, a charge with a hint from its provider, a payout to send,
-- or a payment to poll.
create function work_kind(type text, state text, is_lost boolean, is_hinted boolean) returns text
language sql immutable parallel safe
return case
  when is_to_send(state, is_lost) then case type when 'deposit' then 'prompt' else 'payout' end
  when type = 'deposit' and is_hinted then 'hint'
  else 'poll'
end;

-- Timers ------------------------------------------------------------------------------------------------------------

-- malipo_timers owns timers, so that any process can become it and detach old hours concurrently without owning anything
-- else. It may create in public during this migration only. Decision: docs/decisions/ids-and-partitions.md.
reset role;
grant create on schema public to malipo_timers;
set local role malipo_timers;

-- When to look at a payment again. Rows are only inserted; an hour that has passed is dropped whole. A lost timer delays a
-- payment and loses nothing: sweepers find the payment by its own row.
create table timers (
  due timestamptz not null,
  lane text not null,
  transaction_id uuid not null
) partition by range (due);
create index timers_of_lane on timers (lane, due, transaction_id);

grant select, insert on timers to malipo_write;

-- The name of an hour's partition.
create function hour_of(hour timestamptz) returns text
language sql immutable strict
return to_char(hour at time zone 'UTC', '"timers_"YYYYMMDDHH24');

-- Attaches the first missing hour, from the hour before this one to `ahead` hours after it. One per call, so that a slow
-- database attaches slowly instead of not at all. Returns 1 when it attached one, 0 when none is missing, and -1 when
-- another process is attaching. Waits at most 200 ms for any lock, and takes none that a reader or a payment waits for.
-- An hour that exists but was detached, because the clock jumped ahead and came back, is attached again.
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
    -- An hour with a pending detach can be attached only after that detach has finished, on a separate connection.
    continue when exists (select from pg_inherits where inhrelid = to_regclass(format('timer_hours.%I', part)));
    if to_regclass(format('timer_hours.%I', part)) is null then
      execute format('create table timer_hours.%I (like public.timers including all)', part);
      execute format('alter table timer_hours.%I enable row level security, force row level security', part);
    end if;
    execute format(
      'alter table public.timers attach partition timer_hours.%I for values from (%L) to (%L)',
      part, hour, hour + interval '1 hour'
    );
    return 1;
  end loop;
  return 0;
end
$$;

-- Attaches every missing hour in one transaction and returns how many: for this migration, and for tests that move the
-- clock. It drops nothing, and `keep` has no effect.
create function attach_timer_hours(ahead integer, keep integer) returns integer
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

revoke execute on function attach_hour, attach_timer_hours from public;
grant execute on function attach_hour, attach_timer_hours to malipo_write;

-- How many whole hours after this one accept rows; -1 when this one does not.
create function hours_ahead() returns integer
language sql volatile set search_path = pg_catalog, public, pg_temp
begin atomic
  select min(step) - 1
  from generate_series(0, 241) as step
  where not exists (
    select
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.timers'::regclass
      and not i.inhdetachpending
      and c.relname = hour_of(date_trunc('hour', (select record_time()), 'UTC') + make_interval(hours => step))
  );
end;

select attach_timer_hours(73, 0);

reset role;
revoke create on schema public from malipo_timers;
