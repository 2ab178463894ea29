-- Money that moves after a payment's end: adjustments, what a merchant owes, and cases for money in suspense.
set local role malipo_owner;

-- An adjustment is a transaction of its own that names the first one; it is final from the start.
alter table transactions
  drop constraint transactions_type_is_known,
  add constraint transactions_type_is_known check (type in ('deposit', 'withdrew', 'adjustment')) not valid,
  add column related_transaction_id uuid,
  -- The first transaction's external reference.
  add column related_reference text,
  add column direction text constraint transactions_direction_is_known check (direction in ('credit', 'debit')),
  add column reason text constraint transactions_reason_is_known check (
    reason in ('late_success', 'late_receipt', 'payout_returned', 'charge_reversed', 'chargeback_won',
      'suspense_cleared', 'operator')
  ),
  -- The adjustments that name this transaction, oldest first.
  add column adjustments uuid[] not null default '{}',
  -- What adjustments after the end credited to the merchant less what they debited, in the payment's currency.
  add column adjusted bigint not null default 0,
  -- Fees that these adjustments charged less fees that they gave back, in the wallet's currency.
  add column adjusted_fee bigint not null default 0,
  -- What is in suspense for this transaction after its end. Below 0: money left that the operator must recover.
  add column suspended bigint not null default 0,
  -- How many postings were made after the end; each takes the next number in the books.
  add column late_postings smallint not null default 0,
  add constraint transactions_adjustment_names_the_first check (
    (type = 'adjustment') = (related_transaction_id is not null)
    and (type = 'adjustment') = (related_reference is not null)
    and (type = 'adjustment') = (direction is not null)
    and (type = 'adjustment') = (reason is not null)
  ) not valid;
grant update (adjustments, adjusted, adjusted_fee, suspended, late_postings) on transactions to malipo_write;

-- What the provider reports to have moved through this attempt, once it reported anything after the end. Null before
-- that: then a successful attempt moved what was asked for or received, and any other nothing.
alter table attempts
  add column moved bigint,
  -- What the operator returned to the payer through the provider: its reports may or may not include that.
  add column returned bigint not null default 0;
grant update (moved, returned) on attempts to malipo_write;

-- A transfer into the account of a charge can be taken back by the bank.
alter table receipts add column is_reversed boolean not null default false;
grant update (is_reversed) on receipts to malipo_write;

alter table events
  drop constraint events_name_is_known,
  add constraint events_name_is_known
    check (name in ('transaction_created', 'transaction_updated', 'adjustment_created')) not valid;

-- What a merchant owes because a provider took back more than the wallet had. The ledger keeps it in an account of its
-- own for each wallet; `owed` is that account's balance, changed under the wallet's lock.
alter table platform_accounts
  add column wallet_id uuid references wallets,
  drop constraint platform_accounts_one_of_a_kind,
  add constraint platform_accounts_one_of_a_kind
    unique nulls not distinct (env, kind, provider, country, currency, wallet_id),
  add constraint platform_accounts_receivable_has_a_wallet check ((kind = 'receivable') = (wallet_id is not null)) not valid;

alter table wallets
  add column owed bigint not null default 0 constraint wallets_owed_not_negative check (owed >= 0),
  add column receivable uuid references platform_accounts;
grant update (owed, receivable) on wallets to malipo_write;

create or replace function name_of_account(account uuid) returns text
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

-- Money in suspense that a person must decide about. The amounts of the open cases, with what came in for charges that
-- still wait for the rest, are what the suspense accounts hold: `malipo ledger check` compares them.
create table suspense_cases (
  -- In the form of a transaction's id. Money of an unknown payment is booked under it.
  id uuid primary key,
  env environment not null,
  kind text not null constraint suspense_cases_kind_is_known check (
    kind in ('underpaid', 'amount_mismatch', 'abandoned_attempt_success', 'paid_twice', 'paid_after_failure',
      'paid_after_return', 'unknown_payment', 'carried_over')
  ),
  provider text not null,
  -- The key the provider reported; only money of an unknown payment needs it.
  provider_key text not null default '',
  country text not null,
  currency text not null constraint suspense_cases_currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  -- Below 0: money left that the operator must recover. Changes while the case is open.
  amount bigint not null,
  merchant_id uuid,
  transaction_id uuid,
  opened_at timestamptz not null,
  updated_at timestamptz not null,
  closed_at timestamptz,
  outcome text constraint suspense_cases_outcome_is_known check (
    outcome in ('credited', 'debited', 'returned', 'written_off', 'resolved')
  ),
  -- The transaction that cleared it. A case that the provider's own reports resolved has none.
  cleared_by uuid,
  constraint suspense_cases_closed_have_an_outcome check ((closed_at is null) = (outcome is null)),
  constraint suspense_cases_belong_to_a_payment check ((transaction_id is null) = (kind = 'unknown_payment')),
  constraint suspense_cases_payment_has_a_merchant check ((transaction_id is null) = (merchant_id is null))
);
create unique index suspense_cases_one_open on suspense_cases (transaction_id) where closed_at is null;
create unique index suspense_cases_unknown_once on suspense_cases (env, provider, provider_key)
  where kind = 'unknown_payment';
create index suspense_cases_open on suspense_cases (opened_at, id) where closed_at is null;
create index suspense_cases_of_transaction on suspense_cases (transaction_id);

alter table suspense_cases enable row level security, force row level security;
create policy write_all on suspense_cases to malipo_write using (true) with check (true);
grant select, insert, update (kind, amount, updated_at, closed_at, outcome, cleared_by) on suspense_cases to malipo_write;

-- What was put into suspense before there were cases.
create policy own_all on suspense_cases to malipo_owner using (true) with check (true);
create policy own_all on transactions to malipo_owner using (true) with check (true);
create policy own_all on attempts to malipo_owner using (true) with check (true);
create policy own_all on transfers to malipo_owner using (true) with check (true);
create policy own_all on platform_accounts to malipo_owner using (true) with check (true);

with held as (
  select t.transaction_id as id,
    sum(case when credit.id is not null then t.amount else -t.amount end)::bigint as amount
  from transfers t
  left join platform_accounts credit on credit.id = t.credit_account and credit.kind = 'suspense'
  left join platform_accounts debit on debit.id = t.debit_account and debit.kind = 'suspense'
  where credit.id is not null or debit.id is not null
  group by t.transaction_id
), carried as (
  update transactions p
  set suspended = held.amount
  from held
  where p.id = held.id
    and held.amount <> 0
    and p.state in ('successful', 'failed')
  returning p.*
), moved as (
  update attempts a
  set moved = case c.type when 'deposit' then 1 else -1 end * c.suspended
    + case when c.state <> 'successful' then 0 when c.method = 'bank-transfer' then c.received else c.amount end
  from carried c
  where (a.transaction_id, a.number) = (c.id, c.attempt)
)
insert into suspense_cases (id, env, kind, provider, country, currency, amount, merchant_id, transaction_id, opened_at,
  updated_at)
select overlay(c.id::text placing 'ff' from 35)::uuid, c.env, 'carried_over', c.provider, c.country, c.currency, c.suspended,
  c.merchant_id, c.id, c.updated_at, c.updated_at
from carried c;

drop policy own_all on suspense_cases;
drop policy own_all on transactions;
drop policy own_all on attempts;
drop policy own_all on transfers;
drop policy own_all on platform_accounts;

drop index transactions_disagreeing;
