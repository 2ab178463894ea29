#!/usr/bin/env bash
# The first start of the primary: the logins, the database, and who may replicate. `malipo migrate` creates the rest.
set -euo pipefail
secret() { cat "/run/secrets/$1"; }

psql --username=postgres --set=ON_ERROR_STOP=1 --quiet \
  --set=admin="$(secret admin-password)" --set=login="$(secret login-password)" --set=replicator="$(secret replicator-password)" <<'SQL'
create role replicator login replication password :'replicator';
create role malipo_admin login createrole password :'admin';
create database malipo owner malipo_admin;
-- As malipo_admin, so that it may grant the roles that its migration needs.
set session authorization malipo_admin;
create role malipo_write nologin noinherit;
create role malipo_read nologin noinherit;
create role malipo login noinherit password :'login';
grant malipo_write, malipo_read to malipo;
reset session authorization;
-- From the next start on: now there is no standby yet.
alter system set synchronous_standby_names = 'standby';
SQL
echo 'host replication replicator samenet scram-sha-256' >> "$PGDATA/pg_hba.conf"
