-- The ledger is read by item and day, and a movement is found by its number, for which there is an index. So one index can
-- serve as the primary key and for reading.
alter table stock_movement
  drop constraint stock_movement_pkey,
  add primary key (item_id, movement_date, movement_no);
drop index stock_movement_item_id_movement_date_idx;

-- What a movement must be, asked at once: as eleven constraints it took an eighth of the time of inserting movements.
alter table stock_movement
  drop constraint stock_movement_qty_check,
  drop constraint stock_movement_val_check,
  drop constraint stock_movement_transfer_charge_check,
  drop constraint stock_movement_check,
  drop constraint stock_movement_check1,
  drop constraint stock_movement_check2,
  drop constraint stock_movement_check3,
  drop constraint stock_movement_check4,
  drop constraint stock_movement_check5,
  drop constraint stock_movement_check6,
  drop constraint stock_movement_check7,
  add constraint stock_movement_check check (
    qty > 0 and val >= 0 and val_tax >= val and transfer_charge >= 0
    and (order_no is not null) = (kind in ('issue', 'sales_return'))
    and (order_no is null) = (order_line_no is null)
    and (for_item_id is not null) = (kind = 'consumption')
    and (for_item_id is null) = (for_batch_no is null)
    and (po_no is null or kind = 'purchase_receipt')
    and (po_no is null) = (grn_no is null)
    and (transfer_charge = 0 or kind in ('transfer_in', 'transfer_out')));

-- A code is not empty and has no white space at its ends, asked by comparing bytes: a load asks it of every code that it
-- copies, and trimming took twice as long. In this collation, white space and nothing sort before an exclamation mark.
-- (It has to be named: here the value has that of the database, not that of the domain.)
alter domain code drop constraint code_check;
alter domain code add constraint code_check check (value >= '!' collate "C" and right(value, 1) >= '!' collate "C");

-- What a movement refers to is called as it is there, so no code has to be asked of again in the ledger: a load asked it of
-- every movement five times, also where there is none. (The view uses one of the columns, and is made again as it was.)
drop view sales_order_line_issued;
alter table stock_movement
  alter batch_no type text collate "C",
  alter order_no type text collate "C",
  alter for_batch_no type text collate "C",
  alter po_no type text collate "C",
  alter grn_no type text collate "C";
create view sales_order_line_issued as
select l.order_no, l.line_no, q.issued_qty, case when q.issued_qty > 0 then i.last_issue_date end as last_issue_date
  from sales_order_line l
 cross join lateral (
   select coalesce(sum(m.qty) filter (where m.item_id = l.item_id), 0) as own_qty, max(m.movement_date) as last_issue_date
     from stock_movement m
    where m.order_no = l.order_no and m.order_line_no = l.line_no and m.kind = 'issue') i
 cross join lateral (
   select i.own_qty + coalesce(min(div(
            (select coalesce(sum(m.qty), 0) from stock_movement m
              where m.order_no = l.order_no and m.order_line_no = l.line_no and m.kind = 'issue'
                and m.item_id = c.component_id), c.qty)), 0) as issued_qty
     from combo_line c where c.combo_id = l.item_id) q;

-- With its type a column loses its statistics, and a load that brings nothing new would not make them again.
analyze stock_movement (batch_no, order_no, for_batch_no, po_no, grn_no);
