-- Bringing in files in the console: the role that may, and mappings that are kept under a name.

alter table api_user drop constraint api_user_role_check;
alter table api_user add constraint api_user_role_check check (role in ('reader', 'loader', 'operator'));

create table kept_mapping (
  name text collate "C" primary key,
  text text not null, -- YAML, as in a folder of spreadsheets
  changed_by text not null,
  changed_at timestamptz not null default clock_timestamp()
);
