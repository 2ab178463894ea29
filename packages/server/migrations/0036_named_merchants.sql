-- A transaction may name the merchants it is for. From then on it can write rows of theirs and of no other merchant, and lock no
-- others, whatever its statements say. One that names none may write for all: workers do, and so do processes of releases before.
set local role malipo_owner;

-- Null where none are named. Computed once for each statement, since the policies have it in a subquery.
create function named_merchants() returns uuid[]
language sql stable parallel safe
return nullif(current_setting('malipo.merchants', true), '')::uuid[];

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
