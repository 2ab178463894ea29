-- Four eyes: actions that one person proposes and another approves, and the amounts below which one person may act.
set local role malipo_owner;

-- One row per proposal. The input is what the operation runs with; the preview is what people see: the postings and the change.
-- It is executed at most once: the row is locked, and its state changes from open in the transaction that does the work.
create table proposals (
  id uuid primary key,
  operation text not null,
  input jsonb not null,
  env environment,
  merchant_id uuid references merchants,
  amount bigint,
  currency text,
  summary text not null,
  preview jsonb not null,
  -- Hash of the postings and of the state that the proposal rests on. Another hash at approval makes the proposal void.
  ground_hash bytea not null,
  reason text not null,
  maker_kind text not null,
  maker_id text not null,
  maker_name text not null,
  created_at timestamptz not null default record_time(),
  expires_at timestamptz not null default record_time() + interval '72 hours',
  state text not null default 'open'
    constraint proposals_state_is_known check (state in ('open', 'executed', 'rejected', 'withdrawn', 'void')),
  decided_by text,
  decided_name text,
  decided_at timestamptz,
  decision_reason text,
  -- What the execution changed, as in its audit entry.
  subject text,
  -- A new API key, sealed, until the maker collects it: the approver does not see it.
  sealed_secret text,
  constraint proposals_decided_is_whole check ((state = 'open') = (decided_at is null)),
  constraint proposals_maker_never_decides check (state <> 'executed' or decided_by <> maker_id)
);
create index proposals_open on proposals (created_at, id) where state = 'open';
create index proposals_newest on proposals (id desc);

grant select, insert on proposals to malipo_write;
grant update (state, decided_by, decided_name, decided_at, decision_reason, subject,
  sealed_secret) on proposals to malipo_write;

-- Amounts in minor units below which one person may move live money alone. A currency without a row has 0: always two people.
create table approval_thresholds (
  currency text primary key constraint approval_thresholds_currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  amount bigint not null constraint approval_thresholds_amount_is_not_negative check (amount >= 0),
  set_at timestamptz not null default record_time()
);

grant select, insert, update (amount, set_at) on approval_thresholds to malipo_write;

-- A transaction that names merchants writes only their proposals, as in 0010_row_security.sql.
create policy insert_for_named on proposals as restrictive for insert to malipo_write
  with check (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null));
create policy update_for_named on proposals as restrictive for update to malipo_write
  using (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null));
create policy delete_for_named on proposals as restrictive for delete to malipo_write
  using (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null));

do $$
declare
  name text;
begin
  foreach name in array array['proposals', 'approval_thresholds'] loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy write_all on %I to malipo_write using (true) with check (true)', name);
  end loop;
end
$$;
