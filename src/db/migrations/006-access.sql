-- Who may call the API, and how often: rotation of secrets, tokens of machines, revocation, guessing, rates, an audit trail.

alter table api_client
  add column grants text[] not null default array['password', 'refresh_token']
    check (cardinality(grants) > 0 and grants <@ array['password', 'refresh_token', 'client_credentials']),
  add column rate integer check (rate > 0),       -- units a minute; null: what the service gives by default
  add column old_secret_hash text,                -- the secret before this one, valid for a while after a rotation
  add column old_secret_until timestamptz,
  add check ((old_secret_hash is null) = (old_secret_until is null));

alter table api_token
  alter column username drop not null,            -- a machine's token is in nobody's name
  add column groups text[] check (cardinality(groups) > 0), -- what was asked for; null: whatever its client may use
  -- The refresh token that it came with or from. It ends with it, and cannot be issued while that one is being ended.
  add column refresh_hash bytea references api_token on delete cascade;
create index on api_token (client_id);
create index on api_token (username);
create index on api_token (refresh_hash);

-- Every process keeps the tokens that it has seen, and looks at this number to learn that they are to be looked up again.
create table access_version (
  only_one boolean primary key default true check (only_one),
  version bigint not null
);
insert into access_version (version) values (1);

-- With the rights of its owner: whoever may end a token need not be able to write here.
create function access_changed() returns trigger language plpgsql security definer set search_path from current as $$
begin
  update access_version set version = version + 1;
  return null;
end $$;
create trigger access_changed after update or delete on api_token for each statement execute function access_changed();
create trigger access_changed after update or delete on api_client for each statement execute function access_changed();
create trigger access_changed after update or delete on api_user for each statement execute function access_changed();

-- Attempts to sign in, for the limits on guessing. What was claimed stands here as its SHA-256: what is typed as a name
-- may be a password.
create table sign_in (
  subject bytea not null check (octet_length(subject) = 32),
  address text collate "C" not null,              -- '' for all those that it never succeeded from
  failures integer not null default 0,            -- since the last success
  failed_at timestamptz,
  succeeded_at timestamptz,
  primary key (subject, address)
);
create index on sign_in ((greatest(failed_at, succeeded_at)));

-- What each client has used up of its rate in the current minute. Not worth a crash's care.
create unlogged table rate_use (
  client_id text collate "C" primary key references api_client on delete cascade,
  minute timestamptz not null,
  used integer not null
);

-- Who did what about access, and which tokens were issued. It names clients and users as they were called then, and
-- holds no secret.
create table audit_entry (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  act text collate "C" not null,                  -- client.create, user.disable, token.issue, …
  actor text collate "C" not null,                -- the system's user at a command line; the client over HTTP
  client text collate "C",
  username text collate "C",
  address text collate "C",
  detail jsonb not null default '{}'
);
create index on audit_entry (at);
create index on audit_entry (client, at);
create index on audit_entry (username, at);
