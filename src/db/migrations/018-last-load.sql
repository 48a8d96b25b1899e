-- What the last load did, for the metrics: {"rows", "seconds", "warnings"}.
alter table data_version add column last_load jsonb;
