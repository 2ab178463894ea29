-- The secret keys that values in the database may be sealed or hashed under. A key may leave the configuration once it is retired.
set local role malipo_owner;

create table secret_keys (
  id text primary key constraint secret_keys_id_is_a_name check (id ~ '^[A-Za-z0-9_-]{1,32}$'),
  -- When a process last had it as the first of its keys, the one that writes.
  used_at timestamptz not null default now(),
  -- When no sealed value and no API key was left under it.
  retired_at timestamptz
);

alter table secret_keys enable row level security, force row level security;
create policy write_all on secret_keys to malipo_write using (true) with check (true);
grant select, insert, update (used_at, retired_at) on secret_keys to malipo_write;

-- What `malipo secrets reseal` and the next exchange of an API key move to the newest key.
grant update (party) on transactions to malipo_write;
grant update (content) on callbacks to malipo_write;
grant update (api_key_hash) on credentials to malipo_write;
