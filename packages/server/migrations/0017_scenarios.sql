-- The sandbox for integrators: what they ask it to play, and a way to let time pass for one merchant. None of it can be in live.
set local role malipo_owner;

-- What is to happen to a payment that does not exist yet, by the reference it will have. Used up with that payment.
create table scenarios (
  merchant_id uuid not null,
  env environment not null constraint scenarios_only_in_the_sandbox check (env = 'sandbox'),
  reference text not null constraint scenarios_reference_is_short check (length(reference) between 1 and 100),
  scenario text not null,
  set_at timestamptz not null,
  primary key (merchant_id, env, reference)
);
create index scenarios_old on scenarios (set_at);

alter table scenarios enable row level security, force row level security;
create policy write_all on scenarios to malipo_write using (true) with check (true);
create policy read_own on scenarios for select to malipo_read
  using (merchant_id = current_merchant() and env = current_environment());
grant select, insert, delete, update (scenario, set_at) on scenarios to malipo_write;
grant select on scenarios to malipo_read;

-- What a payment plays, and the webhooks that tell of it.
alter table transactions
  add column scenario text,
  add constraint transactions_scenario_only_in_the_sandbox check (scenario is null or env = 'sandbox') not valid;
alter table webhook_records
  add column scenario text,
  add constraint webhook_records_scenario_only_in_the_sandbox check (scenario is null or env = 'sandbox') not valid;
grant update (scenario) on webhook_records to malipo_write;

-- The end of a charge is written once. A sandbox merchant may have it come sooner; nobody may in live. The trigger is for
-- statements that name the column, so those that move payments cost nothing more.
grant update (expires_at) on transactions to malipo_write;

create function refuse_to_move_a_live_end() returns trigger
language plpgsql set search_path = pg_catalog, public, pg_temp
as $$
begin
  raise exception 'the end of a live payment never moves' using errcode = 'check_violation';
end
$$;

create trigger transactions_live_ends_stay
  before update of expires_at on transactions
  for each row when (old.env <> 'sandbox')
  execute function refuse_to_move_a_live_end();
