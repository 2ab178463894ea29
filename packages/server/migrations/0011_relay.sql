-- How far events have been told to the operator's other systems. NATS may forget all it was told; this does not.
set local role malipo_owner;

create index events_by_time on events using brin (at) with (pages_per_range = 32, autosummarize = on);

create table relays (
  name text primary key,
  told_until timestamptz not null,
  -- Whoever holds it relays; the others wait until it has run out.
  held_by uuid,
  held_until timestamptz not null default '-infinity'
);
insert into relays (name, told_until) values ('events', '-infinity');

alter table relays enable row level security, force row level security;
create policy write_all on relays to malipo_write using (true) with check (true);
grant select, update (told_until, held_by, held_until) on relays to malipo_write;
