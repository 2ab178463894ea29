-- Lanes share a provider's rate fairly and are skipped by routing while their provider is unhealthy. Which payments are held back
-- is defined here, once.
set local role malipo_owner;

-- A lane's row has the provider's total. A row `env/provider/operation` has the limit of one operation, where one is set.
-- The reserve is what requests that send at once must leave to the lane.
alter table lanes
  add column reserve double precision not null default 0,
  add column unhealthy_until timestamptz;
grant update (reserve, unhealthy_until) on lanes to malipo_write;

-- Whether the next request for a payment sends it, for the first time or again.
create function is_to_send(state text, is_lost boolean) returns boolean
language sql immutable parallel safe
return state = 'accepted' or (state = 'unknown' and is_lost);

-- Why a payment is not worked on although it is due: its provider is paused, or its merchant frozen, for whom nothing is sent
-- and all that was sent is asked about. Null when nothing holds it back.
create function held_by(state text, is_lost boolean, frozen_at timestamptz, paused_at timestamptz) returns text
language sql immutable parallel safe
return case
  when paused_at is not null then 'paused'
  when frozen_at is not null and is_to_send(state, is_lost) then 'frozen'
end;

-- Which queue of its lane a payment waits in: a charge to be sent, a charge of which its provider has hinted at news, a payout
-- to be sent, or a question.
create function work_kind(type text, state text, is_lost boolean, is_hinted boolean) returns text
language sql immutable parallel safe
return case
  when is_to_send(state, is_lost) then case type when 'deposit' then 'prompt' else 'payout' end
  when type = 'deposit' and is_hinted then 'hint'
  else 'poll'
end;

-- A provider that can never take a payment, by what is known of it here, is not tried with it again.
alter table attempts
  drop constraint attempts_outcome_is_known,
  add constraint attempts_outcome_is_known
    check (outcome in ('successful', 'failed', 'not_submitted', 'unwritable')) not valid;
