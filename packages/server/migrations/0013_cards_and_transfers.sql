-- Cards and bank transfers: what came into a charge's account, what a card charge needs to go on, and how often a card is tried.
set local role malipo_owner;

-- What came into the account of a bank transfer charge before it ended.
alter table transactions add column received bigint not null default 0
  constraint transactions_received_not_negative check (received >= 0);
grant update (received) on transactions to malipo_write;

-- Every transfer into the account of a charge, once each: the provider's id tells them apart.
create table receipts (
  transaction_id uuid not null,
  receipt_id text not null,
  -- In the order they were booked, from 0; the ledger's numbers follow from it.
  number smallint not null,
  amount bigint not null constraint receipts_amount_positive check (amount > 0),
  -- After the charge had ended: kept for the operator, credited to nobody.
  is_late boolean not null,
  at timestamptz not null,
  primary key (transaction_id, receipt_id),
  unique (transaction_id, number)
) partition by range (transaction_id);

-- What a provider must be given again when the customer has answered, which may be the card: sealed, for minutes, in a table
-- that is in no log, no standby and no backup. What is lost of it in a crash ends the charge.
create unlogged table card_continuations (
  transaction_id uuid primary key,
  sealed text not null,
  expires_at timestamptz not null
);
create index card_continuations_expired on card_continuations (expires_at);

-- How often a card was charged, and a customer's address was declined, in an hour. Both by their keyed hash.
create table card_tries (
  merchant_id uuid not null,
  env environment not null,
  hash text not null,
  hour timestamptz not null,
  tries integer not null,
  primary key (merchant_id, env, hash, hour)
);
create index card_tries_past on card_tries (hour);

do $$
declare
  name text;
begin
  foreach name in array array['receipts', 'card_continuations', 'card_tries'] loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy write_all on %I to malipo_write using (true) with check (true)', name);
  end loop;
end
$$;

grant select, insert on receipts to malipo_write;
grant select, insert, delete, update (sealed, expires_at) on card_continuations to malipo_write;
grant select, insert, delete, update (tries) on card_tries to malipo_write;

select attach_months('receipts', 3);
