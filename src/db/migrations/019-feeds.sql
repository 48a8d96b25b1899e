-- What changed since: a feed follows one report with one set of parameters. Each state of it that a caller got is a step, named by
-- a token; the rows of feed_record have the key and a hash of every record, from the step that first had it to the one that no
-- longer did. The difference between any two steps follows from these rows.
create table feed (
  id integer generated always as identity primary key,
  question text not null unique, -- a hash of the report, its parameters, its key and whether contact data is shown
  report text not null,
  last_step integer not null default 0,
  row_count bigint not null default 0 -- of feed_record
);

create table feed_step (
  token text primary key,
  feed integer not null references feed,
  number integer not null,
  used_at timestamptz not null default now(),
  unique (feed, number)
);
create index on feed_step (used_at);

-- Without a foreign key: checking a million rows takes longer than writing them.
create table feed_record (
  feed integer not null,
  key_hash uuid not null,
  hash uuid not null,
  first_step integer not null,
  end_step integer,
  key text not null, -- a JSON array
  primary key (feed, key_hash, first_step)
);
create index on feed_record (feed, first_step);
create index on feed_record (feed, end_step) where end_step is not null;

-- The records of a step that is being written; empty outside of its transaction.
create unlogged table feed_arrival (
  feed integer not null,
  key_hash uuid not null,
  hash uuid not null,
  key text not null
);
