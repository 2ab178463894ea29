-- The audit trail as hash chains, so that a changed, missing, added or moved entry is found. Decision: docs/decisions/audit-chain.md.
set local role malipo_owner;

-- Entries -----------------------------------------------------------------------------------------------------------

-- Where an entry comes from, and its place in a chain. `actor` is the actor's id. A trigger sets the place, the time and
-- the hash of every entry: no role and no code path can write an entry outside a chain.
alter table audit_entries
  add column actor_kind text
    constraint audit_entries_actor_kind_is_known
      check (actor_kind in ('person', 'machine', 'credential', 'break_glass', 'system', 'anonymous')),
  add column actor_name text,
  add column result text not null default 'done'
    constraint audit_entries_result_is_known check (result in ('done', 'refused')),
  add column request_id text,
  add column address text,
  add column user_agent text constraint audit_entries_user_agent_is_short check (length(user_agent) <= 300),
  -- The role that allowed the action, and how the actor signed in.
  add column role text,
  add column strength text,
  add column chain smallint,
  add column number bigint,
  add column previous_hash bytea,
  add column hash bytea;

-- The chains. A transaction that appends locks one row until its end, so numbers have no gaps and an entry follows only
-- from a committed one. Several, so that transactions rarely wait for each other. Rows never change.
create table audit_chains (
  chain smallint primary key
);
insert into audit_chains (chain) select generate_series(1, 8);

alter table audit_chains enable row level security, force row level security;
create policy own_all on audit_chains to malipo_owner using (true) with check (true);
create policy read_all on audit_chains for select to malipo_write using (true);
grant select on audit_chains to malipo_write;

-- The number and hash of every entry; a chain's newest row is its head. Only the trigger below inserts. The primary key
-- allows one entry for each number, which audit_entries cannot promise over all its months. Append-only: a head that is
-- updated in place has a version for each entry while an old snapshot is open, and every append would read them all.
create table audit_links (
  chain smallint not null references audit_chains,
  number bigint not null,
  hash bytea not null,
  -- The transaction that appended it, so that a seal finds the chains that grew.
  batch bigint not null,
  primary key (chain, number)
);

alter table audit_links enable row level security, force row level security;
create policy own_all on audit_links to malipo_owner using (true) with check (true);
create policy read_all on audit_links for select to malipo_write using (true);
grant select on audit_links to malipo_write;

-- The newest link of each chain that has one.
create function audit_heads() returns table (chain smallint, number bigint, hash bytea, batch bigint)
language sql stable
begin atomic
  select c.chain, l.number, l.hash, l.batch
  from audit_chains c
  cross join lateral (
    select number, hash, batch from audit_links where audit_links.chain = c.chain order by number desc limit 1
  ) as l;
end;

-- How far each chain was verified, and up to which seal. `malipo audit verify` continues from there; with --full it does
-- not read it.
create table audit_checkpoints (
  chain smallint primary key references audit_chains,
  number bigint not null default 0,
  hash bytea not null default decode(repeat('00', 32), 'hex'),
  seal bigint not null default 0
);
insert into audit_checkpoints (chain) select chain from audit_chains;

alter table audit_checkpoints enable row level security, force row level security;
create policy write_all on audit_checkpoints to malipo_write using (true) with check (true);
grant select, update (number, hash, seal) on audit_checkpoints to malipo_write;

-- Hashes ------------------------------------------------------------------------------------------------------------

-- A value with its length in bytes before it, so that no two lists of values make the same text. Null is '-'.
create function audit_field(value text) returns text
language sql immutable parallel safe
return coalesce(octet_length(value) || ':' || value, '-');

-- The text that an entry's hash covers: every column except the hash. Must equal the text that audit/chain.ts makes. No
-- setting of a session changes it: the time is in microseconds. PL/pgSQL keeps the plan.
create function canonical_audit(e audit_entries) returns text
language plpgsql stable parallel safe
as $$
begin
  return concat(
    audit_field(e.chain::text), audit_field(e.number::text), audit_field(encode(e.previous_hash, 'hex')),
    audit_field(e.id::text), audit_field((extract(epoch from e.at) * 1000000)::bigint::text),
    audit_field(e.actor_kind), audit_field(e.actor), audit_field(e.actor_name), audit_field(e.action),
    audit_field(e.result), audit_field(e.merchant_id::text), audit_field(e.env), audit_field(e.subject),
    audit_field(e.detail::text), audit_field(e.reason), audit_field(e.request_id), audit_field(e.address),
    audit_field(e.user_agent), audit_field(e.role), audit_field(e.strength)
  );
end
$$;

