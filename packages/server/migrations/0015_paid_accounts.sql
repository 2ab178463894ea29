-- Accounts of charges that are paid: more may come in until the account's end, and the callback about it may get lost. So the
-- bank is asked a last time when nothing can come any more.
set local role malipo_owner;

create table paid_accounts (
  transaction_id uuid primary key,
  due timestamptz not null
);
create index paid_accounts_due on paid_accounts (due);

alter table paid_accounts enable row level security, force row level security;
create policy write_all on paid_accounts to malipo_write using (true) with check (true);
grant select, insert, delete, update (due) on paid_accounts to malipo_write;
