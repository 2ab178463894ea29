-- Webhooks: what merchants are told of, one record for each, and where each of their endpoints stands.
set local role malipo_owner;

-- What a merchant is told has an id of its own, which its webhook carries too, and its place among what it is told of one
-- payment.
alter table events
  add column id uuid,
  add column sequence smallint,
  add constraint events_told_have_an_id check ((name is null) = (id is null) and (name is null) = (sequence is null))
  not valid;
alter table transactions add column told smallint not null default 0;
grant update (told) on transactions to malipo_write;

-- Deliveries of one endpoint wait for one another, never for another's: each endpoint says when it has something to do next
-- and until when it is left alone. What it has under way are its records that are leased.
alter table webhook_endpoints
  add column next_due timestamptz,
  -- Attempts that failed in a row, and since when.
  add column failures integer not null default 0,
  add column failing_since timestamptz,
  add column rests_until timestamptz not null default '-infinity',
  add column disabled_at timestamptz;
create index webhook_endpoints_due on webhook_endpoints (next_due) where next_due is not null and disabled_at is null;

grant update (next_due, failures, failing_since, rests_until, disabled_at)
  on webhook_endpoints to malipo_write;
grant select (disabled_at) on webhook_endpoints to malipo_read;

-- How long an endpoint rests after so many failures in a row: not at all below a number of them, then twice as long each time.
create function rest_of(failures integer, from_failures integer, first_ms integer, longest_ms integer) returns interval
language sql immutable parallel safe
return case when failures < from_failures then interval '0'
  else make_interval(secs => least(longest_ms, first_ms * 2 ^ least(failures - from_failures, 20)) / 1000.0) end;

create table webhook_records (
  id uuid not null,
  merchant_id uuid not null,
  env environment not null,
  transaction_id uuid not null,
  event text not null,
  -- The very bytes that are signed and sent, every time.
  body text not null,
  created_at timestamptz not null,
  status text not null default 'CREATED'
    constraint webhook_records_status_is_known check (status in ('CREATED', 'SUCCESS', 'FAILED')),
  attempts smallint not null default 0,
  next_attempt_at timestamptz,
  -- By then the attempt under way has ended, or its worker has died.
  leased_until timestamptz,
  url text not null default '',
  response jsonb not null default '{"status": ""}',
  primary key (id)
) partition by range (id);

create index webhook_records_of_merchant on webhook_records (merchant_id, env, id);
create index webhook_records_of_transaction on webhook_records (transaction_id);
create index webhook_records_due on webhook_records (merchant_id, env, next_attempt_at) where next_attempt_at is not null;
create index webhook_records_failed on webhook_records (merchant_id, env, id) where status = 'FAILED';

alter table webhook_records enable row level security, force row level security;
create policy write_all on webhook_records to malipo_write using (true) with check (true);
create policy read_own on webhook_records for select to malipo_read
  using (merchant_id = current_merchant() and env = current_environment());

grant select, insert, update (status, attempts, next_attempt_at, leased_until, url, response) on webhook_records to malipo_write;
grant select on webhook_records to malipo_read;

select attach_months('webhook_records', 3);
