-- That a month is its first day, asked without the calendar of a time zone, which is slow.
alter table stock_month drop constraint stock_month_month_check, add check (extract(day from month) = 1);
alter table stock_closing drop constraint stock_closing_month_check, add check (extract(day from month) = 1);
alter table stock_start drop constraint stock_start_month_check, add check (extract(day from month) = 1);
alter table batch_flow drop constraint batch_flow_month_check, add check (extract(day from month) = 1);
