-- Several webhook endpoints in each environment: the default, whose URL is in the profile, and those that a merchant adds.
set local role malipo_owner;

-- The default endpoint of each merchant and environment. Its id is all zeros, as is the endpoint_id of its records, so that one
-- statement serves these tables and those of added endpoints (events/endpoint-tables.ts).
alter table webhook_endpoints
  add column id uuid not null default '00000000-0000-0000-0000-000000000000'
    constraint webhook_endpoints_is_the_default check (id = '00000000-0000-0000-0000-000000000000'),
  add column description text not null default ''
    constraint webhook_endpoints_description_fits check (length(description) <= 200),
  -- The names of the events it gets; empty: all.
  add column events text[] not null default '{}',
  -- False: the merchant switched it off, and it gets no records.
  add column is_enabled boolean not null default true;

-- Constant defaults: no row is rewritten.
alter table webhook_records
  add column endpoint_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- The event's id, which is sent as webhook-id. Null for the default endpoint: there the record has the event's id.
  add column event_id uuid;

-- The endpoints that merchants added. Each has its own lane, secret and health; the columns are those of webhook_endpoints. A
-- transaction that adds one locks the default endpoint first, so that an environment never has more than its limit. A deleted
-- endpoint has no row; its records stay.
create table added_webhook_endpoints (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  env environment not null,
  url text not null constraint added_webhook_endpoints_url_is_short check (length(url) between 1 and 2048),
  description text not null default ''
    constraint added_webhook_endpoints_description_fits check (length(description) <= 200),
  events text[] not null default '{}',
  is_enabled boolean not null default true,
  created_at timestamptz not null,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  next_due timestamptz,
  due_from timestamptz not null default '-infinity',
  failures integer not null default 0,
  failing_since timestamptz,
  rests_until timestamptz not null default '-infinity',
  disabled_at timestamptz,
  constraint added_webhook_endpoints_previous_secret_ends check (
    num_nulls(previous_secret, previous_secret_until) in (0, 2)
  )
);
create index added_webhook_endpoints_of_merchant on added_webhook_endpoints (merchant_id, env, id);
create index added_webhook_endpoints_due on added_webhook_endpoints (next_due)
  where next_due is not null and disabled_at is null;

-- One record per event and added endpoint, as webhook_records has for the default. Written with its event, under an id that is
-- computed from both ids, so that the key allows only one. Separate from webhook_records, because a new index there would take
-- too long, and because processes of the version before would send these records to the default endpoint.
create table added_webhook_records (
  id uuid not null,
  merchant_id uuid not null,
  env environment not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  transaction_id uuid not null,
  event text not null,
  body text not null,
  scenario text,
  created_at timestamptz not null,
  status text not null default 'CREATED'
    constraint added_webhook_records_status_is_known check (status in ('CREATED', 'SUCCESS', 'FAILED')),
  attempts smallint not null default 0,
  next_attempt_at timestamptz,
  leased_until timestamptz,
  url text not null default '',
  response jsonb not null default '{"status": ""}',
  primary key (id),
  constraint added_webhook_records_scenario_only_in_the_sandbox check (scenario is null or env = 'sandbox')
) partition by range (id);
create index added_webhook_records_of_merchant on added_webhook_records (merchant_id, env, id);
create index added_webhook_records_of_transaction on added_webhook_records (transaction_id);
create index added_webhook_records_due on added_webhook_records (merchant_id, env, endpoint_id, next_attempt_at)
  where next_attempt_at is not null;
create index added_webhook_records_failed on added_webhook_records (merchant_id, env, id) where status = 'FAILED';

-- The id of the record of an event at an added endpoint: of the event's moment and cell, and always the same.
create function record_id_of(event_id uuid, endpoint_id uuid) returns uuid
language sql immutable strict parallel safe
return (left(event_id::text, 19) || '8' || overlay(left(md5(event_id::text || endpoint_id::text), 15) placing '-' from 4 for 0))::uuid;

grant update (description, events, is_enabled) on webhook_endpoints to malipo_write;
grant select (id, description, events, is_enabled, failures, failing_since) on webhook_endpoints to malipo_read;
grant select, insert, delete on added_webhook_endpoints to malipo_write;
grant update (url, description, events, is_enabled, secret, previous_secret, previous_secret_until, next_due, due_from,
  failures, failing_since, rests_until, disabled_at) on added_webhook_endpoints to malipo_write;
-- Not the secrets.
grant select (id, merchant_id, env, url, description, events, is_enabled, created_at, failures, failing_since, disabled_at)
  on added_webhook_endpoints to malipo_read;
grant select, insert, update (status, attempts, next_attempt_at, leased_until, url, response, scenario)
  on added_webhook_records to malipo_write;
grant select on added_webhook_records to malipo_read;

select attach_months('added_webhook_records', 3);

-- Row security, as in 0010_row_security.sql.
do $$
declare
  name text;
begin
  foreach name in array array['added_webhook_endpoints', 'added_webhook_records'] loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy write_all on %I to malipo_write using (true) with check (true)', name);
    execute format(
      'create policy insert_for_named on %I as restrictive for insert to malipo_write
        with check (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null))',
      name
    );
    execute format(
      'create policy update_for_named on %I as restrictive for update to malipo_write
        using (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null))',
      name
    );
    execute format(
      'create policy delete_for_named on %I as restrictive for delete to malipo_write
        using (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null))',
      name
    );
    execute format(
      'create policy read_own on %I for select to malipo_read
        using (merchant_id = current_merchant() and env = current_environment())',
      name
    );
  end loop;
end
$$;
