-- Metrics of the whole cell: which worker reads them, and the last results of commands that run outside the processes.
set local role malipo_owner;

-- Work that one process at a time does for the cell. It holds the row until held_until.
create table leases (
  name text primary key,
  held_by uuid,
  held_until timestamptz not null default '-infinity'
);
insert into leases (name) values ('cell_metrics');

grant select, update (held_by, held_until) on leases to malipo_write;

-- The last run of each command whose result is an alert. A backup script records itself here too.
create table command_results (
  name text primary key constraint command_results_name_is_known check (name in ('ledger_check', 'ledger_check_full', 'backup')),
  ended_at timestamptz not null default now(),
  is_good boolean not null,
  -- What was wrong, for staff.
  detail text not null default ''
);

grant select, insert, update (ended_at, is_good, detail) on command_results to malipo_write;

-- Row security: as in 0010_row_security.sql.
do $$
declare
  name text;
begin
  foreach name in array array['leases', 'command_results'] loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy write_all on %I to malipo_write using (true) with check (true)', name);
  end loop;
end
$$;
