-- The ledger: accounts with counters, append-only transfers, hash chains over the batches that wrote them, and seals.
set local role malipo_owner;

-- A merchant's money in one currency and country. Counters are changed under the row's lock, and only by batches.
create table wallets (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  env environment not null,
  currency text not null constraint wallets_currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  country text not null constraint wallets_country_is_iso2 check (country ~ '^[A-Z]{2}$'),
  debits_pending bigint not null default 0 constraint wallets_debits_pending_not_negative check (debits_pending >= 0),
  debits_posted bigint not null default 0 constraint wallets_debits_posted_not_negative check (debits_posted >= 0),
  credits_pending bigint not null default 0 constraint wallets_credits_pending_not_negative check (credits_pending >= 0),
  credits_posted bigint not null default 0 constraint wallets_credits_posted_not_negative check (credits_posted >= 0),
  -- The time of the last line of its statement, in microseconds; each line is later than the one before.
  entry_at bigint not null default 0,
  constraint wallets_one_per_scope unique (merchant_id, env, currency, country),
  constraint wallets_available_not_negative check (credits_posted - debits_posted - debits_pending >= 0)
) with (fillfactor = 70);

-- Accounts every payment of the cell touches. They have no limit and no lock: batches leave deltas, a worker folds them.
create table platform_accounts (
  id uuid primary key,
  env environment not null,
  kind text not null constraint platform_accounts_kind_is_known check (
    kind in ('float', 'fees', 'clearing', 'fx_position', 'fx_income', 'suspense', 'cost', 'treasury', 'receivable')
  ),
  -- Only a float belongs to a provider and a country; '' elsewhere.
  provider text not null default '',
  country text not null default '',
  currency text not null constraint platform_accounts_currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  debits_pending bigint not null default 0,
  debits_posted bigint not null default 0,
  credits_pending bigint not null default 0,
  credits_posted bigint not null default 0,
  constraint platform_accounts_one_of_a_kind unique (env, kind, provider, country, currency),
  constraint platform_accounts_float_has_a_provider check ((kind = 'float') = (provider <> ''))
);

-- One row per batch and account. `batch` is the number of the transaction that wrote it.
create table account_deltas (
  batch bigint not null,
  account_id uuid not null references platform_accounts,
  debits_pending bigint not null,
  debits_posted bigint not null,
  credits_pending bigint not null,
  credits_posted bigint not null,
  primary key (batch, account_id)
);

-- How far deltas are folded into platform_accounts: every batch below is in.
create table delta_folds (
  id boolean primary key default true constraint delta_folds_one_row check (id),
  folded_below bigint not null default 0
);
insert into delta_folds default values;

-- Every movement. A post or void carries its hold's number in phase 1, so the key allows one of them.
create table transfers (
  transaction_id uuid not null,
  number smallint not null constraint transfers_number_not_negative check (number >= 0),
  phase smallint not null,
  kind text not null,
  event text not null,
  debit_account uuid not null,
  credit_account uuid not null,
  amount bigint not null constraint transfers_amount_positive check (amount > 0),
  currency text not null,
  -- The wallet on either side; on a posted movement its place and running balance in the wallet's statement.
  wallet_id uuid,
  entry_at bigint,
  balance bigint,
  batch bigint not null,
  position integer not null,
  primary key (transaction_id, number, phase),
  constraint transfers_phase_fits_kind check (
    (phase = 0 and kind in ('hold', 'transfer')) or (phase = 1 and kind in ('post', 'void'))
  ),
  constraint transfers_between_two_accounts check (debit_account <> credit_account),
  constraint transfers_line_is_whole check (
    (entry_at is null) = (balance is null) and (entry_at is null) = (wallet_id is null or kind in ('hold', 'void'))
  )
) partition by range (transaction_id);

create index transfers_of_wallet on transfers (wallet_id, entry_at) where entry_at is not null;
create index transfers_of_batch on transfers using brin (batch) with (pages_per_range = 16, autosummarize = on);

