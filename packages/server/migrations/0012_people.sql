-- People: staff of the operator and people of merchants, how they sign in, their sessions, and the operator's machines.
set local role malipo_owner;

-- One row per person. The password hash (argon2id) and the TOTP secret are sealed with the service's keys. A person is
-- never deleted: the audit trail names it. No two people have the same e-mail address, whatever its case.
create table people (
  id uuid primary key,
  email text not null constraint people_email_has_an_at check (email like '%_@_%' and length(email) <= 254),
  name text not null constraint people_name_is_short check (length(name) between 1 and 200),
  password_hash text,
  totp_secret text,
  -- The last time step whose code was used. It only grows, so each code works once.
  totp_step bigint not null default 0,
  created_at timestamptz not null default record_time(),
  -- Set when the person left. Nothing of a disabled person works, and it is never enabled again.
  disabled_at timestamptz,
  constraint people_password_has_totp check (num_nulls(password_hash, totp_secret) in (0, 2))
);
create unique index people_email_once on people (lower(email));

grant select, insert, update (password_hash, totp_secret, totp_step, disabled_at) on people to malipo_write;
grant select (id, email, name, disabled_at) on people to malipo_read;

-- The roles of people: within one merchant, or over all of them for the operator's staff. A row is inserted when a role is
-- granted and ended when it is withdrawn; nothing else of it changes. The names of the roles are those of people/roles.ts.
create table memberships (
  id uuid primary key,
  person_id uuid not null references people,
  -- Null for the operator's staff.
  merchant_id uuid references merchants,
  role text not null,
  -- Empty means all.
  countries text[] not null default '{}',
  currencies text[] not null default '{}',
  granted_by text not null,
  created_at timestamptz not null default record_time(),
  ended_at timestamptz,
  ended_by text,
  constraint memberships_role_is_known check (
    case
      when merchant_id is null then role in ('support', 'operations', 'finance', 'risk', 'admin', 'auditor')
      else role in ('viewer', 'support', 'developer', 'finance', 'approver', 'owner')
    end
  ),
  constraint memberships_end_is_whole check (num_nulls(ended_at, ended_by) in (0, 2))
);
create unique index memberships_role_lives_once on memberships (person_id, merchant_id, role)
  nulls not distinct where ended_at is null;
create index memberships_of_merchant on memberships (merchant_id, id) where ended_at is null;

grant select, insert, update (ended_at, ended_by) on memberships to malipo_write;
grant select on memberships to malipo_read;

-- Passkeys. The credential id is the key of the table and rows are never deleted, so one passkey never belongs to two
-- people, not even after it was removed.
create table passkeys (
  credential_id text primary key constraint passkeys_credential_id_is_base64url check (credential_id ~ '^[A-Za-z0-9_-]+$'),
  person_id uuid not null references people,
  public_key bytea not null,
  -- The authenticator's count of signatures. It only grows; authenticators without one send 0.
  counter bigint not null,
  transports text[] not null default '{}',
  name text not null constraint passkeys_name_is_short check (length(name) between 1 and 100),
  created_at timestamptz not null default record_time(),
  last_used_at timestamptz,
  removed_at timestamptz
);
create index passkeys_of_person on passkeys (person_id);

grant select, insert, update (counter, last_used_at, removed_at) on passkeys to malipo_write;

-- Identities at the operator's OIDC provider. A subject belongs to one person.
create table oidc_subjects (
  issuer text not null,
  subject text not null,
  person_id uuid not null references people,
  created_at timestamptz not null default record_time(),
  primary key (issuer, subject)
);
create index oidc_subjects_of_person on oidc_subjects (person_id);

grant select, insert on oidc_subjects to malipo_write;

-- Invitations. Holds a keyed hash of the one-time token in the link. An invitation is used at most once, by the update
-- that finds it unused.
create table invitations (
  id uuid primary key,
  token_hash text not null constraint invitations_token_once unique,
  email text not null,
  name text not null,
  merchant_id uuid references merchants,
  role text not null,
  countries text[] not null default '{}',
  currencies text[] not null default '{}',
  -- The person signs in at the operator's OIDC provider, and the e-mail address that it has verified accepts the invitation.
  is_for_oidc boolean not null default false,
  invited_by text not null,
  created_at timestamptz not null default record_time(),
  expires_at timestamptz not null default record_time() + interval '72 hours',
  used_at timestamptz,
  person_id uuid references people,
  revoked_at timestamptz,
  constraint invitations_use_is_whole check (num_nulls(used_at, person_id) in (0, 2)),
  constraint invitations_are_used_or_revoked check (num_nulls(used_at, revoked_at) > 0)
);
create index invitations_of_email on invitations (lower(email)) where used_at is null and revoked_at is null;
create index invitations_of_merchant on invitations (merchant_id, id) where used_at is null and revoked_at is null;

grant select, insert, update (used_at, person_id, revoked_at) on invitations to malipo_write;
grant select (id, email, name, merchant_id, role, countries, currencies, invited_by, created_at, expires_at, used_at,
  revoked_at) on invitations to malipo_read;

