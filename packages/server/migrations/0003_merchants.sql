-- Merchants: their credentials, currencies and beneficiaries, the keys of their requests, and the audit trail.
set local role malipo_owner;

-- One row per merchant. No process deletes it, and its name, email and country never change.
create table merchants (
  id uuid primary key,
  name text not null constraint merchants_name_is_short check (length(name) between 1 and 200),
  email text not null constraint merchants_email_has_an_at check (email like '%_@_%'),
  first_name text not null,
  last_name text not null,
  home_country text not null constraint merchants_home_country_is_iso2 check (home_country ~ '^[A-Z]{2}$'),
  -- Set while the operator has frozen the merchant: no payment is sent for it.
  frozen_at timestamptz,
  created_at timestamptz not null default now()
);

grant select, insert, update (first_name, last_name, frozen_at) on merchants to malipo_write;
grant select on merchants to malipo_read;

-- Key pairs. Holds a keyed hash of the API key and the claims of the current token, never the key or the token. A
-- rotated pair is a new row with the same public key; the old row stays revoked. One unrevoked row per public key.
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

grant select, insert, update (token_id, token_issued_at, token_expires_at, revoked_at) on credentials to malipo_write;
-- The next token exchange moves the hash to the newest secret key.
grant update (api_key_hash) on credentials to malipo_write;

-- Currencies that are off for a merchant. All others are on.
create table disabled_currencies (
  merchant_id uuid not null references merchants,
  env environment not null,
  currency text not null constraint disabled_currencies_currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  disabled_at timestamptz not null default record_time(),
  primary key (merchant_id, env, currency)
);

grant select, insert, delete on disabled_currencies to malipo_write;

-- Beneficiaries. The account number is sealed with the service's keys; the keyed hash finds duplicates without opening
-- it. One undeleted row per merchant, number, code, country and currency. A deleted row stays.
create table external_accounts (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  env environment not null,
  type text not null constraint external_accounts_type_is_known check (type in ('payout', 'deposit')),
  country text not null constraint external_accounts_country_is_iso2 check (country ~ '^[A-Z]{2}$'),
  currency text not null constraint external_accounts_currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  destination text not null
    constraint external_accounts_destination_is_known check (destination in ('MoMo', 'Bank Account', 'Paybill', 'Till')),
  account_name text not null,
  account_number text not null,
  account_number_hash text not null,
  code text not null,
  branch_code text not null,
  business_number text not null,
  created_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index external_accounts_number_lives_once
  on external_accounts (merchant_id, env, account_number_hash, code, country, currency)
  where deleted_at is null;
create index external_accounts_of_merchant on external_accounts (merchant_id, env, id) where deleted_at is null;

grant select, insert on external_accounts to malipo_write;
grant update (country, currency, destination, account_name, account_number, account_number_hash, code, branch_code,
  business_number, deleted_at) on external_accounts to malipo_write;
grant select on external_accounts to malipo_read;

-- The response to each request, by idempotency key. Written in the transaction of the request's effect, so neither
-- exists without the other. A payment that calls its provider before it responds has no response yet: the row then holds
-- the payment's id.
create table idempotency_keys (
  merchant_id uuid not null,
  env environment not null,
  key text not null constraint idempotency_keys_key_is_short check (length(key) between 1 and 255),
  -- Keyed hash of the request: the same key with a different request is an error.
  fingerprint text not null,
  response jsonb,
  transaction_id uuid,
  created_at timestamptz not null default now(),
  primary key (merchant_id, env, key),
  constraint idempotency_keys_say_something check (num_nonnulls(response, transaction_id) > 0)
) partition by hash (merchant_id, env, key);

do $$
declare
  part text;
begin
  for number in 0..15 loop
    part := format('idempotency_keys_%s', number);
    execute format(
      'create table %I partition of idempotency_keys for values with (modulus 16, remainder %s)', part, number
    );
    execute format('alter table %I enable row level security, force row level security', part);
  end loop;
end
$$;

grant select, insert, update (response), delete on idempotency_keys to malipo_write;

-- The audit trail: actor, action, time and reason. Inserted in the transaction of the change it records. No role may
-- update or delete it.
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

grant select, insert on audit_entries to malipo_write;
grant select on audit_entries to malipo_read;

select attach_months('audit_entries', 3);
