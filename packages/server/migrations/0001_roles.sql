-- The database roles and schemas. Owning, writing and reading are separate roles, because no process needs all three.
-- malipo_owner owns every table except timers. malipo_write runs batches and workers. malipo_read runs a merchant's reads.
-- malipo_timers owns the timers table and nothing else. No role can log in: the operator grants them to its own logins.
do $$
declare
  name text;
begin
  foreach name in array array['malipo_owner', 'malipo_write', 'malipo_read', 'malipo_timers'] loop
    begin
      execute format('create role %I nologin noinherit', name);
    exception
      when duplicate_object or unique_violation then null; -- Roles belong to the cluster: another database made them.
    end;
  end loop;
  begin
    execute format('grant malipo_owner to %I', current_user);
  exception
    when invalid_grant_operation then null; -- The migrating login is malipo_owner itself.
  end;
  execute format('grant malipo_timers to %I', current_user);
end
$$;

-- Processes detach old hours of timers concurrently. PostgreSQL allows that only to the owner, outside a transaction.
grant malipo_timers to malipo_write;

grant usage, create on schema public to malipo_owner;
grant usage on schema public to malipo_write, malipo_read, malipo_timers;

-- The partitions of timers have their own schema. A role that can create objects in public could add functions there that
-- the owner's functions would call.
create schema timer_hours authorization malipo_timers;

-- A running process checks that its database is migrated.
grant select on schema_migrations to malipo_write;
