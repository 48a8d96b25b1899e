-- Rows that loads with --reject left out because they were wrong.

alter table load_log add column rejected bigint not null default 0;
-- Of the last pull; 0 after a failed one.
alter table pull add column rejected bigint not null default 0;
