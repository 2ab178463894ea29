-- Where the waiting records of an endpoint start, so that claims read the newest months and not every month there is.
set local role malipo_owner;

-- No waiting record of the endpoint has a smaller id. Claims raise it (webhooks/claim.ts); who makes an older record wait lowers it.
-- A constant default: no row is rewritten. Processes of the version before do not lower it: the sweep of endpoints does.
alter table webhook_endpoints
  add column waiting_from uuid not null default '00000000-0000-0000-0000-000000000000';
alter table added_webhook_endpoints
  add column waiting_from uuid not null default '00000000-0000-0000-0000-000000000000';

grant update (waiting_from) on webhook_endpoints to malipo_write;
grant update (waiting_from) on added_webhook_endpoints to malipo_write;
