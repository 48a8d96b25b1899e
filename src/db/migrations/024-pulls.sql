-- Pulls from other programs (docs/decisions/0026): one row per connector, written after each pull.
create table pull (
  connector text collate "C" primary key,
  source text not null,                      -- for people; never holds a password
  pulled_at timestamptz not null,            -- the last pull, whether it failed or not
  succeeded_at timestamptz,                  -- the last one that did not
  failure text collate "C" check (failure in ('source', 'rows', 'load')), -- null: the last one succeeded
  error text,                                -- in words, for operators
  check ((failure is null) = (error is null))
);
