-- Fees are data: what an operation costs, by method, currency and merchant; '*' and no merchant mean any.
set local role malipo_owner;

create table fee_rules (
  env environment not null,
  operation text not null constraint fee_rules_operation_is_known check (operation in ('charge', 'payout')),
  method text not null default '*'
    constraint fee_rules_method_is_known check (method in ('*', 'momo', 'card', 'bank-transfer', 'bank')),
  currency text not null default '*' constraint fee_rules_currency_is_iso check (currency ~ '^([A-Z]{3}|\*)$'),
  merchant_id uuid references merchants,
  fixed bigint not null default 0 constraint fee_rules_fixed_not_negative check (fixed >= 0),
  basis_points integer not null constraint fee_rules_basis_points_in_range check (basis_points between 0 and 10000),
  min bigint constraint fee_rules_min_not_negative check (min >= 0),
  max bigint,
  constraint fee_rules_one_of_a_kind unique nulls not distinct (env, operation, method, currency, merchant_id),
  constraint fee_rules_min_below_max check (min <= max),
  -- A sum of money is in some currency, so a rule for any currency has none.
  constraint fee_rules_sums_have_a_currency check (currency <> '*' or (fixed = 0 and min is null and max is null))
);

alter table fee_rules enable row level security, force row level security;
create policy write_all on fee_rules to malipo_write using (true) with check (true);
grant select, insert, update (fixed, basis_points, min, max) on fee_rules to malipo_write;

-- The sandbox takes 1 %, so that no test of a merchant's books passes by zero.
create policy own_all on fee_rules to malipo_owner using (true) with check (true);
insert into fee_rules (env, operation, basis_points) values ('sandbox', 'charge', 100), ('sandbox', 'payout', 100);
drop policy own_all on fee_rules;
