-- Documents that real books have: credit notes and negative lines, lines without an item, invoices over several orders or
-- without one, walk-in sales, a delivery date and a warehouse for each line.

alter table purchase_order
  drop constraint purchase_order_taxable_amt_check,
  drop constraint purchase_order_tax_amt_check;
alter table purchase_order_line
  alter column item_id drop not null, -- null: freight, a text
  drop constraint purchase_order_line_qty_check,
  drop constraint purchase_order_line_rate_check,
  drop constraint purchase_order_line_taxable_amt_check,
  drop constraint purchase_order_line_tax_amt_check,
  drop constraint purchase_order_line_total_amt_check,
  add column delivery_date day; -- null: that of the order

alter table goods_receipt_line add column warehouse_id integer references warehouse; -- null: that of the receipt

-- What has no item is never received.
create or replace view purchase_order_status as
select po.po_no, s.status_code,
       (array['CREATED', 'PARTIAL RECEIVED', 'RECEIVED', 'CLOSED', 'CANCELLED'])[s.status_code] as po_status,
       case
         when not po.approval_required then 'Not Required'
         when exists (select from purchase_order_approval a where a.po_no = po.po_no and a.status = 'Rejected') then 'Rejected'
         when exists (select from purchase_order_approval a where a.po_no = po.po_no and a.status = 'Pending')
           or not exists (select from purchase_order_approval a where a.po_no = po.po_no) then 'Under Approval'
         else 'Approved'
       end as approval_status
  from purchase_order po
 cross join lateral (
   select case po.state
            when 'CLOSED' then 4
            when 'CANCELLED' then 5
            else (select case when coalesce(sum(r.received_qty), 0) = 0 then 1
                              when bool_and(r.received_qty >= l.qty) then 3
                              else 2 end
                    from purchase_order_line l
                    join purchase_order_line_received r on r.po_no = l.po_no and r.line_no = l.line_no
                   where l.po_no = po.po_no and l.item_id is not null)
          end as status_code) s;

alter table sales_order
  alter column customer_code drop not null, -- null: a customer who walked in
  drop constraint sales_order_taxable_amt_check,
  drop constraint sales_order_tax_amt_check;
alter table sales_order_line
  alter column item_id drop not null,
  drop constraint sales_order_line_qty_check,
  drop constraint sales_order_line_rate_check,
  drop constraint sales_order_line_discount_amt_check,
  drop constraint sales_order_line_effective_rate_check,
  drop constraint sales_order_line_taxable_amt_check,
  drop constraint sales_order_line_tax_amt_check,
  drop constraint sales_order_line_total_amt_check,
  add column delivery_date day;

-- An invoice's number is unique. Its lines name what they are for: a line of any order, an item, or a text.
alter table invoice_line
  drop constraint invoice_line_order_no_invoice_no_fkey,
  drop constraint invoice_line_pkey;
alter table invoice
  drop constraint invoice_pkey,
  add primary key (invoice_no),
  alter column order_no drop not null,
  drop constraint invoice_sub_total_check,
  drop constraint invoice_total_tax_check,
  add column customer_code code references customer, -- null: the order's
  add column kind text not null default 'INVOICE' check (kind in ('INVOICE', 'CREDIT NOTE')),
  add column credit_for code, -- the invoice that a credit note is for
  add column return_no code;  -- the return that it credits
drop index invoice_invoice_at_invoice_no_order_no_idx;
create index on invoice (invoice_at, invoice_no);
create index on invoice (order_no);
alter table invoice_line
  add primary key (invoice_no, line_no),
  add foreign key (invoice_no) references invoice,
  alter column order_no drop not null,
  alter column order_line_no drop not null,
  drop constraint invoice_line_qty_check,
  drop constraint invoice_line_rate_check,
  drop constraint invoice_line_taxable_value_check,
  drop constraint invoice_line_igst_amt_check,
  drop constraint invoice_line_sgst_amt_check,
  drop constraint invoice_line_cgst_amt_check,
  drop constraint invoice_line_total_value_check,
  -- each tax has its rate and amount together; any of them may be there alone
  drop constraint invoice_line_check,
  drop constraint invoice_line_check1,
  drop constraint invoice_line_check2,
  add check ((igst_rate is null) = (igst_amt is null) and (sgst_rate is null) = (sgst_amt is null)
             and (cgst_rate is null) = (cgst_amt is null)),
  add check ((order_no is null) = (order_line_no is null)),
  add column item_id integer references item, -- null: the order line's
  add column description label not null default '';

-- Goods that are sold without an order are issued for a line of an invoice.
alter table stock_movement
  add column invoice_no text collate "C",
  add column invoice_line_no integer,
  drop constraint stock_movement_check,
  add constraint stock_movement_check check (
    qty >= 0 and val >= 0 and val_tax >= val and transfer_charge >= 0
    and (qty > 0) = (kind not in ('value_increase', 'value_decrease'))
    and (order_no is not null or invoice_no is not null) = (kind in ('issue', 'sales_return'))
    and (order_no is null or invoice_no is null)
    and (order_no is null) = (order_line_no is null)
    and (invoice_no is null) = (invoice_line_no is null)
    and (for_item_id is null or kind = 'consumption')
    and (for_item_id is not null or for_batch_no is null)
    and (po_no is null or kind in ('purchase_receipt', 'vendor_return'))
    and (po_no is null) = (grn_no is null)
    and (transfer_charge = 0 or kind in ('transfer_in', 'transfer_out')));
create index on stock_movement (invoice_no, invoice_line_no) where invoice_no is not null;
