-- Webhooks, and the outbox of everything that people and programs are told (docs/decisions/0053).

create table webhook (
  id text collate "C" primary key,
  name label not null unique check (name <> ''),
  url text not null,
  events text[], -- null: all
  secret text not null, -- readable, because messages are signed with it; only the service and its administrators may select it
  old_secret text, -- of a rotation: signs too, until its time
  old_secret_until timestamptz,
  since_version bigint not null, -- only later versions are told
  created_at timestamptz not null default clock_timestamp(),
  failing_since timestamptz, -- null: the last attempt succeeded
  disabled_at timestamptz,
  disabled_why text,
  check ((old_secret is null) = (old_secret_until is null)),
  check ((disabled_at is null) = (disabled_why is null))
);

-- What happened, written in the transaction that makes it true. A service makes a delivery for each webhook that takes it.
create table event (
  id text collate "C" primary key default 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  number bigint generated always as identity unique,
  type text collate "C" not null,
  at timestamptz not null default clock_timestamp(),
  data json not null, -- json, because every attempt sends and signs the same text
  changed text[], -- of data.version: the tables that it changed; null: any
  dispatched boolean not null default false
);
create index on event (number) where not dispatched;
create index on event (at);

create table delivery (
  id bigint generated always as identity primary key,
  event text collate "C" not null references event on delete cascade,
  webhook text collate "C" not null references webhook on delete cascade,
  state text collate "C" not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts jsonb not null default '[]', -- [{"at", "status", "error"}, …]
  tries integer not null default 0, -- attempts since the delivery was made, or asked for again
  next_at timestamptz not null default clock_timestamp(), -- if it is pending
  leased_until timestamptz, -- a service is sending it
  unique (webhook, event)
);
create index on delivery (event);
create index on delivery (webhook, next_at) where state = 'pending';

-- With the rights of its owner: the loader need not be able to write events.
create function note_event() returns trigger language plpgsql security definer as $$
begin
  insert into event (type, data, changed)
  values ('data.version', json_build_object('version', new.version),
          case when new.tables ->> '' is distinct from new.id
               then array(select key from jsonb_each_text(new.tables) where value = new.id) end);
  return null;
end $$;
create trigger note_event after update of version on data_version for each row execute function note_event();

do $$ begin
  execute format('alter function note_event() set search_path = %I, pg_temp', current_schema());
  revoke execute on function note_event() from public;
end $$;
