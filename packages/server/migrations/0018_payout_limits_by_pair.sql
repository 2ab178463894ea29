-- Day limits of a key pair count by its public key, which stays when the API key is replaced.
set local role malipo_owner;

-- What the credential's day limit counts the payout under, if that is not made_by.
alter table controlled_payouts add column counted_as text;
