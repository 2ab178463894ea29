-- Prices: what an operation costs a merchant, and the exchange rates between currencies.
set local role malipo_owner;

-- Fee rules by operation, method, currency and merchant; '*' and a null merchant mean any. A rule is never updated or
-- deleted: a newer rule with the same scope supersedes it from its effective date.
create table fee_rules (
  id bigint generated always as identity primary key,
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
  -- Whether the merchant gets the fee back when a payout is returned or a charge refunded.
  is_returned boolean not null default false,
  effective_from timestamptz not null default record_time(),
  set_at timestamptz not null default record_time(),
  set_by text not null default '',
  constraint fee_rules_min_below_max check (min <= max),
  -- An amount of money needs a currency, so a rule for any currency has only basis points.
  constraint fee_rules_sums_have_a_currency check (currency <> '*' or (fixed = 0 and min is null and max is null))
);
create index fee_rules_by_scope on fee_rules (env, operation, merchant_id, currency, method, effective_from);

-- The sandbox charges 1 %, so that a merchant's own tests do not pass because the fee is zero.
insert into fee_rules (env, operation, basis_points, effective_from, set_at)
values ('sandbox', 'charge', 100, 'epoch', 'epoch'), ('sandbox', 'payout', 100, 'epoch', 'epoch');

grant select, insert on fee_rules to malipo_write;

-- Exchange rates as they were sampled. Kept for thirty days, because providers keep no history. Never updated.
create table rates (
  env environment not null,
  base text not null constraint rates_base_is_iso check (base ~ '^[A-Z]{3}$'),
  quote text not null constraint rates_quote_is_iso check (quote ~ '^[A-Z]{3}$' and quote <> base),
  at timestamptz not null,
  -- What merchants get, with our markup.
  buy numeric not null constraint rates_buy_is_positive check (buy > 0),
  sell numeric not null constraint rates_sell_not_below_buy check (sell >= buy),
  provider text not null,
  -- The provider's own rates, so that only the markup is booked as income. Null without a markup.
  provider_buy numeric,
  provider_sell numeric,
  -- The provider or operator that confirmed a rate that had jumped. Empty for a rate that needed no confirmation.
  confirmed_by text not null default '',
  primary key (env, base, quote, at),
  constraint rates_provider_rates_are_whole check (num_nulls(provider_buy, provider_sell) in (0, 2)),
  constraint rates_markup_not_negative check (
    provider_buy >= buy and provider_sell <= sell and provider_sell >= provider_buy
  )
);
create index rates_by_time on rates (env, at);

grant select, insert, delete on rates to malipo_write;
grant select on rates to malipo_read;

-- Rates that jumped too far from the last accepted rate. They are not used until a second provider or an operator
-- confirms them. A decision has a time, an actor and a reason.
create table held_rates (
  id bigint generated always as identity primary key,
  env environment not null,
  base text not null constraint held_rates_base_is_iso check (base ~ '^[A-Z]{3}$'),
  quote text not null constraint held_rates_quote_is_iso check (quote ~ '^[A-Z]{3}$' and quote <> base),
  at timestamptz not null,
  -- As the provider quoted them, without markup.
  buy numeric not null constraint held_rates_buy_is_positive check (buy > 0),
  sell numeric not null constraint held_rates_sell_not_below_buy check (sell >= buy),
  provider text not null,
  -- The rates they were compared with.
  last_buy numeric not null,
  last_sell numeric not null,
  last_at timestamptz not null,
  state text not null default 'held'
    constraint held_rates_state_is_known check (state in ('held', 'confirmed', 'rejected')),
  decided_at timestamptz,
  decided_by text,
  reason text,
  constraint held_rates_decisions_are_whole check (
    (state = 'held') = (decided_at is null) and num_nulls(decided_at, decided_by, reason) in (0, 3)
  )
);
create index held_rates_of_pair on held_rates (env, base, quote, at);

grant select, insert, delete, update (state, decided_at, decided_by, reason) on held_rates to malipo_write;
