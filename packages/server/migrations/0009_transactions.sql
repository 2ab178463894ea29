-- Payments: what was promised, every attempt to keep it, everything that happened, and when to look again.
set local role malipo_owner;

-- Time of record is the database's clock. Tests and a sandbox of its own move it by this row; only the owner can, and in
-- live nobody does.
create table clock_offset (
  id boolean primary key default true constraint clock_offset_one_row check (id),
  ahead interval not null default '0'
);
insert into clock_offset default values;

create function record_time() returns timestamptz
language sql volatile parallel safe
return clock_timestamp() + (select ahead from clock_offset);

create table transactions (
  id uuid not null,
  merchant_id uuid not null,
  env environment not null,
  type text not null constraint transactions_type_is_known check (type in ('deposit', 'withdrew')),
  method text not null
    constraint transactions_method_is_known check (method in ('momo', 'card', 'bank-transfer', 'bank')),
  destination text not null,
  country text not null,
  external_reference text not null,
  -- What the beneficiary gets or the customer pays.
  amount bigint not null constraint transactions_amount_positive check (amount > 0),
  currency text not null,
  -- What leaves the wallet, or reaches it, before the fee.
  wallet_id uuid not null,
  wallet_country text not null,
  wallet_currency text not null,
  wallet_amount bigint not null constraint transactions_wallet_amount_not_negative check (wallet_amount >= 0),
  fee bigint not null constraint transactions_fee_not_negative check (fee >= 0),
  rate jsonb,
  account_name text not null,
  code text not null,
  -- Where the money goes or comes from, sealed.
  party text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  -- Who sends it: the provider's lane, or the request that made it, which alone had what must not be kept.
  sent_by text not null constraint transactions_sent_by_is_known check (sent_by in ('lane', 'request')),
  -- From here on what changes, written by one statement in transactions/store.ts.
  state text not null constraint transactions_state_is_known check (
    state in ('accepted', 'sending', 'waiting', 'submitted', 'unknown', 'successful', 'failed')
  ),
  attempt smallint not null,
  provider text not null,
  -- Why it waits or is not known; empty when all goes as it should.
  doubt text not null default '',
  -- News against a final state, booked and flagged; empty when there was none.
  discrepancy text not null default '',
  action jsonb,
  failure jsonb,
  receipt text not null default '',
  events smallint not null,
  wake_at timestamptz,
  updated_at timestamptz not null,
  primary key (id)
) partition by range (id);

create index transactions_of_merchant on transactions (merchant_id, env, id);
create index transactions_by_kind on transactions (merchant_id, env, type, currency, id);
create index transactions_open on transactions (merchant_id, env, id) where state not in ('successful', 'failed');
create index transactions_failed on transactions (merchant_id, env, id) where state = 'failed';

-- The key a provider knows is the attempt's id: the transaction's with the number as its last byte, in the form of version 4.
create table attempts (
  transaction_id uuid not null,
  number smallint not null constraint attempts_number_fits_a_byte check (number between 1 and 255),
  provider text not null,
  -- How often it was, or may have been, sent; what a first sending says of itself can be believed.
  sends smallint not null default 0,
  polls smallint not null default 0,
  -- How often in a row the provider could not take it.
  refusals smallint not null default 0,
  send_by timestamptz,
  -- The provider never heard of it, and may be told again.
  is_lost boolean not null default false,
  outcome text constraint attempts_outcome_is_known check (outcome in ('successful', 'failed', 'not_submitted')),
  primary key (transaction_id, number)
) partition by range (transaction_id);

create unique index attempts_one_open on attempts (transaction_id) where outcome is null;

-- What happened, and what caused it. Those a merchant is told of have a place in its feed.
create table events (
  transaction_id uuid not null,
  number smallint not null,
  merchant_id uuid not null,
  env environment not null,
  at timestamptz not null,
  cause text not null
    constraint events_cause_is_known check (cause in ('request', 'attempt', 'callback', 'query', 'clock', 'operator')),
  name text constraint events_name_is_known check (name in ('transaction_created', 'transaction_updated')),
  feed_number bigint,
  state text not null,
  stage text not null,
  message text not null,
  detail jsonb not null default '{}',
  primary key (transaction_id, number),
  constraint events_told_are_numbered check ((name is null) = (feed_number is null))
) partition by range (transaction_id);

create index events_of_feed on events (merchant_id, env, feed_number) where feed_number is not null;

