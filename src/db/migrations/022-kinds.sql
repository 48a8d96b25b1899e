-- Movements that real books have. Their effect on the stock stands in src/ledger/kinds.ts.
--
-- The type is made anew: a value that is added to a type cannot be used in the same transaction, in which a backup is restored.
drop view sales_order_line_issued;
drop index stock_movement_item_id_batch_no_idx;
alter table stock_movement drop constraint stock_movement_check;
alter type movement_kind rename to movement_kind_before;
create type movement_kind as enum (
  'production_receipt', 'purchase_receipt', 'transfer_in', 'other_receipt', 'sales_return',
  'issue', 'consumption', 'rejection', 'shortage', 'trash', 'move_to_bad', 'transfer_out', 'unpack',
  'hold', 'release',
  'internal_issue', -- without an order: samples, maintenance, own use
  'vendor_return',
  'value_increase', -- of the value alone: landed cost, revaluation
  'value_decrease'
);
alter table stock_movement alter kind type movement_kind using kind::text::movement_kind;
alter table stock_closing alter kind type movement_kind using kind::text::movement_kind;
alter table stock_flow alter kind type movement_kind using kind::text::movement_kind;
drop type movement_kind_before;
create index on stock_movement (item_id, batch_no) where kind = 'production_receipt';
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

alter table stock_movement
  add constraint stock_movement_check check (
    qty >= 0 and val >= 0 and val_tax >= val and transfer_charge >= 0
    and (qty > 0) = (kind not in ('value_increase', 'value_decrease'))
    and (order_no is not null) = (kind in ('issue', 'sales_return'))
    and (order_no is null) = (order_line_no is null)
    and (for_item_id is null or kind = 'consumption')
    and (for_item_id is not null or for_batch_no is null)
    and (po_no is null or kind in ('purchase_receipt', 'vendor_return'))
    and (po_no is null) = (grn_no is null)
    and (transfer_charge = 0 or kind in ('transfer_in', 'transfer_out')));
-- With its type a column loses its statistics (013).
analyze stock_movement (kind);

-- A warehouse has whatever key its source gives it. The contract's 32 hex digits are the key itself if it is such a one.
alter table warehouse add column code code;
update warehouse set code = key;
alter table warehouse
  alter column code set not null,
  add unique (code),
  drop column key,
  add column key text collate "C" not null unique
    generated always as (case when code ~ '^[0-9a-f]{32}$' then code::text else md5(code) end) stored;

-- Consumables (CON) and tools (TOOL) are kept in stock beside raw and packing materials.
alter table item
  drop constraint item_material_kind_check,
  add constraint item_material_kind_check check (material_kind in ('RAW', 'PCK', 'CON', 'TOOL'));

-- A decision may be known without who took it or when.
alter table purchase_order_approval
  drop constraint purchase_order_approval_check,
  add constraint purchase_order_approval_check check (status <> 'Pending' or approver is null and action_at is null);

-- An order's own shipping address may lack any of its parts.
alter table sales_order drop constraint sales_order_check;
