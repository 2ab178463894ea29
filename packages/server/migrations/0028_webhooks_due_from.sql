-- While a session held a snapshot, claims of webhooks read every time that a record had ever been due at: 422 ms after 120,000
-- deliveries. An endpoint now says from when on a record of it may wait, and claims read from there.
set local role malipo_owner;

-- No record of this endpoint that waits is due before this.
alter table webhook_endpoints add column due_from timestamptz not null default '-infinity';
grant update (due_from) on webhook_endpoints to malipo_write;