create table feed_counters (
  merchant_id uuid not null,
  env environment not null,
  last bigint not null,
  primary key (merchant_id, env)
) with (fillfactor = 50);

-- A reference belongs to one payment, for ever.
create table external_references (
  merchant_id uuid not null,
  env environment not null,
  reference text not null,
  transaction_id uuid not null,
  primary key (merchant_id, env, reference)
) partition by hash (merchant_id, env, reference);

-- When to look at a payment again. Rows are only ever added; an hour that has passed is dropped whole.
create table alarms (
  due timestamptz not null,
  lane text not null,
  transaction_id uuid not null
) partition by range (due);

create index alarms_of_lane on alarms (lane, due, transaction_id);

-- One row per lane: whether it is paused, and how many requests it has left of what the provider takes in a second.
create table lanes (
  lane text primary key,
  paused_at timestamptz,
  reason text not null default '',
  budget double precision not null default 0,
  budget_at timestamptz not null default record_time()
) with (fillfactor = 50);

do $$
declare
  part text;
begin
  for number in 0..31 loop
    part := format('external_references_%s', number);
    execute format(
      'create table %I partition of external_references for values with (modulus 32, remainder %s)', part, number
    );
    execute format('alter table %I enable row level security, force row level security', part);
  end loop;
end
$$;

-- Attaches this hour of alarms and as many after it as asked for, and drops those that ended long before. Of no other
-- table: whoever may call this must not be able to drop anything else.
create function attach_alarm_hours(ahead integer, keep integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  start timestamptz := date_trunc('hour', public.record_time());
  hour timestamptz;
  part text;
  attached integer := 0;
begin
  if ahead < 1 or keep < 1 then
    raise exception 'at least this hour and the next are attached, and the last one kept';
  end if;
  perform pg_advisory_xact_lock(hashtextextended('attach_alarm_hours', 0));
  for step in -1..ahead loop
    hour := start + make_interval(hours => step);
    part := to_char(hour at time zone 'UTC', '"alarms_"YYYYMMDDHH24');
    continue when to_regclass(format('public.%I', part)) is not null;
    execute format('create table public.%I (like public.alarms including all)', part);
    execute format('alter table public.%I enable row level security, force row level security', part);
    execute format(
      'alter table public.alarms attach partition public.%I for values from (%L) to (%L)',
      part, hour, hour + interval '1 hour'
    );
    attached := attached + 1;
  end loop;
  for part in
    select relname
    from pg_inherits join pg_class on oid = inhrelid
    where inhparent = 'public.alarms'::regclass
      and relname < to_char((start - make_interval(hours => keep)) at time zone 'UTC', '"alarms_"YYYYMMDDHH24')
  loop
    execute format('drop table public.%I', part);
  end loop;
  return attached;
end
$$;

revoke execute on function attach_alarm_hours from public;
grant execute on function attach_alarm_hours to malipo_write;

do $$
declare
  name text;
begin
  foreach name in array array['clock_offset', 'transactions', 'attempts', 'events', 'feed_counters',
    'external_references', 'alarms', 'lanes'] loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy write_all on %I to malipo_write using (true) with check (true)', name);
  end loop;
end
$$;

create policy own_all on clock_offset to malipo_owner using (true) with check (true);
create policy read_own on transactions for select to malipo_read
  using (merchant_id = current_merchant() and env = current_environment());
create policy read_own on events for select to malipo_read
  using (merchant_id = current_merchant() and env = current_environment());
create policy read_own on external_references for select to malipo_read
  using (merchant_id = current_merchant() and env = current_environment());
create policy read_own on feed_counters for select to malipo_read
  using (merchant_id = current_merchant() and env = current_environment());

grant select on transactions, events, external_references, feed_counters to malipo_read;

grant select on clock_offset to malipo_write;
grant select, insert on transactions, attempts, events, feed_counters, external_references, alarms, lanes to malipo_write;
grant update (state, attempt, provider, doubt, discrepancy, action, failure, receipt, events, wake_at, updated_at)
  on transactions to malipo_write;
grant update (sends, polls, refusals, send_by, is_lost, outcome) on attempts to malipo_write;
grant update (last) on feed_counters to malipo_write;
grant update (paused_at, reason, budget, budget_at) on lanes to malipo_write;
-- A request that is refused for want of money does not use its reference up.
grant delete on external_references to malipo_write;

select attach_months('transactions', 3), attach_months('attempts', 3), attach_months('events', 3);
select attach_alarm_hours(24, 6);
