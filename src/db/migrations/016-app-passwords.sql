-- App passwords: secrets with which spreadsheets and scripts read reports for a user (docs/decisions/0041).

-- They count as a built-in client, so that an operator can limit or disable all of them. It gets no tokens.
alter table api_client drop constraint api_client_grants_check;
alter table api_client add constraint api_client_grants_check check (
  case when client_id = 'app-passwords' then grants = array['app_password'] and secret_hash is null and redirect_uris = '{}'
       else cardinality(grants) > 0
        and grants <@ array['password', 'refresh_token', 'client_credentials', 'authorization_code']
        and (secret_hash is not null or grants <@ array['authorization_code', 'refresh_token'])
        and ('authorization_code' = any (grants)) = (cardinality(redirect_uris) > 0) end);
insert into api_client (client_id, name, grants)
select 'app-passwords', 'app-passwords' || case when exists (select from api_client where name = 'app-passwords') then ' (built in)' else '' end,
       array['app_password'];

create table app_password (
  id uuid primary key default gen_random_uuid(),   -- says nothing about the secret
  username text collate "C" not null references api_user on delete cascade,
  name text not null check (name <> ''),
  secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
  views text[] check (cardinality(views) > 0),     -- ids; if both are null, all that the user may read
  reports text[] check (cardinality(reports) > 0),
  created_at timestamptz not null default now(),
  used_at timestamptz,                             -- to within some minutes: not every request writes it
  unique (username, name)
);
-- Not for used_at: every process would look up all its tokens again.
create trigger access_changed after delete or update of username, secret_hash, views, reports on app_password
  for each statement execute function access_changed();

-- The app passwords of each user have the rate of their client for themselves; '' counts a whole client.
alter table rate_use add column username text collate "C" not null default '',
  drop constraint rate_use_pkey, add primary key (client_id, username);