-- Sessions of people, in browsers and on command lines. Holds a keyed hash of the secret id; rotation replaces the hash, so
-- the old id ends at once. The database's clock decides the ends. Ended rows stay: they say from where a person signs in.
create table sessions (
  id uuid primary key,
  token_hash text not null constraint sessions_token_once unique,
  person_id uuid not null references people,
  kind text not null constraint sessions_kind_is_known check (kind in ('browser', 'cli')),
  strength text not null
    constraint sessions_strength_is_known check (strength in ('passkey', 'password_totp', 'oidc')),
  address inet not null,
  user_agent text not null constraint sessions_user_agent_is_short check (length(user_agent) <= 300),
  created_at timestamptz not null default record_time(),
  last_seen_at timestamptz not null default record_time(),
  -- When the person last proved presence.
  proved_at timestamptz,
  -- How long the session lasts without a request; null for command lines.
  idle interval,
  ends_at timestamptz not null,
  ended_at timestamptz
);
create index sessions_of_person on sessions (person_id, address);

grant select, insert, update (token_hash, strength, last_seen_at, proved_at, ended_at) on sessions to malipo_write;

-- What a browser must answer within 5 minutes: passkey challenges and OIDC requests. Bound to the browser by the keyed hash
-- of a cookie, and deleted by the first answer, so that none works twice. The content is sealed.
create table challenges (
  id uuid primary key,
  browser_hash text not null,
  purpose text not null
    constraint challenges_purpose_is_known check (purpose in ('sign_in', 'step_up', 'passkey', 'invitation', 'oidc')),
  content text not null,
  expires_at timestamptz not null default record_time() + interval '5 minutes'
);
create index challenges_expiring on challenges (expires_at);

grant select, insert, delete on challenges to malipo_write;

-- Command lines that wait for a person's approval in a browser. Holds keyed hashes of both codes. A code is decided once
-- and exchanged for a session once, each by the update that finds it undone.
create table device_codes (
  id uuid primary key,
  device_hash text not null constraint device_codes_device_once unique,
  user_hash text not null,
  address inet not null,
  user_agent text not null constraint device_codes_user_agent_is_short check (length(user_agent) <= 300),
  created_at timestamptz not null default record_time(),
  expires_at timestamptz not null default record_time() + interval '10 minutes',
  decided_at timestamptz,
  -- Who decided, from which session; approved or denied.
  session_id uuid references sessions,
  is_approved boolean,
  used_at timestamptz,
  constraint device_codes_decision_is_whole check (num_nulls(decided_at, session_id, is_approved) in (0, 3)),
  constraint device_codes_are_used_when_approved check (used_at is null or is_approved)
);
create index device_codes_of_user_code on device_codes (user_hash);
create index device_codes_expiring on device_codes (expires_at);

grant select, insert, update (decided_at, session_id, is_approved, used_at), delete on device_codes to malipo_write;

-- Machines of the operator. Holds a keyed hash of the API key and the claims of the current token, never the key or the
-- token. One unrevoked row per name. The permissions are those of people/roles.ts.
create table machines (
  id uuid primary key,
  name text not null constraint machines_name_is_short check (length(name) between 1 and 100),
  public_key text not null constraint machines_public_key_once unique,
  api_key_hash text not null,
  permissions text[] not null constraint machines_permissions_not_empty check (cardinality(permissions) > 0),
  allowed_addresses inet[] not null default '{}',
  token_id uuid,
  token_issued_at timestamptz,
  token_expires_at timestamptz,
  created_by text not null,
  created_at timestamptz not null default record_time(),
  revoked_at timestamptz,
  constraint machines_token_is_whole check (num_nulls(token_id, token_issued_at, token_expires_at) in (0, 3))
);
create unique index machines_name_lives_once on machines (lower(name)) where revoked_at is null;

grant select, insert, update (api_key_hash, token_id, token_issued_at, token_expires_at, revoked_at) on machines to malipo_write;

-- Row security: as in 0010_row_security.sql.
do $$
declare
  name text;
begin
  foreach name in array array[
    'people', 'memberships', 'passkeys', 'oidc_subjects', 'invitations', 'sessions', 'challenges', 'device_codes', 'machines'
  ] loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format('create policy write_all on %I to malipo_write using (true) with check (true)', name);
  end loop;
  foreach name in array array['memberships', 'invitations'] loop
    execute format(
      'create policy insert_for_named on %I as restrictive for insert to malipo_write
        with check (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null))',
      name
    );
    execute format(
      'create policy update_for_named on %I as restrictive for update to malipo_write
        using (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null))',
      name
    );
    execute format(
      'create policy delete_for_named on %I as restrictive for delete to malipo_write
        using (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null))',
      name
    );
    execute format(
      'create policy read_own on %I for select to malipo_read using (merchant_id = (select current_merchant()))', name
    );
  end loop;
end
$$;

-- A merchant sees its own people and no others: the rows of memberships that it may read name them.
create policy read_own on people for select to malipo_read
  using (id in (select person_id from memberships));
