-- The ledger: accounts with counters, append-only transfers, hash chains over the batches that wrote them, and seals.
set local role malipo_owner;

-- Accounts ----------------------------------------------------------------------------------------------------------

-- A merchant's money in one currency and country. Only batches change the counters, under the row's lock. The checks
-- keep the available balance from going below 0.
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
  -- The time of the last line of its statement, in microseconds. Each line is later than the one before.
  entry_at bigint not null default 0,
  -- What the merchant owes because a provider took back more than the wallet had: the balance of the receivable account,
  -- changed under this row's lock.
  owed bigint not null default 0 constraint wallets_owed_not_negative check (owed >= 0),
  receivable uuid,
  constraint wallets_one_per_scope unique (merchant_id, env, currency, country),
  constraint wallets_available_not_negative check (credits_posted - debits_posted - debits_pending >= 0)
) with (fillfactor = 70);

-- Accounts that every payment of the cell touches. They have no limit and no lock: batches insert account_deltas, and a
-- worker folds them into these counters.
create table platform_accounts (
  id uuid primary key,
  env environment not null,
  kind text not null constraint platform_accounts_kind_is_known check (
    kind in ('float', 'fees', 'clearing', 'fx_position', 'fx_income', 'suspense', 'cost', 'treasury', 'receivable')
  ),
  -- Only a float belongs to a provider and a country; '' for other kinds.
  provider text not null default '',
  country text not null default '',
  currency text not null constraint platform_accounts_currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  -- Only a receivable belongs to a wallet.
  wallet_id uuid references wallets,
  debits_pending bigint not null default 0,
  debits_posted bigint not null default 0,
  credits_pending bigint not null default 0,
  credits_posted bigint not null default 0,
  constraint platform_accounts_one_of_a_kind unique nulls not distinct (env, kind, provider, country, currency, wallet_id),
  constraint platform_accounts_float_has_a_provider check ((kind = 'float') = (provider <> '')),
  constraint platform_accounts_receivable_has_a_wallet check ((kind = 'receivable') = (wallet_id is not null))
);

-- The two tables refer to each other, so this key is added last.
alter table wallets add constraint wallets_receivable_fkey foreign key (receivable) references platform_accounts;

-- What one batch adds to one platform account. Append-only.
create table account_deltas (
  batch bigint not null,
  account_id uuid not null references platform_accounts,
  debits_pending bigint not null,
  debits_posted bigint not null,
  credits_pending bigint not null,
  credits_posted bigint not null,
  primary key (batch, account_id)
);

-- One row: every delta of a batch below this number is in platform_accounts. The worker updates both in one transaction.
create table delta_folds (
  id boolean primary key default true constraint delta_folds_one_row check (id),
  folded_below bigint not null default 0
);
insert into delta_folds default values;

-- Transfers ---------------------------------------------------------------------------------------------------------

-- Every movement of money. Append-only: no role may update or delete. A post or void carries its hold's number in
-- phase 1, so the primary key allows only one of them.
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
  -- The wallet on either side. A posted movement also has its place and running balance in the wallet's statement.
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

-- The text of a transfer that its batch's hash covers. Must equal the text that ledger/chain.ts makes.
create function canonical_transfer(t transfers) returns text
language sql immutable parallel safe
return concat(
  t.transaction_id, '|', t.number, '|', t.phase, '|', t.kind, '|', t.event, '|', t.debit_account, '|', t.credit_account,
  '|', t.amount, '|', t.currency, '|', t.wallet_id, '|', t.entry_at, '|', t.balance
);

-- What a transfer adds to the counters of its two accounts.
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

-- Proof -------------------------------------------------------------------------------------------------------------

-- Each writer's hash chain, one row per batch that has transfers. A batch's hash covers its transfers and the hash before
-- it. Append-only.
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

-- Seals: the heads of all chains that grew since the seal before. Seals form a chain themselves, and are copied outside
-- the database. Append-only.
create table ledger_seals (
  number bigint primary key,
  at bigint not null,
  -- Every batch below had ended when the heads were read. The next seal starts here.
  settled_below bigint not null,
  heads jsonb not null,
  previous_hash bytea not null,
  hash bytea not null
);

-- One row: how far `malipo ledger check` has verified the ledger.
create table ledger_checkpoints (
  id boolean primary key default true constraint ledger_checkpoints_one_row check (id),
  checked_below bigint not null default 0,
  seal bigint not null default 0
);
insert into ledger_checkpoints default values;

-- The counters of each account up to ledger_checkpoints, as `malipo ledger check` found them by adding up transfers.
create table checked_accounts (
  account_id uuid primary key,
  debits_pending bigint not null,
  debits_posted bigint not null,
  credits_pending bigint not null,
  credits_posted bigint not null
);

-- An account's name for people.
create function name_of_account(account uuid) returns text
language sql stable
return coalesce(
  (select concat_ws(' ', 'wallet', currency, country, 'of', m.name)
   from wallets w join merchants m on m.id = w.merchant_id where w.id = account),
  (select concat_ws(' ', replace(a.kind, '_', ' '), nullif(a.provider, ''), a.currency,
     coalesce(nullif(a.country, ''), w.country), case when m.id is not null then 'of' end, m.name)
   from platform_accounts a
   left join wallets w on w.id = a.wallet_id
   left join merchants m on m.id = w.merchant_id
   where a.id = account),
  account::text
);

-- Grants ------------------------------------------------------------------------------------------------------------

grant select, insert on wallets, platform_accounts, account_deltas, transfers, ledger_batches, ledger_seals,
  checked_accounts to malipo_write;
grant select on delta_folds, ledger_checkpoints to malipo_write;
grant update (debits_pending, debits_posted, credits_pending, credits_posted, entry_at, owed, receivable)
  on wallets to malipo_write;
grant update (debits_pending, debits_posted, credits_pending, credits_posted) on platform_accounts, checked_accounts
  to malipo_write;
grant update (folded_below) on delta_folds to malipo_write;
grant update (checked_below, seal) on ledger_checkpoints to malipo_write;

grant select on wallets, transfers to malipo_read;

select attach_months('transfers', 3);
