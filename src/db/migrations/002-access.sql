-- Who may call the API. Secrets and passwords are stored as argon2id hashes, tokens as SHA-256 (they are 256 random bits).

create table api_user (
  username text collate "C" primary key check (username <> ''),
  password_hash text not null,
  created_at timestamptz not null default now(),
  disabled_at timestamptz
);

create table api_client (
  client_id text collate "C" primary key,
  name text collate "C" not null unique check (name <> ''),
  secret_hash text not null,
  groups text[] check (cardinality(groups) > 0), -- null: every group
  hide_contacts boolean not null default false,  -- phone and email come as empty strings
  created_at timestamptz not null default now(),
  disabled_at timestamptz
);

create table api_token (
  token_hash bytea primary key check (octet_length(token_hash) = 32),
  kind text not null check (kind in ('access', 'refresh')),
  client_id text collate "C" not null references api_client on delete cascade,
  username text collate "C" not null references api_user on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index on api_token (expires_at);
