-- For insight.trace: the movements of a batch, and batches by their number (docs/decisions/0048).
create index on stock_movement (item_id, batch_no) where batch_no is not null;
create index on batch (batch_no);