-- Each writer's chain: a batch's hash covers its transfers and the hash before it.
create table ledger_batches (
  writer uuid not null,
  number bigint not null constraint ledger_batches_number_positive check (number > 0),
  batch bigint not null constraint ledger_batches_once unique,
  at bigint not null,
  transfers integer not null constraint ledger_batches_not_empty check (transfers > 0),
  previous_hash bytea not null,
  content_hash bytea not null,
  hash bytea not null,
  primary key (writer, number)
);

-- The heads of all chains that moved since the seal before, chained themselves, and copied outside the database.
create table ledger_seals (
  number bigint primary key,
  at bigint not null,
  -- Every batch below was settled when the heads were read; the next seal begins here.
  settled_below bigint not null,
  heads jsonb not null,
  previous_hash bytea not null,
  hash bytea not null
);

-- What `malipo ledger check` has verified: everything below, and the counters it found by adding up transfers.
create table ledger_checkpoints (
  id boolean primary key default true constraint ledger_checkpoints_one_row check (id),
  checked_below bigint not null default 0,
  seal bigint not null default 0
);
insert into ledger_checkpoints default values;

create table checked_accounts (
  account_id uuid primary key,
  debits_pending bigint not null,
  debits_posted bigint not null,
  credits_pending bigint not null,
  credits_posted bigint not null
);

do $$
declare
  name text;
begin
  foreach name in array array['wallets', 'platform_accounts', 'account_deltas', 'delta_folds', 'transfers',
    'ledger_batches', 'ledger_seals', 'ledger_checkpoints', 'checked_accounts'] loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy write_all on %I to malipo_write using (true) with check (true)', name);
  end loop;
end
$$;

create policy read_own on wallets for select to malipo_read
  using (merchant_id = current_merchant() and env = current_environment());
create policy read_own on transfers for select to malipo_read
  using (wallet_id in (select id from wallets));

grant select on wallets, transfers to malipo_read;

grant select, insert on wallets, platform_accounts, account_deltas, transfers, ledger_batches, ledger_seals to malipo_write;
grant update (debits_pending, debits_posted, credits_pending, credits_posted, entry_at) on wallets to malipo_write;
grant update (debits_pending, debits_posted, credits_pending, credits_posted) on platform_accounts to malipo_write;
grant select, update (folded_below) on delta_folds to malipo_write;
grant select, update (checked_below, seal) on ledger_checkpoints to malipo_write;
grant select, insert, update (debits_pending, debits_posted, credits_pending, credits_posted) on checked_accounts
  to malipo_write;

select attach_months('transfers', 3);

-- The text of a transfer that its batch's hash covers; the same as ledger/chain.ts makes.
create function canonical_transfer(t transfers) returns text
language sql immutable parallel safe
return concat(
  t.transaction_id, '|', t.number, '|', t.phase, '|', t.kind, '|', t.event, '|', t.debit_account, '|', t.credit_account,
  '|', t.amount, '|', t.currency, '|', t.wallet_id, '|', t.entry_at, '|', t.balance
);

-- What a transfer does to the counters of its two accounts.
create function effects_of(t transfers)
returns table (account_id uuid, debits_pending bigint, debits_posted bigint, credits_pending bigint, credits_posted bigint)
language sql immutable parallel safe
begin atomic
  select t.debit_account,
    case t.kind when 'hold' then t.amount when 'transfer' then 0 else -t.amount end,
    case t.kind when 'transfer' then t.amount when 'post' then t.amount else 0 end,
    0::bigint, 0::bigint
  union all
  select t.credit_account, 0, 0,
    case t.kind when 'hold' then t.amount when 'transfer' then 0 else -t.amount end,
    case t.kind when 'transfer' then t.amount when 'post' then t.amount else 0 end;
end;

-- What an account is called when a person reads it.
create function name_of_account(account uuid) returns text
language sql stable
return coalesce(
  (select concat_ws(' ', 'wallet', currency, country, 'of', m.name)
   from wallets w join merchants m on m.id = w.merchant_id where w.id = account),
  (select concat_ws(' ', replace(kind, '_', ' '), nullif(provider, ''), currency, nullif(country, ''))
   from platform_accounts where id = account),
  account::text
);
