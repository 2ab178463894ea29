-- Refunds of charges, and conversions between a merchant's wallets.
set local role malipo_owner;

-- The constraints are not checked for old rows: these satisfied narrower ones, and reading them all would block payments.
alter table transactions drop constraint transactions_type_is_known;
alter table transactions add constraint transactions_type_is_known check (
  type in ('deposit', 'withdrew', 'refund', 'conversion', 'adjustment')
) not valid;
alter table transactions drop constraint transactions_method_is_known;
alter table transactions add constraint transactions_method_is_known check (
  method in ('momo', 'card', 'bank-transfer', 'bank')
  or (method = 'conversion' and type = 'conversion')
) not valid;
-- A refund names its charge, and so does a payout that replaces a refund. Only an adjustment has a direction and a reason.
alter table transactions drop constraint transactions_adjustment_names_the_first;
alter table transactions add constraint transactions_adjustment_names_the_first check (
  (related_transaction_id is null) = (related_reference is null)
  and (type not in ('adjustment', 'refund') or related_transaction_id is not null)
  and (type not in ('deposit', 'conversion') or related_transaction_id is null)
  and (type = 'adjustment') = (direction is not null)
  and (type = 'adjustment') = (reason is not null)
) not valid;

-- Why a payment waits may also be that an earlier refund of the same charge is open at a provider that takes one at a time.
alter table transactions drop constraint transactions_doubt_is_known;
alter table transactions add constraint transactions_doubt_is_known check (
  doubt in ('', 'no_response', 'not_found', 'refused_on_resend', 'refused_unclear', 'amount_mismatch', 'overdue',
    'contradicted', 'float_exhausted', 'rate_limited', 'closed', 'not_reached', 'rejected', 'earlier_refund')
) not valid;

-- Key pairs that may do everything keep doing so.
update credentials
set scopes = scopes || array['refunds:write']
where scopes @> array['charges:write', 'payouts:write', 'external-accounts:write', 'transactions:read', 'webhooks:read',
    'webhooks:write', 'reference:read', 'profile:read', 'profile:write']
  and not scopes @> array['refunds:write'];

alter table fee_rules drop constraint fee_rules_operation_is_known;
alter table fee_rules add constraint fee_rules_operation_is_known check (operation in ('charge', 'payout', 'refund'));

-- The merchant's words for a refund. Written with the refund; a refund without a reason has no row.
create table refund_reasons (
  transaction_id uuid not null,
  merchant_id uuid not null,
  env environment not null,
  reason text not null constraint refund_reasons_reason_fits check (length(reason) between 1 and 200),
  primary key (transaction_id)
) partition by range (transaction_id);

-- The refunds of each charge, and the payouts that replace refunds. Written with them, and never changed.
create table refunds_of_charges (
  charge_id uuid not null,
  transaction_id uuid not null,
  merchant_id uuid not null,
  env environment not null,
  primary key (charge_id, transaction_id)
) partition by range (charge_id);
create index refunds_of_merchant on refunds_of_charges (merchant_id, env, transaction_id);

-- What went back of a charge by refunds and by payouts that replace them, in the charge's currency. A charge without any
-- has no row. The batch that accepts a refund locks the charge, then this row, so no two processes refund more than was
-- received; the transaction that ends a refund moves its amount out of `pending`. `malipo ledger check` compares the sums.
create table refund_totals (
  charge_id uuid not null,
  merchant_id uuid not null,
  env environment not null,
  pending bigint not null constraint refund_totals_pending_not_negative check (pending >= 0),
  successful bigint not null constraint refund_totals_successful_not_negative check (successful >= 0),
  -- The one refund that may be sent now, where the provider takes one at a time. Null: none is open, or all may be sent.
  turn_of uuid,
  primary key (charge_id)
) partition by range (charge_id);

-- Whether another refund of the same charge may be sent now, and this one must wait.
create function waits_for_turn(refund_id uuid, refunded_id uuid) returns boolean
language sql stable parallel safe
return exists (
  select from refund_totals r where r.charge_id = refunded_id and r.turn_of is not null and r.turn_of <> refund_id
);

grant select, insert on refund_reasons, refunds_of_charges, refund_totals to malipo_write;
grant update (pending, successful, turn_of) on refund_totals to malipo_write;
grant select on refund_reasons, refunds_of_charges, refund_totals to malipo_read;

-- The months in which there are payments already, then the months ahead.
do $$
declare
  month date;
  name text;
  part text;
begin
  foreach name in array array['refund_reasons', 'refunds_of_charges', 'refund_totals'] loop
    for month in
      select to_date(right(c.relname, 6), 'YYYYMM')
      from pg_inherits i
      join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'transactions'::regclass
    loop
      part := month_of(name, month);
      execute format(
        'create table %I partition of %I for values from (%L) to (%L)',
        part,
        name,
        id_at(month::timestamp at time zone 'UTC'),
        id_at((month + interval '1 month')::timestamp at time zone 'UTC')
      );
      execute format('alter table %I enable row level security, force row level security', part);
    end loop;
    perform attach_months(name, 3);
  end loop;
end
$$;

-- Row security, as in 0010_row_security.sql.
do $$
declare
  name text;
begin
  foreach name in array array['refund_reasons', 'refunds_of_charges', 'refund_totals'] loop
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
      'create policy read_own on %I for select to malipo_read
        using (merchant_id = current_merchant() and env = current_environment())',
      name
    );
  end loop;
end
$$;
