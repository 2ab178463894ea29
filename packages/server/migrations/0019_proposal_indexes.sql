-- Proposals are read by what they made and by who proposed it: who may have the key of a machine, and which invitations end with
-- a person.
set local role malipo_owner;

create index proposals_of_subject on proposals (subject) where operation = 'machines.create';
create index proposals_of_maker on proposals (maker_id, operation);
