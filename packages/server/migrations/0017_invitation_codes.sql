-- Invitations that two people made: the proposer gets the link, the approver a code, and joining needs both. Neither of
-- them alone can join in the name of the invited person.
set local role malipo_owner;

alter table invitations
  -- Keyed hash of the approver's code; null for an invitation of one person.
  add column code_hash text,
  -- How often a code was tried, right or wrong. After ten tries the invitation cannot be used.
  add column code_tries smallint not null default 0;

grant update (code_hash, code_tries) on invitations to malipo_write;
