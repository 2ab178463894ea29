-- Payout controls: a merchant's limits on its payouts, which payouts need a person's approval, and what the controls did.
set local role malipo_owner;

-- A payout that needs approval waits in this state. It has no wake_at and no timer, and is_to_send() is false for it, so
-- neither a lane nor the sweeper can send it, in this release or the one before.
alter table transactions drop constraint transactions_state_is_known;
-- Not checked for old rows: they satisfied the narrower constraint, and reading them all would block payments.
alter table transactions add constraint transactions_state_is_known check (
  state in ('unapproved', 'accepted', 'sending', 'waiting', 'submitted', 'unknown', 'successful', 'failed')
) not valid;

-- A merchant's limits and its approval threshold for the payouts of one currency: that of the wallet that pays, without
-- the fee. Null: no limit. Operators change rows through operate/payout-controls.ts, with an audit entry.
create table payout_controls (
  merchant_id uuid not null references merchants,
  env environment not null,
  currency text not null constraint payout_controls_currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  per_payout bigint constraint payout_controls_per_payout_not_negative check (per_payout >= 0),
  -- Of one day in UTC, by the time of record.
  per_credential_day bigint constraint payout_controls_per_credential_not_negative check (per_credential_day >= 0),
  per_merchant_day bigint constraint payout_controls_per_merchant_not_negative check (per_merchant_day >= 0),
  per_beneficiary_day bigint constraint payout_controls_per_beneficiary_not_negative check (per_beneficiary_day >= 0),
  -- Payouts of more than this need approval.
  approval_above bigint constraint payout_controls_approval_above_not_negative check (approval_above >= 0),
  primary key (merchant_id, env, currency),
  constraint payout_controls_say_something check (
    num_nonnulls(per_payout, per_credential_day, per_merchant_day, per_beneficiary_day, approval_above) > 0
  )
);

grant select, insert, delete, update (per_payout, per_credential_day, per_merchant_day, per_beneficiary_day,
  approval_above) on payout_controls to malipo_write;

-- Which payouts of a merchant need approval in any currency. No row: none. Changed like payout_controls.
create table approval_rules (
  merchant_id uuid not null references merchants,
  env environment not null,
  -- Every payout of a bulk request.
  is_for_bulk boolean not null,
  -- Payouts to an account that was neither saved nor first paid with approval 24 hours ago or earlier.
  is_for_new_beneficiaries boolean not null,
  primary key (merchant_id, env),
  constraint approval_rules_say_something check (is_for_bulk or is_for_new_beneficiaries)
);

grant select, insert, delete, update (is_for_bulk, is_for_new_beneficiaries) on approval_rules to malipo_write;

-- What the payouts of a day add up to, for each day limit that counts them. A batch locks the rows that it adds to, so no
-- two processes exceed a limit together. A payout that fails returns its share in the transaction that fails it. Rows of
-- past days are deleted.
create table payout_days (
  merchant_id uuid not null,
  env environment not null,
  currency text not null,
  day date not null,
  kind text not null constraint payout_days_kind_is_known check (kind in ('credential', 'merchant', 'beneficiary')),
  -- The credential or person that made the payouts, or the keyed hash of the beneficiary; empty for the merchant.
  subject text not null,
  spent bigint not null constraint payout_days_spent_not_negative check (spent >= 0),
  primary key (merchant_id, env, currency, day, kind, subject)
) with (fillfactor = 50);
create index payout_days_past on payout_days (day);

grant select, insert, delete, update (spent) on payout_days to malipo_write;

-- What the controls did with a payout: which day limits count it, and whether it needs approval. Written with the payout;
-- a payout that no control concerns has no row. The first part never changes.
create table controlled_payouts (
  transaction_id uuid not null,
  merchant_id uuid not null,
  env environment not null,
  -- The credential or person that made it, as people see the id: cred_… or person_….
  made_by text not null constraint controlled_payouts_maker_is_known check (made_by <> ''),
  -- Keyed hash of the account that is paid.
  beneficiary text not null,
  currency text not null,
  amount bigint not null constraint controlled_payouts_amount_not_negative check (amount >= 0),
  day date not null,
  -- The kinds of payout_days that count it.
  counted text[] not null,
  -- Why it needs approval; empty when it does not.
  approval_reasons text[] not null constraint controlled_payouts_reasons_are_known check (
    approval_reasons <@ array['above_amount', 'new_beneficiary', 'bulk']
  ),

  -- From here on: what changes, once. Only a sandbox merchant can bring the expiry forward.
  approval_expires_at timestamptz,
  -- When it stopped waiting, for any reason: a decision, a cancellation, its expiry.
  approval_closed_at timestamptz,
  decision text constraint controlled_payouts_decision_is_known check (decision in ('approved', 'rejected', 'expired')),
  decided_by text,
  decided_by_name text,
  decided_at timestamptz,
  decision_reason text,
  primary key (transaction_id),
  constraint controlled_payouts_approval_expires check ((approval_reasons = '{}') = (approval_expires_at is null)),
  constraint controlled_payouts_decision_is_whole check (
    num_nulls(decision, decided_at) in (0, 2)
    and (decision is not distinct from 'expired' or num_nulls(decision, decided_by, decided_by_name, decision_reason) in (0, 4))
  ),
  -- Only people decide, and never the maker.
  constraint controlled_payouts_person_decides check (decided_by ~ '^person_'),
  constraint controlled_payouts_maker_never_approves check (decision is distinct from 'approved' or decided_by <> made_by)
) partition by range (transaction_id);
create index controlled_payouts_waiting on controlled_payouts (approval_expires_at)
  where approval_expires_at is not null and approval_closed_at is null;

grant select, insert, update (approval_expires_at, approval_closed_at, decision, decided_by, decided_by_name, decided_at,
  decision_reason) on controlled_payouts to malipo_write;
grant select on controlled_payouts to malipo_read;

select attach_months('controlled_payouts', 3);

-- Accounts that a merchant paid with approval, by keyed hash. Written when the first such payout is approved.
create table known_beneficiaries (
  merchant_id uuid not null,
  env environment not null,
  beneficiary text not null,
  first_paid_at timestamptz not null,
  primary key (merchant_id, env, beneficiary)
);

grant select, insert on known_beneficiaries to malipo_write;

-- When the account number, bank or business of a saved beneficiary last changed; null if never. A changed one is new.
alter table external_accounts add column number_set_at timestamptz;
grant update (number_set_at) on external_accounts to malipo_write;

-- Row security, as in 0010_row_security.sql.
do $$
declare
  name text;
begin
  foreach name in array array[
    'payout_controls', 'approval_rules', 'payout_days', 'controlled_payouts', 'known_beneficiaries'
  ] loop
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
  end loop;
end
$$;

create policy read_own on controlled_payouts for select to malipo_read
  using (merchant_id = current_merchant() and env = current_environment());
