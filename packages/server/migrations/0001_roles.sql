-- The three roles of the database. Owning, writing and reading are different powers, and no process needs all of them.
-- malipo_owner owns every table; malipo_write is what batches and workers run as; malipo_read is what a merchant's
-- reads run as. None of them can log in: the operator grants them to logins of its own.
do $$
declare
  name text;
begin
  foreach name in array array['malipo_owner', 'malipo_write', 'malipo_read'] loop
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
end
$$;

grant usage, create on schema public to malipo_owner;
grant usage on schema public to malipo_write, malipo_read;
grant select on schema_migrations to malipo_write;
