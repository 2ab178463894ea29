-- The dashboard: the requests about one payment, and lists that people name and keep.
set local role malipo_owner;

-- The requests about one payment, for the payment's page. Days that are attached later copy it. While it is built, entries of the
-- log wait or are dropped and counted, and no payment waits.
create index request_log_of_transaction on request_log (merchant_id, env, transaction_id, id) where transaction_id is not null;

-- Lists of the dashboard under a name: a page with its filters. A view is its person's; others of the merchant read it while it is
-- shared. No personal data: filters are names and values of a known set, never a text to search for (dashboard/saved-views.ts).
create table saved_views (
  id uuid primary key,
  merchant_id uuid not null references merchants,
  env environment not null,
  person_id uuid not null references people,
  page text not null constraint saved_views_page_is_known check (page in ('payments')),
  name text not null constraint saved_views_name_is_short check (length(name) between 1 and 60),
  filters jsonb not null constraint saved_views_filters_are_short check (
    jsonb_typeof(filters) = 'object' and octet_length(filters::text) <= 2000
  ),
  is_shared boolean not null default false,
  created_at timestamptz not null default record_time(),
  constraint saved_views_one_of_a_name unique (merchant_id, env, person_id, page, name)
);

grant select, insert, delete, update (name, filters, is_shared) on saved_views to malipo_write;
grant select on saved_views to malipo_read;

-- Row security, as in 0010_row_security.sql.
alter table saved_views enable row level security, force row level security;
create policy write_all on saved_views to malipo_write using (true) with check (true);
create policy insert_for_named on saved_views as restrictive for insert to malipo_write
  with check (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null));
create policy update_for_named on saved_views as restrictive for update to malipo_write
  using (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null));
create policy delete_for_named on saved_views as restrictive for delete to malipo_write
  using (coalesce(merchant_id = any ((select named_merchants())::uuid[]), (select named_merchants()) is null));
create policy read_own on saved_views for select to malipo_read
  using (merchant_id = (select current_merchant()) and env = (select current_environment()));
