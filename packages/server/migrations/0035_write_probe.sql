-- One row that every process updates about once a second, to learn whether a commit still comes back: on a standby, and while a
-- synchronous standby is missing, reads work and writes do not. Nothing reads it.
set local role malipo_owner;

-- Every update finds room on the row's own page, so that no index entry is added and old versions go without a vacuum.
create table write_probe (
  id boolean primary key default true check (id),
  at timestamptz not null default now()
) with (fillfactor = 10);
insert into write_probe default values;

alter table write_probe enable row level security, force row level security;
create policy write_all on write_probe to malipo_write using (true) with check (true);
grant select, update (at) on write_probe to malipo_write;
