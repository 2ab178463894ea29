-- What the operator's staff looks for by itself: payments whose provider said the opposite of what is final here. They are
-- few among all there ever were, so they are found by an index of their own.
set local role malipo_owner;

create index transactions_disagreeing on transactions (id) where discrepancy <> '';
