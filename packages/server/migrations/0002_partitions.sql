-- Monthly partitions by id. Months are attached, never created in place, so that adding one does not lock the parent.
set local role malipo_owner;

-- The smallest id of version 7 that can be made at a time.
create function id_at(at timestamptz) returns uuid
language sql immutable strict parallel safe
return (
  rpad(lpad(to_hex(floor(extract(epoch from at) * 1000)::bigint), 12, '0'), 32, '0')
)::uuid;

create function month_of(parent regclass, month date) returns text
language sql stable strict
return (select relname from pg_class where oid = parent) || to_char(month, '"_"YYYYMM');

-- Attaches this month and as many after it as asked for. Runs as the owner, so that workers need no right to create
-- tables. A partition gets no grants and forced row security without a policy: only the way through its parent is open.
create function attach_months(parent regclass, ahead integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp
as $$
declare
  month date;
  part text;
  attached integer := 0;
begin
  perform pg_advisory_xact_lock(hashtextextended('attach_months', parent::oid::bigint));
  for step in 0..ahead loop
    month := date_trunc('month', now() at time zone 'UTC') + make_interval(months => step);
    part := month_of(parent, month);
    continue when to_regclass(format('public.%I', part)) is not null;
    execute format('create table public.%I (like %s including all)', part, parent);
    execute format('alter table public.%I enable row level security, force row level security', part);
    execute format(
      'alter table %s attach partition public.%I for values from (%L) to (%L)',
      parent, part,
      id_at(month::timestamp at time zone 'UTC'),
      id_at((month + interval '1 month')::timestamp at time zone 'UTC')
    );
    attached := attached + 1;
  end loop;
  return attached;
end
$$;

-- How many whole months after this one can already be written to.
create function months_ahead(parent regclass) returns integer
language plpgsql stable set search_path = pg_catalog, public, pg_temp
as $$
declare
  ahead integer := -1;
  month date := date_trunc('month', now() at time zone 'UTC');
begin
  while to_regclass(format('public.%I', month_of(parent, month))) is not null loop
    ahead := ahead + 1;
    month := month + interval '1 month';
  end loop;
  return ahead;
end
$$;

revoke execute on function attach_months from public;
grant execute on function attach_months to malipo_write;
