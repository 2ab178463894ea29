-- The log of merchants' requests, for the merchants themselves: what was requested, and the response's status.
set local role malipo_owner;

-- One row per request of a known merchant, written after the response by the process that gave it, in batches. It is a help for
-- integrators and no record: a process that is killed loses its last second, and one that is overloaded drops rows and counts
-- them. Rows are never changed; a day is dropped whole after a week (drop_request_log_day). The body is masked before it gets
-- here (request-log/mask.ts).
create table request_log (
  id uuid not null,
  merchant_id uuid not null,
  env environment not null,
  at timestamptz not null,
  method text not null,
  -- The route, with the names of its parameters and not their values.
  path text not null,
  status smallint not null,
  error_code text not null default '',
  duration_ms integer not null,
  request_id text not null,
  -- The public key of the key pair, or the id of the person.
  credential text not null,
  address text not null,
  transaction_id uuid,
  body text constraint request_log_body_is_short check (octet_length(body) <= 4096),
  primary key (id)
) partition by range (id);
create index request_log_of_merchant on request_log (merchant_id, env, id);
create index request_log_of_request on request_log (merchant_id, env, request_id, id);

grant insert on request_log to malipo_write;
grant select on request_log to malipo_read;

create function request_log_day(day date) returns text
language sql immutable strict
return to_char(day, '"request_log_"YYYYMMDD');

-- Attaches the days from yesterday to `ahead` days after today, by the time of record. Returns how many it attached, and -1 when
-- another process is attaching. Waits at most 200 ms for any lock.
create function attach_request_log_days(ahead integer) returns integer
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set lock_timeout = '200ms'
as $$
declare
  day date;
  part text;
  attached integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('request_log_days', 0)) then
    return -1;
  end if;
  for step in -1..ahead loop
    day := (record_time() at time zone 'UTC')::date + step;
    part := request_log_day(day);
    continue when to_regclass(format('public.%I', part)) is not null;
    execute format('create table public.%I (like request_log including all)', part);
    execute format('alter table public.%I enable row level security, force row level security', part);
    execute format(
      'alter table request_log attach partition public.%I for values from (%L) to (%L)',
      part,
      id_at(day::timestamp at time zone 'UTC'),
      id_at((day + 1)::timestamp at time zone 'UTC')
    );
    attached := attached + 1;
  end loop;
  return attached;
end
$$;

-- Drops the oldest day that is more than `kept` days old. Returns 1 when it dropped one, 0 when none is old enough or its lock is
-- held. A reader or a writer of the log waits for it at most 200 ms; a payment never does.
create function drop_request_log_day(kept integer) returns integer
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

revoke execute on function attach_request_log_days, drop_request_log_day from public;
grant execute on function attach_request_log_days, drop_request_log_day to malipo_write;

select attach_request_log_days(3);

-- Row security, as in 0010_row_security.sql. Only inserted, by a process for all its merchants.
alter table request_log enable row level security, force row level security;
create policy write_all on request_log to malipo_write using (true) with check (true);
create policy insert_for_named on request_log as restrictive for insert to malipo_write
  with check (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null));
create policy read_own on request_log for select to malipo_read
  using (merchant_id = current_merchant() and env = current_environment());
