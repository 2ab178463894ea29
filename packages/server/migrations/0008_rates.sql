-- What a currency cost in another, as it was sampled. Kept for thirty days: no provider remembers, so we do.
set local role malipo_owner;

create table rates (
  env environment not null,
  base text not null constraint rates_base_is_iso check (base ~ '^[A-Z]{3}$'),
  quote text not null constraint rates_quote_is_iso check (quote ~ '^[A-Z]{3}$' and quote <> base),
  at timestamptz not null,
  buy numeric not null constraint rates_buy_is_positive check (buy > 0),
  sell numeric not null constraint rates_sell_not_below_buy check (sell >= buy),
  provider text not null,
  primary key (env, base, quote, at)
);

create index rates_by_time on rates (env, at);

alter table rates enable row level security, force row level security;
create policy write_all on rates to malipo_write using (true) with check (true);
create policy read_own_environment on rates for select to malipo_read
  using (env = current_environment() and current_merchant() is not null);

grant select, insert, delete on rates to malipo_write;
grant select on rates to malipo_read;
