-- Evidence of an operator's posting, so that the same payment into the bank, or the same line of a provider's statement, is
-- posted once.
set local role malipo_owner;

create table posting_evidence (
  env environment not null,
  -- What it is evidence for: wallets together, since money comes in once; or one float.
  purpose text not null,
  evidence text not null,
  transaction_id uuid not null,
  at timestamptz not null default now(),
  primary key (env, purpose, evidence)
);

alter table posting_evidence enable row level security, force row level security;
create policy write_all on posting_evidence to malipo_write using (true) with check (true);
grant select, insert on posting_evidence to malipo_write;
