#!/usr/bin/env bash
# The standby: copies the primary at its first start, then follows it.
set -euo pipefail
umask 077
printf 'postgres:5432:*:replicator:%s\n' "$(cat /run/secrets/replicator-password)" > /tmp/pgpass
source='host=postgres user=replicator passfile=/tmp/pgpass application_name=standby'
if [[ ! -s $PGDATA/PG_VERSION ]]; then
  # A new volume has mode 1777, with which PostgreSQL does not start.
  chmod 0700 "$PGDATA"
  pg_basebackup --dbname="$source" --pgdata="$PGDATA" --wal-method=stream --checkpoint=fast --write-recovery-conf
fi
exec postgres -cprimary_conninfo="$source" -cmax_connections=200 -csynchronous_standby_names= \
  -clog_parameter_max_length=0 -clog_parameter_max_length_on_error=0
