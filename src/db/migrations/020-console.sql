-- Signing in by a page of the service (docs/decisions/0021): rights of users, public clients, authorization codes and sign-in links.

alter table api_user
  add column role text collate "C" not null default 'reader' check (role in ('reader', 'operator')),
  add column groups text[] check (cardinality(groups) > 0), -- null: every group
  add column hide_contacts boolean not null default false;  -- phone and email come as empty strings

alter table api_client
  alter column secret_hash drop not null,                   -- a public client has none (RFC 6749 §2.1)
  add column redirect_uris text[] not null default '{}',    -- compared exactly; a path is one of this service's own origin
  drop constraint api_client_grants_check,
  add constraint api_client_grants_check check (
    cardinality(grants) > 0
    and grants <@ array['password', 'refresh_token', 'client_credentials', 'authorization_code']
    and (secret_hash is not null or grants <@ array['authorization_code', 'refresh_token'])
    and ('authorization_code' = any (grants)) = (cardinality(redirect_uris) > 0));

-- A code works once. Its row stays while there are tokens that came from it, by refreshing too: deleting it ends all of them.
create table authorization_code (
  code_hash bytea primary key check (octet_length(code_hash) = 32),
  client_id text collate "C" not null references api_client on delete cascade,
  username text collate "C" not null references api_user on delete cascade,
  redirect_uri text not null,
  challenge text not null,                                  -- the S256 hash of the verifier (RFC 7636)
  groups text[] check (cardinality(groups) > 0),            -- what was asked for; null: whatever client and user may use
  expires_at timestamptz not null,
  used_at timestamptz
);
create index on authorization_code (client_id);
create index on authorization_code (username);
create index on authorization_code (expires_at);

alter table api_token add column code_hash bytea references authorization_code on delete cascade;
create index on api_token (code_hash);

-- Refresh tokens that were replaced by a new one: whoever sends one of them again has a stolen copy, or was robbed (RFC 9700 §4.14).
create table spent_token (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  code_hash bytea not null references authorization_code on delete cascade
);
create index on spent_token (code_hash);

-- Links that open the console signed in, once.
create table sign_in_link (
  ticket_hash bytea primary key check (octet_length(ticket_hash) = 32),
  username text collate "C" not null references api_user on delete cascade,
  expires_at timestamptz not null
);
create index on sign_in_link (username);

insert into api_client (client_id, name, grants, redirect_uris)
select 'console', case when exists (select from api_client where name = 'console') then 'console (built in)' else 'console' end,
       array['authorization_code'], array['/session/callback'];
