-- The overview of each user: the arrangement that it starts from, and its pins once the user has changed them.

create table overview (
  username text collate "C" primary key references api_user (username) on delete cascade,
  start text,  -- null: the console chooses by the reports that the user may see
  pins json,   -- as the user sent them; null: the arrangement as it starts
  changed_at timestamptz not null default clock_timestamp()
);
