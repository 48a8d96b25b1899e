-- The month in which the account's financial year begins, for groups and periods.

alter table account add column year_begins smallint not null default 4 check (year_begins between 1 and 12);
