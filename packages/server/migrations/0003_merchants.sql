-- Merchants, their credentials and webhook endpoints, and the audit trail of who changed them.
set local role malipo_owner;

-- Whose rows this transaction may read. Not set means nobody's.
create function current_merchant() returns uuid
language sql stable parallel safe
return nullif(current_setting('malipo.merchant', true), '')::uuid;

create function current_environment() returns text
language sql stable parallel safe
return nullif(current_setting('malipo.environment', true), '');

create domain environment as text
  constraint environment_is_known check (value in ('live', 'sandbox'));

create table merchants (
  id uuid primary key,
  name text not null constraint merchants_name_is_short check (length(name) between 1 and 200),
  email text not null constraint merchants_email_has_an_at check (email like '%_@_%'),
  first_name text not null,
  last_name text not null,
  home_country text not null constraint merchants_home_country_is_iso2 check (home_country ~ '^[A-Z]{2}$'),
  frozen_at timestamptz,
  created_at timestamptz not null default now()
);

-- A key pair. Only a keyed hash of the API key is kept. The claims of the current token are kept, never the token.
-- A rotated pair is a new row with the same public key; the old row stays revoked for ever.
create table credentials (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  env environment not null,
  public_key text not null,
  api_key_hash text not null,
  scopes text[] not null constraint credentials_scopes_not_empty check (cardinality(scopes) > 0),
  allowed_addresses inet[] not null default '{}',
  token_id uuid,
  token_issued_at timestamptz,
  token_expires_at timestamptz,
  created_at timestamptz not null default now(),
  revoked_at timestamptz,
  constraint credentials_token_is_whole check (
    num_nulls(token_id, token_issued_at, token_expires_at) in (0, 3)
  )
);

create unique index credentials_public_key_lives_once on credentials (public_key) where revoked_at is null;
create index credentials_of_merchant on credentials (merchant_id, id);
create index credentials_revoked on credentials (revoked_at) where revoked_at is not null;

-- Where a merchant is told of events, one place per environment. Secrets are sealed by the service's own keys.
create table webhook_endpoints (
  merchant_id uuid not null references merchants,
  env environment not null,
  url text not null default '' constraint webhook_endpoints_url_is_short check (length(url) <= 2048),
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  primary key (merchant_id, env),
  constraint webhook_endpoints_previous_secret_ends check (
    num_nulls(previous_secret, previous_secret_until) in (0, 2)
  )
);

-- Who did what, when and why. Inserted in the transaction of the change it tells of, and never touched again.
create table audit_entries (
  id uuid not null,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  merchant_id uuid,
  env environment,
  subject text not null,
  detail jsonb not null default '{}',
  reason text,
  primary key (id)
) partition by range (id);

create index audit_entries_of_merchant on audit_entries (merchant_id, id);

alter table merchants enable row level security, force row level security;
alter table credentials enable row level security, force row level security;
alter table webhook_endpoints enable row level security, force row level security;
alter table audit_entries enable row level security, force row level security;

create policy write_all on merchants to malipo_write using (true) with check (true);
create policy write_all on credentials to malipo_write using (true) with check (true);
create policy write_all on webhook_endpoints to malipo_write using (true) with check (true);
create policy write_all on audit_entries to malipo_write using (true) with check (true);

create policy read_own on merchants for select to malipo_read
  using (id = current_merchant());

-- The profile shows the URLs of both environments, so this one is by merchant alone; the secrets are granted to no reader.
create policy read_own on webhook_endpoints for select to malipo_read
  using (merchant_id = current_merchant());

create policy read_own on audit_entries for select to malipo_read
  using (merchant_id = current_merchant() and (env is null or env = current_environment()));

grant select, insert, update (first_name, last_name, frozen_at) on merchants to malipo_write;
grant select, insert, update (token_id, token_issued_at, token_expires_at, revoked_at) on credentials to malipo_write;
grant select, insert, update (url, secret, previous_secret, previous_secret_until) on webhook_endpoints to malipo_write;
grant select, insert on audit_entries to malipo_write;

grant select on merchants to malipo_read;
grant select (merchant_id, env, url) on webhook_endpoints to malipo_read;
grant select on audit_entries to malipo_read;

select attach_months('audit_entries', 3);
