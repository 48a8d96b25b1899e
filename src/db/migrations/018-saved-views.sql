-- Views that people save under a name: a report with its parameters, fields, filters, groups, comparison and order.

create table saved_view (
  id text collate "C" primary key,
  owner text collate "C" not null references api_user (username) on delete cascade,
  name label not null check (name <> ''),
  definition json not null, -- as the owner sent it, without the name and `shared`
  shared text[] default '{}', -- groups of reports whose readers see it; empty: nobody but the owner; null: everyone
  changed_at timestamptz not null default clock_timestamp(),
  unique (owner, name)
);
