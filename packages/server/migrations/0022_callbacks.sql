-- Callbacks as providers sent them: evidence for disputes, and for money of payments that are not known here. Months are dropped
-- 90 days after their end. The content is sealed, and merchants can read none of it.
set local role malipo_owner;

create table callbacks (
  id uuid primary key,
  env environment not null,
  provider text not null,
  received_at timestamptz not null,
  outcome text not null constraint callbacks_outcome_is_known check (
    outcome in ('applied', 'hint', 'unknown_payment', 'ignored', 'failed', 'refused')
  ),
  -- Why it was refused, or could not be applied.
  reason text not null,
  -- The payments it names, by the keys the provider knows them by.
  keys text[] not null,
  -- The first payment it names, known here or not.
  transaction_id uuid,
  body_bytes integer not null,
  -- Method, path, the headers that prove who sent it, and the body; sealed.
  content text not null
) partition by range (id);

create index callbacks_by_transaction on callbacks (transaction_id, id) where transaction_id is not null;
create index callbacks_by_provider on callbacks (env, provider, id);
create index callbacks_by_outcome on callbacks (outcome, id) where outcome not in ('applied', 'hint');

alter table callbacks enable row level security, force row level security;
create policy write_all on callbacks to malipo_write using (true) with check (true);
grant select, insert on callbacks to malipo_write;

select attach_months('callbacks', 3);

-- Drops the months in which every callback is older than 90 days; returns how many. Waits at most 200 ms for any lock: what is
-- read meanwhile is dropped by a later call. Only callbacks wait for it, and no payment.
create function drop_old_callbacks() returns integer
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set lock_timeout = '200ms'
as $$
declare
  part regclass;
  dropped integer := 0;
begin
  if not pg_try_advisory_xact_lock(hashtextextended('drop_old_callbacks', 0)) then
    return 0; -- Another process is at it.
  end if;
  for part in
    select i.inhrelid
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'public.callbacks'::regclass
      and c.relname < month_of('public.callbacks', ((record_time() - interval '90 days') at time zone 'UTC')::date)
    order by c.relname
  loop
    execute format('drop table %s', part);
    dropped := dropped + 1;
  end loop;
  return dropped;
exception
  when lock_not_available then return 0;
end
$$;
revoke execute on function drop_old_callbacks from public;
grant execute on function drop_old_callbacks to malipo_write;
