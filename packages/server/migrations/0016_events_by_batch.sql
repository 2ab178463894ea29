-- Events know the transaction that wrote them, as batches of the ledger do. The relay tells those whose transactions have all
-- ended, in that order, each once: by time it had to go back again and again for what was committed late, and missed what was
-- committed later than that. What a process of before this writes gets its number too.
set local role malipo_owner;

alter table events add column batch bigint;
alter table events alter column batch set default pg_current_xact_id()::text::bigint;

drop index events_by_time;
create index events_by_batch on events (batch, transaction_id, number) where name is not null;

-- What was written before this is told by the relays of before this, which still go by told_until.
do $$
begin
  execute format('alter table relays add column told_below bigint not null default %s', pg_current_xact_id());
end
$$;
grant update (told_below) on relays to malipo_write;
