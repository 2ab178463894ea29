-- Fees with a history, rates that are checked before use, and the currencies a merchant may use.
set local role malipo_owner;

-- The fee rule in force when the payment was accepted: {fixed, basisPoints, min?, max?, isReturned?}, sums in minor units as
-- text. Null for payments accepted before this column existed.
alter table transactions add column fee_rule jsonb;
-- The fee of a bank transfer charge is known when the money has arrived.
grant update (fee) on transactions to malipo_write;

-- A rule is never edited: a newer one with the same scope supersedes it from its own date. Existing rules apply from the start.
alter table fee_rules
  drop constraint fee_rules_one_of_a_kind,
  add column id bigint generated always as identity primary key,
  add column is_returned boolean not null default false,
  add column effective_from timestamptz not null default 'epoch',
  add column set_at timestamptz not null default 'epoch',
  add column set_by text not null default '';
alter table fee_rules
  alter column effective_from set default record_time(),
  alter column set_at set default record_time();
create index fee_rules_by_scope on fee_rules (env, operation, merchant_id, currency, method, effective_from);
revoke update (fixed, basis_points, min, max) on fee_rules from malipo_write;

-- `buy` and `sell` are what merchants get, with our markup inside. The provider's own rates are kept beside them, so that
-- only the markup is booked as income. Null where no markup was taken.
alter table rates
  add column provider_buy numeric,
  add column provider_sell numeric,
  -- Who confirmed a rate that had jumped: a provider's name, or an operator's. Empty where nothing had to be confirmed.
  add column confirmed_by text not null default '',
  add constraint rates_provider_rates_are_whole check (num_nulls(provider_buy, provider_sell) in (0, 2)),
  add constraint rates_markup_not_negative check (
    provider_buy >= buy and provider_sell <= sell and provider_sell >= provider_buy
  );

-- Rates that jumped too far from the last accepted one. They are not used until a second provider or an operator confirms them.
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

-- Currencies that are off for a merchant. All others are on.
create table disabled_currencies (
  merchant_id uuid not null references merchants,
  env environment not null,
  currency text not null constraint disabled_currencies_currency_is_iso check (currency ~ '^[A-Z]{3}$'),
  disabled_at timestamptz not null default record_time(),
  primary key (merchant_id, env, currency)
);

do $$
declare
  name text;
begin
  foreach name in array array['held_rates', 'disabled_currencies'] loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy write_all on %I to malipo_write using (true) with check (true)', name);
  end loop;
end
$$;

grant select, insert, delete, update (state, decided_at, decided_by, reason) on held_rates to malipo_write;
grant select, insert, delete on disabled_currencies to malipo_write;
