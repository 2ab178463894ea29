-- Payments: what was accepted, every attempt at a provider, money received, and what makes each of them happen once.
set local role malipo_owner;

-- Payments and adjustments. The first part is written at acceptance and never changes, except as noted. The second part
-- changes with the payment's state, by the statements in payments/model/store.ts and payments/late-money/late-store.ts.
-- malipo_write may update the second part and the noted columns only.
create table transactions (
  id uuid not null,
  merchant_id uuid not null,
  env environment not null,
  type text not null constraint transactions_type_is_known check (type in ('deposit', 'withdrew', 'adjustment')),
  method text not null
    constraint transactions_method_is_known check (method in ('momo', 'card', 'bank-transfer', 'bank')),
  destination text not null,
  country text not null,
  external_reference text not null,
  -- What the beneficiary gets or the customer pays.
  amount bigint not null constraint transactions_amount_positive check (amount > 0),
  currency text not null,
  -- What leaves or reaches the wallet, before the fee.
  wallet_id uuid not null,
  wallet_country text not null,
  wallet_currency text not null,
  wallet_amount bigint not null constraint transactions_wallet_amount_not_negative check (wallet_amount >= 0),
  -- The fee rule in force at acceptance: {fixed, basisPoints, min?, max?, isReturned?}, amounts in minor units as text.
  fee_rule jsonb,
  rate jsonb,
  account_name text not null,
  code text not null,
  -- Where the money goes to or comes from, sealed. `malipo secrets reseal` moves it to the newest key.
  counterparty text not null,
  created_at timestamptz not null,
  -- Only a sandbox merchant can bring it forward.
  expires_at timestamptz,
  -- The provider's lane sends it, or only the request that made it: that request has data that must not be stored.
  sent_via text not null constraint transactions_sent_via_is_known check (sent_via in ('lane', 'request')),
  -- The sandbox scenario that the payment plays.
  scenario text,
  -- An adjustment is a transaction that is final from the start. It names the first transaction, its external reference,
  -- and the direction and reason of the adjustment.
  related_transaction_id uuid,
  related_reference text,
  direction text constraint transactions_direction_is_known check (direction in ('credit', 'debit')),
  reason text constraint transactions_reason_is_known check (
    reason in ('late_success', 'late_receipt', 'payout_returned', 'charge_reversed', 'chargeback_won',
      'suspense_cleared', 'operator')
  ),

  -- From here on: what changes.
  state text not null constraint transactions_state_is_known check (
    state in ('accepted', 'sending', 'waiting', 'submitted', 'unknown', 'successful', 'failed')
  ),
  attempt smallint not null,
  provider text not null,
  -- Why the payment waits or is in doubt; empty otherwise.
  doubt text not null default '' constraint transactions_doubt_is_known check (
    doubt in ('', 'no_response', 'not_found', 'refused_on_resend', 'refused_unclear', 'amount_mismatch', 'overdue',
      'contradicted', 'float_exhausted', 'rate_limited', 'closed', 'not_reached', 'rejected')
  ),
  action jsonb,
  failure jsonb,
  -- The provider's reference.
  receipt text not null default '',
  -- What came into the account of a bank transfer charge before the charge ended.
  received bigint not null default 0 constraint transactions_received_not_negative check (received >= 0),
  -- Expected until the payment ends, then final: the fee of a bank transfer charge depends on what arrived.
  fee bigint not null constraint transactions_fee_not_negative check (fee >= 0),
  -- How many events the payment has, and of how many the merchant was notified.
  events smallint not null,
  notified smallint not null default 0,
  wake_at timestamptz,
  updated_at timestamptz not null,
  -- The adjustments that name this transaction, oldest first.
  adjustments uuid[] not null default '{}',
  -- What these adjustments credited to the merchant minus what they debited, in the payment's currency.
  adjusted bigint not null default 0,
  -- Fees that these adjustments charged minus fees that they returned, in the wallet's currency.
  adjusted_fee bigint not null default 0,
  -- What is in suspense for this transaction after its end. Below 0: money left that the operator must recover.
  suspended bigint not null default 0,
  -- How many postings were made after the end. Each takes the next number in the ledger.
  late_postings smallint not null default 0,
  primary key (id),
  constraint transactions_scenario_only_in_the_sandbox check (scenario is null or env = 'sandbox'),
  constraint transactions_adjustment_names_the_first check (
    (type = 'adjustment') = (related_transaction_id is not null)
    and (type = 'adjustment') = (related_reference is not null)
    and (type = 'adjustment') = (direction is not null)
    and (type = 'adjustment') = (reason is not null)
  )
) partition by range (id);
create index transactions_of_merchant on transactions (merchant_id, env, id);
create index transactions_by_kind on transactions (merchant_id, env, type, currency, id);
create index transactions_open on transactions (merchant_id, env, id) where state not in ('successful', 'failed');
create index transactions_failed on transactions (merchant_id, env, id) where state = 'failed';

grant select, insert on transactions to malipo_write;
grant update (state, attempt, provider, doubt, action, failure, receipt, received, fee, events, notified,
  wake_at, updated_at, adjustments, adjusted, adjusted_fee, suspended, late_postings) on transactions to malipo_write;
grant update (counterparty, expires_at) on transactions to malipo_write;
grant select on transactions to malipo_read;

