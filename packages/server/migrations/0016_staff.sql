-- Staff: what one person moves alone counts together, limited roles read only their countries and currencies, and recovery.
set local role malipo_owner;

-- Live money that one person or machine moved alone, below the threshold of its currency (approval_thresholds). Amounts are in
-- minor units. Rows are only inserted, in the transaction that moves the money. That transaction locks the row of the
-- threshold first, so of two movements at once the second sees the first, and their sum stays below the threshold.
create table solo_movements (
  id uuid primary key,
  -- person_… or machine_…, as in the audit trail.
  actor text not null,
  currency text not null constraint solo_movements_currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  amount bigint not null constraint solo_movements_amount_is_not_negative check (amount >= 0),
  moved_at timestamptz not null default record_time()
);
create index solo_movements_of_actor on solo_movements (actor, currency, moved_at);

grant select, insert (id, actor, currency, amount) on solo_movements to malipo_write;

alter table solo_movements enable row level security, force row level security;
create policy write_all on solo_movements to malipo_write using (true) with check (true);

-- Whether data of a country and a currency is within one of the scopes, each {"countries": […], "currencies": […]}, where an empty
-- list means all. Null scopes mean no limit. Data without a country or a currency is not limited by it. Must equal mayRead in
-- people/principal.ts. PL/pgSQL, because queries call it for many rows, mostly with null.
create function is_in_scope(scopes jsonb, place_country text, place_currency text) returns boolean
language plpgsql immutable parallel safe
as $$
begin
  if scopes is null then
    return true;
  end if;
  return exists (
    select
    from jsonb_array_elements(scopes) as s(scope)
    where (place_country is null or scope->'countries' = '[]' or scope->'countries' ? place_country)
      and (place_currency is null or scope->'currencies' = '[]' or scope->'currencies' ? place_currency)
  );
end
$$;

-- Recovery: a link for a person who lost every way to sign in. It is an invitation that names the person and gives no role.
alter table invitations
  add column recovers uuid references people,
  alter column role drop not null,
  add constraint invitations_give_a_role_or_recover check (num_nonnulls(role, recovers) = 1);
create index invitations_that_recover on invitations (recovers) where used_at is null and revoked_at is null;

-- Recovery ends identities at the OIDC provider too.
grant delete on oidc_subjects to malipo_write;

-- Failed sign-ins with a password, counted over all processes: more processes allow no more attempts. A key names an address, an
-- account by a keyed hash, or both. A count ends 15 minutes after its last failure; the row is deleted later.
create table sign_in_failures (
  key text primary key constraint sign_in_failures_key_is_short check (length(key) <= 300),
  failures integer not null constraint sign_in_failures_not_negative check (failures >= 0),
  ends_at timestamptz not null default record_time() + interval '15 minutes',
  -- An attempt of this address and account waits until then; others are refused.
  busy_until timestamptz not null default '-infinity'
);
create index sign_in_failures_ending on sign_in_failures (ends_at);

grant select, insert, update (failures, ends_at, busy_until), delete on sign_in_failures to malipo_write;

alter table sign_in_failures enable row level security, force row level security;
create policy write_all on sign_in_failures to malipo_write using (true) with check (true);
