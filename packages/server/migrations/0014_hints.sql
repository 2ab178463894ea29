-- A provider told us, without proof, that there is news, after whoever works on the attempt last asked or sent. What is
-- answered to them may be older than that news, and ends nothing.
set local role malipo_owner;

alter table attempts add column is_hinted boolean not null default false;
grant update (is_hinted) on attempts to malipo_write;