-- Keeps expires_at of a live payment fixed. The trigger fires only for statements that set the column, so the statements
-- that move payments pay nothing for it.
create function refuse_to_move_a_live_end() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp
as $$
begin
  raise exception 'the end of a live payment never moves' using errcode = 'check_violation';
end
$$;

create trigger transactions_live_ends_stay
  before update of expires_at on transactions
  for each row when (old.env <> 'sandbox')
  execute function refuse_to_move_a_live_end();

-- Attempts to make a payment at a provider; at most one is open. The provider knows the attempt by its id: the
-- transaction's id with the attempt's number as its last byte, in the form of version 4.
create table attempts (
  transaction_id uuid not null,
  number smallint not null constraint attempts_number_fits_a_byte check (number between 1 and 255),
  provider text not null,
  -- How often it was, or may have been, sent. A rejection is conclusive only for the first send.
  sends smallint not null default 0,
  polls smallint not null default 0,
  -- How often in a row the provider could not accept it.
  refusals smallint not null default 0,
  send_deadline timestamptz,
  -- The provider does not know it, so it can be sent again.
  is_lost boolean not null default false,
  -- The provider hinted, without proof, at a new status after the last query or send started. A response to that query
  -- or send may be older than the hint, and must not end the payment.
  is_hinted boolean not null default false,
  -- unwritable: the provider can never accept this payment, so it is not tried there again.
  outcome text constraint attempts_outcome_is_known
    check (outcome in ('successful', 'failed', 'not_submitted', 'unwritable')),
  -- What the provider reports to have moved, once it reported anything after the end. Null before that: a successful
  -- attempt then moved the requested or received amount, and any other attempt moved nothing.
  moved bigint,
  -- What the operator returned to the payer through the provider. The provider's reports may or may not include it.
  returned bigint not null default 0,
  primary key (transaction_id, number)
) partition by range (transaction_id);
create unique index attempts_one_open on attempts (transaction_id) where outcome is null;

grant select, insert, update (sends, polls, refusals, send_deadline, is_lost, is_hinted, outcome, moved, returned)
  on attempts to malipo_write;

-- External references. A reference belongs to one payment permanently, so its partitions are by hash and never dropped.
create table external_references (
  merchant_id uuid not null,
  env environment not null,
  reference text not null,
  transaction_id uuid not null,
  primary key (merchant_id, env, reference)
) partition by hash (merchant_id, env, reference);

do $$
declare
  part text;
begin
  for number in 0..31 loop
    part := format('external_references_%s', number);
    execute format(
      'create table %I partition of external_references for values with (modulus 32, remainder %s)', part, number
    );
    execute format('alter table %I enable row level security, force row level security', part);
  end loop;
end
$$;

grant select, insert on external_references to malipo_write;
-- A request that is rejected for lack of funds does not use up its reference.
grant delete on external_references to malipo_write;
grant select on external_references to malipo_read;

-- Every transfer into the account of a bank transfer charge, once each: the provider's id is part of the key.
create table receipts (
  transaction_id uuid not null,
  receipt_id text not null,
  -- In the order they were booked, from 0. The ledger's transfer numbers follow from it.
  number smallint not null,
  amount bigint not null constraint receipts_amount_positive check (amount > 0),
  -- It came after the charge had ended.
  is_late boolean not null,
  at timestamptz not null,
  -- The bank took it back.
  is_reversed boolean not null default false,
  primary key (transaction_id, receipt_id),
  unique (transaction_id, number)
) partition by range (transaction_id);

grant select, insert, update (is_reversed) on receipts to malipo_write;

-- What a card provider needs again after the customer's answer, which may be the card itself. Sealed, kept for minutes,
-- and unlogged: it reaches no WAL, standby or backup. A crash empties the table, and the charges concerned fail.
create unlogged table card_continuations (
  transaction_id uuid primary key,
  sealed text not null,
  expires_at timestamptz not null
);
create index card_continuations_expired on card_continuations (expires_at);

grant select, insert, delete, update (sealed, expires_at) on card_continuations to malipo_write;

-- Per hour, how often a card was charged and how often a customer's address was declined, by keyed hash of either.
create table card_tries (
  merchant_id uuid not null,
  env environment not null,
  hash text not null,
  hour timestamptz not null,
  tries integer not null,
  primary key (merchant_id, env, hash, hour)
);
create index card_tries_past on card_tries (hour);

grant select, insert, delete, update (tries) on card_tries to malipo_write;

-- What integrators ask the sandbox to simulate for a payment that does not exist yet, by its future reference. Deleted
-- when that payment is accepted. The check keeps scenarios out of live.
create table scenarios (
  merchant_id uuid not null,
  env environment not null constraint scenarios_only_in_the_sandbox check (env = 'sandbox'),
  reference text not null constraint scenarios_reference_is_short check (length(reference) between 1 and 100),
  scenario text not null,
  set_at timestamptz not null,
  primary key (merchant_id, env, reference)
);
create index scenarios_old on scenarios (set_at);

grant select, insert, delete, update (scenario, set_at) on scenarios to malipo_write;
grant select on scenarios to malipo_read;

select attach_months('transactions', 3), attach_months('attempts', 3), attach_months('receipts', 3);
