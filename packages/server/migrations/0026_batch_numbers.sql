-- Batches have numbers that only grow, also after the database was restored into another cluster, and each batch leaves a row
-- that only it can have written. Until now a batch's number was its transaction's, which another cluster gives again; and a
-- lost COMMIT was decided by rows that another worker may have changed since.
set local role malipo_owner;

-- A number is the transaction's own plus the offset of the newest epoch. An epoch begins above every number in use.
create table batch_epochs (
  number integer primary key,
  batch_offset bigint not null constraint batch_epochs_offset_once unique,
  started_at timestamptz not null default clock_timestamp()
);
insert into batch_epochs (number, batch_offset) values (0, 0);

create function batch_offset() returns bigint
language sql stable parallel safe
return (select max(batch_offset) from batch_epochs);

-- The number of this transaction. Every batch asks for it: in this language its plan is kept, which halves the time.
create function current_batch() returns bigint
language plpgsql stable
as $$
begin
  return pg_current_xact_id()::text::bigint + (select max(batch_offset) from public.batch_epochs);
end
$$;

-- Every batch below has ended, so no row can still appear there.
create function settled_below() returns bigint
language sql stable
return pg_snapshot_xmin(pg_current_snapshot())::text::bigint + batch_offset();

-- No batch has this number or a higher one yet.
create function next_batch() returns bigint
language sql stable
return pg_snapshot_xmax(pg_current_snapshot())::text::bigint + batch_offset();

-- Whether a batch has ended, one way or the other, as the current snapshot sees it.
create function batch_has_ended(batch bigint) returns boolean
language sql stable
return batch <= batch_offset()
  or pg_visible_in_snapshot((batch - batch_offset())::text::xid8, pg_current_snapshot());

-- One row for each batch, written with it: the row is there exactly if the batch was committed. After a crash PostgreSQL may
-- give a number again; the token tells whose it was. Rows are kept for an hour.
create table batch_commits (
  batch bigint primary key default current_batch(),
  token uuid not null default gen_random_uuid(),
  at timestamptz not null default record_time()
);

alter table batch_epochs enable row level security, force row level security;
alter table batch_commits enable row level security, force row level security;
create policy write_all on batch_commits to malipo_write using (true) with check (true);
create policy read_all on batch_epochs for select to malipo_write using (true);
create policy own_all on batch_epochs to malipo_owner using (true) with check (true);
grant select, insert, delete on batch_commits to malipo_write;
grant select on batch_epochs to malipo_write;

-- The owner compares numbers when it migrates, and nothing else.
do $$
declare
  name text;
begin
  foreach name in array array['ledger_batches', 'batch_commits', 'delta_folds', 'ledger_checkpoints', 'ledger_seals',
    'relays'] loop
    execute format('create policy own_read on %I for select to malipo_owner using (true)', name);
  end loop;
end
$$;

-- The highest number that anything here goes by.
create function highest_batch() returns bigint
language sql stable
return greatest(
  (select max(batch) from ledger_batches),
  (select max(batch) from batch_commits),
  (select folded_below from delta_folds),
  (select checked_below from ledger_checkpoints),
  (select settled_below from ledger_seals order by number desc limit 1),
  (select max(told_below) from relays),
  0
);

-- Whether the database came from a cluster that is ahead of this one: it holds a number that nothing here can have had. A
-- physical copy brings its cluster's counter along, so it never does.
create function is_moved() returns boolean
language sql stable
return highest_batch() >= next_batch();

-- Starts the next epoch if the database was moved, and returns its number.
create function start_epoch() returns integer
language sql volatile
begin atomic
  insert into batch_epochs (number, batch_offset)
  select (select max(number) + 1 from batch_epochs), highest_batch()
  where is_moved()
  returning number;
end;
revoke execute on function start_epoch from public;
