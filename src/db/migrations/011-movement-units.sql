-- Movements in a unit of item_units; the head of 002 describes `unit` and `given`. There is no index of them: a load finds the movements
-- to convert by their number or their item. Like the documents of a movement, the unit is text without the check of its domain.

alter table stock_movement add column unit text collate "C";
alter table stock_movement add column given jsonb;