-- The kind of an actor in entries of processes that do not record it, those of version 0.2.
create function kind_of_actor(actor text) returns text
language sql immutable parallel safe
return case when actor like 'cred\_%' then 'credential' else 'break_glass' end;

-- The hash before the first entry of a chain.
create function audit_genesis() returns bytea
language sql immutable parallel safe
return decode(repeat('00', 32), 'hex');

-- Appends an entry to a chain: to the one that this transaction already uses, to one that is free, or else to one that it
-- waits for. A transaction never holds two, so two transactions cannot wait for each other's. This lock is the last one
-- that a transaction takes. Runs as the owner: no other role may insert a link. The statement after the lock has a new
-- snapshot and sees the newest link; where it has not, in a repeatable read, the primary key refuses the second entry.
-- A plan that a connection made while the tables were small must not read them whole later: it uses indexes only.
create function chain_audit_entry() returns trigger
language plpgsql security definer
set search_path = pg_catalog, public, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  used smallint;
  head audit_links;
begin
  select chain into used from audit_chains
  where chain = nullif(current_setting('malipo.audit_chain', true), '')::smallint
  for no key update;
  if not found then
    select chain into used from audit_chains order by chain for no key update skip locked limit 1;
  end if;
  if not found then
    select chain into used from audit_chains where chain = 1 + pg_backend_pid() % 8 for no key update;
  end if;
  perform set_config('malipo.audit_chain', used::text, true);
  select * into head from audit_links where chain = used order by number desc limit 1;
  new.at := clock_timestamp();
  new.actor_kind := coalesce(new.actor_kind, kind_of_actor(new.actor));
  new.actor_name := coalesce(new.actor_name, new.actor);
  new.chain := used;
  new.number := coalesce(head.number, 0) + 1;
  new.previous_hash := coalesce(head.hash, audit_genesis());
  new.hash := sha256(convert_to(canonical_audit(new), 'UTF8'));
  insert into audit_links (chain, number, hash, batch) values (new.chain, new.number, new.hash, current_batch());
  return new;
end
$$;
revoke execute on function chain_audit_entry from public;

-- Entries of earlier versions form the start of the first chain, in the order of their time -------------------------

create policy chain_earlier on audit_entries to malipo_owner using (true) with check (true);
do $$
declare
  e audit_entries;
  before bytea := audit_genesis();
  place bigint := 0;
begin
  for e in select * from audit_entries order by at, id loop
    place := place + 1;
    e.actor_kind := kind_of_actor(e.actor);
    e.actor_name := e.actor;
    e.chain := 1;
    e.number := place;
    e.previous_hash := before;
    e.hash := sha256(convert_to(canonical_audit(e), 'UTF8'));
    update audit_entries
    set actor_kind = e.actor_kind, actor_name = e.actor_name, chain = e.chain, number = e.number,
      previous_hash = e.previous_hash, hash = e.hash
    where id = e.id;
    insert into audit_links (chain, number, hash, batch) values (e.chain, e.number, e.hash, current_batch());
    before := e.hash;
  end loop;
end
$$;
drop policy chain_earlier on audit_entries;

alter table audit_entries
  alter column actor_kind set not null,
  alter column actor_name set not null,
  alter column chain set not null,
  alter column number set not null,
  alter column previous_hash set not null,
  alter column hash set not null;

create trigger chain_entry before insert on audit_entries for each row execute function chain_audit_entry();

-- Reading: a chain in its order, and the filters of `malipo audit list`.
create index audit_entries_of_chain on audit_entries (chain, number);
create index audit_entries_of_actor on audit_entries (actor, id);
create index audit_entries_of_action on audit_entries (action, id);
create index audit_entries_of_subject on audit_entries (subject, id);
create index audit_entries_refused on audit_entries (id) where result = 'refused';

-- Processes insert what happened. They may not choose its time or its place in a chain. Version 0.2 inserts some of these
-- columns, so inserting stays a right and the trigger does the chaining.
revoke insert on audit_entries from malipo_write;
grant insert (id, actor_kind, actor, actor_name, action, result, merchant_id, env, subject, detail, reason, request_id,
  address, user_agent, role, strength) on audit_entries to malipo_write;

-- After a restore into another cluster the numbers in audit_links stay below those of new transactions.
create or replace function highest_batch() returns bigint
language sql stable
return greatest(
  (select max(batch) from ledger_batches),
  (select max(batch) from batch_commits),
  (select max(batch) from audit_heads()),
  (select folded_below from delta_folds),
  (select checked_below from ledger_checkpoints),
  (select settled_below from ledger_seals order by number desc limit 1),
  (select max(relayed_below) from relays),
  0
);
