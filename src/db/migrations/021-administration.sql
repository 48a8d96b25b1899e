-- Administration by the console (docs/decisions/0023): the log of loads, and tokens that can be told apart and ended one by one.

-- Written by each load that changes the data, in its transaction; the loader keeps the newest (src/import/load-log.ts).
create table load_log (
  version bigint primary key,                -- of the data after the load
  committed_at timestamptz not null default now(),
  seconds double precision not null,
  actor text collate "C" not null,           -- the system's user at a command line
  source text[] not null,                    -- the names of the files, or of what else the rows came from
  row_count bigint not null,
  entities jsonb not null,                   -- {"items": {"new", "changed", "same", "removed"}, …}
  warnings integer not null,
  first_warnings jsonb not null              -- texts
);

alter table api_token
  add column id uuid not null default gen_random_uuid() unique, -- says nothing about the token
  add column address text collate "C";                          -- that it was issued to; null: before this column
