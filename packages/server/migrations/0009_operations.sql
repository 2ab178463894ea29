-- Operations: provider callbacks as evidence, suspense cases, evidence of postings, and a restore into another cluster.
set local role malipo_owner;

-- Callbacks as providers sent them: evidence for disputes, and for money of unknown payments. The content is sealed, and
-- merchants cannot read it. A month is dropped 90 days after its end.
create table callbacks (
  id uuid primary key,
  env environment not null,
  provider text not null,
  received_at timestamptz not null,
  outcome text not null constraint callbacks_outcome_is_known check (
    outcome in ('applied', 'hint', 'unknown_payment', 'ignored', 'failed', 'refused')
  ),
  -- Why it was refused, or could not be applied.
  reason text not null,
  -- The payments it names, by the keys that the provider knows.
  keys text[] not null,
  -- The first payment it names, known here or not.
  transaction_id uuid,
  body_bytes integer not null,
  -- Method, path, the headers that authenticate the sender, and the body; sealed. `malipo secrets reseal` moves it to the
  -- newest key.
  content text not null
) partition by range (id);
create index callbacks_by_transaction on callbacks (transaction_id, id) where transaction_id is not null;
create index callbacks_by_provider on callbacks (env, provider, id);
create index callbacks_by_outcome on callbacks (outcome, id) where outcome not in ('applied', 'hint');

grant select, insert, update (content) on callbacks to malipo_write;

select attach_months('callbacks', 3);

-- Drops the months in which every callback is older than 90 days; returns how many. Waits at most 200 ms for any lock: a
-- later call drops a month that is being read. Only callbacks wait for it, never payments.
create function drop_old_callbacks() returns integer
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set lock_timeout = '200ms'
as $$
declare
  part regclass;
  dropped integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('drop_old_callbacks', 0)) then
    return 0; -- Another process is dropping.
  end if;
  for part in
    select i.inhrelid
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.callbacks'::regclass
      and c.relname < month_of('public.callbacks', ((record_time() - interval '90 days') at time zone 'UTC')::date)
    order by c.relname
  loop
    execute format('drop table %s', part);
    dropped := dropped + 1;
  end loop;
  return dropped;
exception
  when lock_not_available then return 0;
end
$$;
revoke execute on function drop_old_callbacks from public;
grant execute on function drop_old_callbacks to malipo_write;

-- Money in suspense that an operator must decide about; at most one open case per payment. The amounts of the open cases,
-- plus what came in for charges that still wait for the rest, equal the suspense accounts: `malipo ledger check` compares
-- them.
create table suspense_cases (
  -- In the form of a transaction's id. Money of an unknown payment is booked under it.
  id uuid primary key,
  env environment not null,
  kind text not null constraint suspense_cases_kind_is_known check (
    kind in ('underpaid', 'amount_mismatch', 'abandoned_attempt_success', 'paid_twice', 'paid_after_failure',
      'paid_after_return', 'unknown_payment')
  ),
  provider text not null,
  -- The key the provider reported. Only money of an unknown payment has one.
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
  -- The transaction that cleared it. Null when the provider's own reports resolved the case.
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

grant select, insert, update (kind, amount, updated_at, closed_at, outcome, cleared_by) on suspense_cases to malipo_write;

-- Evidence of an operator's postings. The primary key allows the same payment into the bank, or the same line of a
-- provider's statement, to be posted once.
create table posting_evidence (
  env environment not null,
  -- What it is evidence for: all wallets together, since money comes in once; or one float.
  purpose text not null,
  evidence text not null,
  transaction_id uuid not null,
  at timestamptz not null default now(),
  primary key (env, purpose, evidence)
);

grant select, insert on posting_evidence to malipo_write;

-- A restore into another cluster. It may count transactions from a lower number; `malipo migrate` then starts an epoch.

-- The highest batch number that any table refers to.
create function highest_batch() returns bigint
language sql stable
return greatest(
  (select max(batch) from ledger_batches),
  (select max(batch) from batch_commits),
  (select folded_below from delta_folds),
  (select checked_below from ledger_checkpoints),
  (select settled_below from ledger_seals order by number desc limit 1),
  (select max(relayed_below) from relays),
  0
);

-- Whether the database came from a cluster that is ahead of this one: it holds a batch number that this cluster has not
-- reached. Never true for a physical copy, which brings its cluster's counter along.
create function is_moved() returns boolean
language sql stable
return highest_batch() >= next_batch();

-- Starts the next epoch if the database was moved, and returns its number.
create function start_epoch() returns integer
language sql volatile
begin atomic
  insert into batch_epochs (number, batch_offset)
  select (select max(number) + 1 from batch_epochs), highest_batch()
  where is_moved()
  returning number;
end;
revoke execute on function start_epoch from public;
