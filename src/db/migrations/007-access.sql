-- Access to the API (docs/decisions/0012, 0021 and 0023). Secrets and passwords are stored as argon2id hashes; tokens, codes and
-- tickets, which are 256 random bits, as their SHA-256.

-- Clients and users ---------------------------------------------------------------------------------------------------

create table api_user (
  username text collate "C" primary key check (username <> ''),
  password_hash text not null,
  role text collate "C" not null default 'reader' check (role in ('reader', 'operator')),
  groups text[] check (cardinality(groups) > 0), -- of reports; null: every group
  hide_contacts boolean not null default false,  -- phone and email come as empty strings
  created_at timestamptz not null default now(),
  disabled_at timestamptz
);

create table api_client (
  client_id text collate "C" primary key,
  name text collate "C" not null unique check (name <> ''),
  secret_hash text,                              -- null: a public client (RFC 6749 §2.1)
  old_secret_hash text,                          -- the secret before this one, valid for a while after a rotation
  old_secret_until timestamptz,
  grants text[] not null default array['password', 'refresh_token'],
  redirect_uris text[] not null default '{}',    -- compared exactly; a path is one of the service's origin
  groups text[] check (cardinality(groups) > 0), -- null: every group
  hide_contacts boolean not null default false,
  rate integer check (rate > 0),                 -- units a minute; null: the service's default
  created_at timestamptz not null default now(),
  disabled_at timestamptz,
  constraint api_client_grants_check check (
    cardinality(grants) > 0
    and grants <@ array['password', 'refresh_token', 'client_credentials', 'authorization_code']
    and (secret_hash is not null or grants <@ array['authorization_code', 'refresh_token'])
    and ('authorization_code' = any (grants)) = (cardinality(redirect_uris) > 0)),
  check ((old_secret_hash is null) = (old_secret_until is null))
);

insert into api_client (client_id, name, grants, redirect_uris)
values ('console', 'console', array['authorization_code'], array['/session/callback']);

-- Codes and tokens ----------------------------------------------------------------------------------------------------

-- A code works once. Its row stays while there are tokens that came from it, by refreshing too: deleting it ends all of them.
create table authorization_code (
  code_hash bytea primary key check (octet_length(code_hash) = 32),
  client_id text collate "C" not null references api_client on delete cascade,
  username text collate "C" not null references api_user on delete cascade,
  redirect_uri text not null,
  challenge text not null,                       -- the S256 hash of the verifier (RFC 7636)
  groups text[] check (cardinality(groups) > 0), -- that the request asked for; null: all that client and user may use
  expires_at timestamptz not null,
  used_at timestamptz
);
create index on authorization_code (client_id);
create index on authorization_code (username);
create index on authorization_code (expires_at);

create table api_token (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  id uuid not null default gen_random_uuid() unique, -- names it to operators, and says nothing about the token
  kind text not null check (kind in ('access', 'refresh')),
  client_id text collate "C" not null references api_client on delete cascade,
  username text collate "C" references api_user on delete cascade, -- null: a machine's token
  groups text[] check (cardinality(groups) > 0), -- that the request asked for; null: all that client and user may use
  -- The refresh token that this token came with or from. It ends with it, and cannot be issued while that one is being ended.
  refresh_hash bytea references api_token on delete cascade,
  code_hash bytea references authorization_code on delete cascade,
  address text collate "C",                      -- that the token was issued to
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index on api_token (expires_at);
create index on api_token (client_id);
create index on api_token (username);
create index on api_token (refresh_hash);
create index on api_token (code_hash);

-- Refresh tokens that were replaced by a new one. If one of them comes again, it was stolen, and the code's row and all its
-- tokens are deleted (RFC 9700 §4.14).
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

-- The version of access -----------------------------------------------------------------------------------------------

-- Every process caches the tokens that it has seen, and looks them up again when this number has changed.
create table access_version (
  only_one boolean primary key default true check (only_one),
  version bigint not null
);
insert into access_version (version) values (1);

-- With the rights of its owner: a role that may end a token need not be able to write here. 008 sets its search path.
create function access_changed() returns trigger language plpgsql security definer as $$
begin
  update access_version set version = version + 1;
  perform pg_notify('millbook_version', 'changed');
  return null;
end $$;
create trigger access_changed after update or delete on api_token for each statement execute function access_changed();
create trigger access_changed after update or delete on api_client for each statement execute function access_changed();
create trigger access_changed after update or delete on api_user for each statement execute function access_changed();

-- Limits and the audit trail ------------------------------------------------------------------------------------------

-- Attempts to sign in, for the limits on guessing. The claimed name is stored as its SHA-256: people type passwords into the field
-- for the name.
create table sign_in (
  subject bytea not null check (octet_length(subject) = 32),
  address text collate "C" not null,             -- '': all addresses from which it never succeeded
  failures integer not null default 0,           -- since the last success
  failed_at timestamptz,
  succeeded_at timestamptz,
  primary key (subject, address)
);
create index on sign_in ((greatest(failed_at, succeeded_at)));

-- The units of its rate that each client has used in the current minute. Unlogged: a crash may lose them.
create unlogged table rate_use (
  client_id text collate "C" primary key references api_client on delete cascade,
  minute timestamptz not null,
  used integer not null
);

-- Acts of administrators, and tokens that were issued. An entry names clients and users as they were called then, and holds no
-- secret.
create table audit_entry (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  act text collate "C" not null,                 -- client.create, user.disable, token.issue, …
  actor text collate "C" not null,               -- the system's user at a command line; the client over HTTP
  client text collate "C",
  username text collate "C",
  address text collate "C",
  detail jsonb not null default '{}'
);
create index on audit_entry (at);
create index on audit_entry (client, at);
create index on audit_entry (username, at);
