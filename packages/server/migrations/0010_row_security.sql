-- Row security of every table: which rows each role may read and write. Decision: docs/decisions/row-security.md.
set local role malipo_owner;

-- Forced on every table, so that it also binds the owner. Grants limit what malipo_write may do to a table.
do $$
declare
  name text;
begin
  foreach name in array array[
    'clock_offset', 'batch_commits', 'write_probe', 'secret_keys',
    'merchants', 'credentials', 'disabled_currencies', 'external_accounts', 'idempotency_keys', 'audit_entries',
    'wallets', 'platform_accounts', 'account_deltas', 'delta_folds', 'transfers', 'ledger_batches', 'ledger_seals',
    'ledger_checkpoints', 'checked_accounts',
    'fee_rules', 'rates', 'held_rates',
    'transactions', 'attempts', 'external_references', 'receipts', 'card_continuations', 'card_tries', 'scenarios',
    'lanes', 'paid_accounts',
    'events', 'feed_counters', 'relays', 'webhook_endpoints', 'webhook_records',
    'callbacks', 'suspense_cases', 'posting_evidence'
  ] loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy write_all on %I to malipo_write using (true) with check (true)', name);
  end loop;
end
$$;

-- Writes for named merchants. A transaction that names merchants can write and lock only their rows, whatever its
-- statements say. A transaction that names none can write for all merchants: workers do.
do $$
declare
  name text;
  owner text;
begin
  foreach name in array array[
    'merchants', 'credentials', 'webhook_endpoints', 'wallets', 'external_accounts', 'idempotency_keys', 'transactions', 'events',
    'feed_counters', 'external_references', 'webhook_records', 'card_tries', 'scenarios', 'disabled_currencies', 'audit_entries',
    'fee_rules', 'suspense_cases'
  ] loop
    owner := case name when 'merchants' then 'id' else 'merchant_id' end;
    execute format(
      'create policy insert_for_named on %I as restrictive for insert to malipo_write
        with check (coalesce(%I = any ((select named_merchants())::uuid[]), (select named_merchants()) is null))',
      name, owner
    );
    execute format(
      'create policy update_for_named on %I as restrictive for update to malipo_write
        using (coalesce(%I = any ((select named_merchants())::uuid[]), (select named_merchants()) is null))',
      name, owner
    );
    execute format(
      'create policy delete_for_named on %I as restrictive for delete to malipo_write
        using (coalesce(%I = any ((select named_merchants())::uuid[]), (select named_merchants()) is null))',
      name, owner
    );
  end loop;
end
$$;

-- Reads of one merchant. A policy with the scope in a subquery evaluates it once per statement instead of once per row.
create policy read_own on merchants for select to malipo_read
  using (id = (select current_merchant()));
create policy read_own on wallets for select to malipo_read
  using (merchant_id = (select current_merchant()) and env = (select current_environment()));
create policy read_own on audit_entries for select to malipo_read
  using (merchant_id = (select current_merchant()) and (env is null or env = (select current_environment())));
-- By merchant alone: the profile shows the URLs of both environments.
create policy read_own on webhook_endpoints for select to malipo_read
  using (merchant_id = (select current_merchant()));
create policy read_own on transfers for select to malipo_read
  using (wallet_id in (select id from wallets));
create policy read_own_environment on rates for select to malipo_read
  using (env = current_environment() and current_merchant() is not null);

do $$
declare
  name text;
begin
  foreach name in array array['external_accounts', 'transactions', 'events', 'external_references', 'feed_counters',
    'webhook_records', 'scenarios'] loop
    execute format(
      'create policy read_own on %I for select to malipo_read
        using (merchant_id = current_merchant() and env = current_environment())',
      name
    );
  end loop;
end
$$;

-- The clock's offset: the owner moves it, and the functions of malipo_timers read it.
create policy own_all on clock_offset to malipo_owner using (true) with check (true);
create policy read_all on clock_offset for select to malipo_timers using (true);

-- Epochs: only the owner starts one, and it reads the highest batch number in use for that.
alter table batch_epochs enable row level security, force row level security;
create policy read_all on batch_epochs for select to malipo_write using (true);
create policy own_all on batch_epochs to malipo_owner using (true) with check (true);

do $$
declare
  name text;
begin
  foreach name in array array['ledger_batches', 'batch_commits', 'delta_folds', 'ledger_checkpoints', 'ledger_seals',
    'relays'] loop
    execute format('create policy own_read on %I for select to malipo_owner using (true)', name);
  end loop;
end
$$;

-- Timers have their own owner.
reset role;
set local role malipo_timers;
alter table timers enable row level security, force row level security;
create policy write_all on timers to malipo_write using (true) with check (true);
