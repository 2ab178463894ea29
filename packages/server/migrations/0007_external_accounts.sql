-- Beneficiaries, and the keys under which a merchant may say the same thing twice.
set local role malipo_owner;

-- An account number is sealed by the service's own keys; the keyed hash beside it finds equals without showing them.
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

-- What was answered under a key. The row is written with the effect it tells of, so neither exists alone. A payment that
-- calls its provider before it answers has none yet, and names itself instead.
create table idempotency_keys (
  merchant_id uuid not null,
  env environment not null,
  key text not null constraint idempotency_keys_key_is_short check (length(key) between 1 and 255),
  fingerprint text not null,
  answer jsonb,
  transaction_id uuid,
  created_at timestamptz not null default now(),
  primary key (merchant_id, env, key),
  constraint idempotency_keys_say_something check (num_nonnulls(answer, transaction_id) > 0)
) partition by hash (merchant_id, env, key);

do $$
begin
  for part in 0..15 loop
    execute format(
      'create table idempotency_keys_%s partition of idempotency_keys for values with (modulus 16, remainder %s)',
      part, part
    );
    execute format(
      'alter table idempotency_keys_%s enable row level security, force row level security',
      part
    );
  end loop;
end
$$;

alter table external_accounts enable row level security, force row level security;
alter table idempotency_keys enable row level security, force row level security;

create policy write_all on external_accounts to malipo_write using (true) with check (true);
create policy write_all on idempotency_keys to malipo_write using (true) with check (true);
create policy read_own on external_accounts for select to malipo_read
  using (merchant_id = current_merchant() and env = current_environment());

grant select, insert on external_accounts to malipo_write;
grant update (country, currency, destination, account_name, account_number, account_number_hash, code, branch_code,
  business_number, deleted_at) on external_accounts to malipo_write;
grant select on external_accounts to malipo_read;
grant select, insert, update (answer), delete on idempotency_keys to malipo_write;
