-- The cell that this database belongs to. `malipo migrate` records MALIPO_CELL here, once, and no process of another cell uses it.
set local role malipo_owner;

create table database_cell (
  id boolean primary key default true constraint database_cell_one_row check (id),
  number integer not null constraint database_cell_fits_an_id check (number between 0 and 4095)
);

grant select on database_cell to malipo_write;

-- Null until it is recorded.
create function cell_of_database() returns integer
language sql stable parallel safe
return (select number from database_cell);

-- Records the cell, unless one is recorded, and returns the recorded one.
create function record_cell(cell integer) returns integer
language plpgsql volatile
set search_path = pg_catalog, public, pg_temp
as $$
begin
  insert into database_cell (number) values (cell) on conflict do nothing;
  return cell_of_database();
end
$$;
revoke execute on function record_cell from public;

-- Row security: as in 0010_row_security.sql. The owner records the cell when it migrates.
alter table database_cell enable row level security, force row level security;
create policy own_all on database_cell to malipo_owner using (true) with check (true);
create policy write_all on database_cell to malipo_write using (true) with check (true);
