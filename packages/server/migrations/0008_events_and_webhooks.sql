-- Events of payments, each merchant's feed of them, the relay to NATS, and webhooks with their endpoints and records.
set local role malipo_owner;

-- Every change of a payment and its cause. Append-only. An event that notifies the merchant has a name, an id that its
-- webhook carries too, a number in the merchant's feed, and a sequence within the payment; the checks keep them together.
create table events (
  transaction_id uuid not null,
  number smallint not null,
  merchant_id uuid not null,
  env environment not null,
  at timestamptz not null,
  cause text not null
    constraint events_cause_is_known check (cause in ('request', 'attempt', 'callback', 'query', 'clock', 'operator')),
  name text
    constraint events_name_is_known check (name in ('transaction_created', 'transaction_updated', 'adjustment_created')),
  id uuid,
  feed_number bigint,
  sequence smallint,
  state text not null,
  stage text not null,
  message text not null,
  detail jsonb not null default '{}',
  -- The batch that wrote it. The relay reads events in this order, below the first batch that has not ended, so it sends
  -- each event once and misses none that commits late. Every insert sets it.
  batch bigint default pg_current_xact_id()::text::bigint,
  primary key (transaction_id, number),
  constraint events_notified_are_numbered check ((name is null) = (feed_number is null)),
  constraint events_notified_have_an_id check ((name is null) = (id is null) and (name is null) = (sequence is null))
) partition by range (transaction_id);
create index events_of_feed on events (merchant_id, env, feed_number) where feed_number is not null;
create index events_by_batch on events (batch, transaction_id, number) where name is not null;

grant select, insert on events to malipo_write;
grant select on events to malipo_read;

-- The last number of each merchant's feed. A batch locks the row and writes the events in one transaction, so a feed has
-- no gaps.
create table feed_counters (
  merchant_id uuid not null,
  env environment not null,
  last bigint not null,
  primary key (merchant_id, env)
) with (fillfactor = 50);

grant select, insert, update (last) on feed_counters to malipo_write;
grant select on feed_counters to malipo_read;

-- How far events were relayed to the operator's other systems. NATS may lose its data; this row does not. One process
-- relays at a time: it holds the row until held_until.
create table relays (
  name text primary key,
  -- Every event of a batch below was relayed.
  relayed_below bigint not null default 0,
  held_by uuid,
  held_until timestamptz not null default '-infinity'
);
insert into relays (name) values ('events');

grant select, update (relayed_below, held_by, held_until) on relays to malipo_write;

-- Webhooks ----------------------------------------------------------------------------------------------------------

-- Where a merchant receives webhooks, one endpoint per environment. Secrets are sealed with the service's keys.
-- Deliveries of one endpoint never wait for another endpoint: each row says when it has work and how long it rests. Its
-- deliveries in progress are its leased records.
create table webhook_endpoints (
  merchant_id uuid not null references merchants,
  env environment not null,
  url text not null default '' constraint webhook_endpoints_url_is_short check (length(url) <= 2048),
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  -- When it has work next; null without work.
  next_due timestamptz,
  -- No waiting record of this endpoint is due before this. Claims read from here: otherwise, while a session holds an old
  -- snapshot, they read every time at which a record was ever due.
  due_from timestamptz not null default '-infinity',
  -- Deliveries that failed in a row, and since when.
  failures integer not null default 0,
  failing_since timestamptz,
  rests_until timestamptz not null default '-infinity',
  disabled_at timestamptz,
  primary key (merchant_id, env),
  constraint webhook_endpoints_previous_secret_ends check (
    num_nulls(previous_secret, previous_secret_until) in (0, 2)
  )
);
create index webhook_endpoints_due on webhook_endpoints (next_due) where next_due is not null and disabled_at is null;

grant select, insert on webhook_endpoints to malipo_write;
grant update (url, secret, previous_secret, previous_secret_until, next_due, due_from, failures, failing_since,
  rests_until, disabled_at) on webhook_endpoints to malipo_write;
-- Not the secrets.
grant select (merchant_id, env, url, disabled_at) on webhook_endpoints to malipo_read;

-- How long an endpoint rests after this many failures in a row: not at all below from_failures, then twice as long each
-- time.
create function rest_of(failures integer, from_failures integer, first_ms integer, longest_ms integer) returns interval
language sql immutable parallel safe
return case when failures < from_failures then interval '0'
  else make_interval(secs => least(longest_ms, first_ms * 2 ^ least(failures - from_failures, 20)) / 1000.0) end;

-- One record per webhook: what is sent, and the outcome of the deliveries so far. Written with its event.
create table webhook_records (
  id uuid not null,
  merchant_id uuid not null,
  env environment not null,
  transaction_id uuid not null,
  event text not null,
  -- The exact bytes that every delivery signs and sends.
  body text not null,
  -- The sandbox scenario of the payment.
  scenario text,
  created_at timestamptz not null,
  status text not null default 'CREATED'
    constraint webhook_records_status_is_known check (status in ('CREATED', 'SUCCESS', 'FAILED')),
  attempts smallint not null default 0,
  next_attempt_at timestamptz,
  -- By then the delivery in progress has ended, or its worker has died.
  leased_until timestamptz,
  url text not null default '',
  response jsonb not null default '{"status": ""}',
  primary key (id),
  constraint webhook_records_scenario_only_in_the_sandbox check (scenario is null or env = 'sandbox')
) partition by range (id);
create index webhook_records_of_merchant on webhook_records (merchant_id, env, id);
create index webhook_records_of_transaction on webhook_records (transaction_id);
create index webhook_records_due on webhook_records (merchant_id, env, next_attempt_at) where next_attempt_at is not null;
create index webhook_records_failed on webhook_records (merchant_id, env, id) where status = 'FAILED';

grant select, insert, update (status, attempts, next_attempt_at, leased_until, url, response, scenario)
  on webhook_records to malipo_write;
grant select on webhook_records to malipo_read;

select attach_months('events', 3), attach_months('webhook_records', 3);
