-- The owner of a read is looked up once per statement, not once per row: a profile with fourteen wallets reads faster.
set local role malipo_owner;

alter policy read_own on merchants
  using (id = (select current_merchant()));
alter policy read_own on webhook_endpoints
  using (merchant_id = (select current_merchant()));
alter policy read_own on audit_entries
  using (merchant_id = (select current_merchant()) and (env is null or env = (select current_environment())));
alter policy read_own on wallets
  using (merchant_id = (select current_merchant()) and env = (select current_environment()));
