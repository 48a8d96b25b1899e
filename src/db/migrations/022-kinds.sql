-- Movements that real books have. Their effect on the stock stands in src/ledger/kinds.ts.
--
-- A value that is added to a type cannot be named in the same transaction, so the constraint below compares these as text,
-- and only where the kinds that came before do not decide it.
alter type movement_kind add value 'internal_issue'; -- without an order: samples, maintenance, own use
alter type movement_kind add value 'vendor_return';
alter type movement_kind add value 'value_increase'; -- of the value alone: landed cost, revaluation
alter type movement_kind add value 'value_decrease';

alter table stock_movement
  drop constraint stock_movement_check,
  add constraint stock_movement_check check (
    qty >= 0 and val >= 0 and val_tax >= val and transfer_charge >= 0
    and (qty > 0 or kind > 'release' and kind::text in ('value_increase', 'value_decrease'))
    and (qty = 0 or kind <= 'release' or kind::text not in ('value_increase', 'value_decrease'))
    and (order_no is not null) = (kind in ('issue', 'sales_return'))
    and (order_no is null) = (order_line_no is null)
    and (for_item_id is null or kind = 'consumption')
    and (for_item_id is not null or for_batch_no is null)
    and (po_no is null or kind = 'purchase_receipt' or kind > 'release' and kind::text = 'vendor_return')
    and (po_no is null) = (grn_no is null)
    and (transfer_charge = 0 or kind in ('transfer_in', 'transfer_out')));

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
