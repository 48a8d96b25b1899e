/** A skewed company: all its documents are of one item. SQL only, so that tests can make a small one. */

/**
 * Batches of one item, each produced from one material, bought in as many receipts; orders of the item by many customers, each
 * issued from a batch and invoiced, and every second one returned. Documents are numbered day by day, as companies do.
 * @param {{ batches: number, customers: number, orders: number }} size
 */
export const skewedCompany = ({ batches, customers, orders }) => `
  insert into warehouse (id, code, location) values (1, 'W1', 'Plant');
  insert into item (id, sku, name, type, material_kind, unit) values
    (1, 'FG1', 'Ghee', 'FG', null, 'JAR'), (2, 'RM1', 'Milk', 'MAT', 'RAW', 'L');
  insert into bom_line values (1, 2, 2);
  insert into vendor (code, name) values ('V1', 'Vendor');
  insert into customer (code, name) select 'C' || n, 'Customer ' || n from generate_series(1, ${customers}) n;
  insert into purchase_order (po_no, po_date, delivery_date, vendor_code, warehouse_id, taxable_amt, tax_amt, total_amt)
    select 'PO' || n, date '2026-01-01' + n * 89 / ${batches}, date '2026-04-01', 'V1', 1, 20, 0, 20 from generate_series(1, ${batches}) n;
  insert into purchase_order_line (po_no, line_no, item_id, qty, rate, taxable_amt, tax_amt, total_amt)
    select 'PO' || n, 1, 2, 20, 1, 20, 0, 20 from generate_series(1, ${batches}) n;
  insert into goods_receipt (po_no, grn_no, receipt_date, warehouse_id)
    select 'PO' || n, 'G' || n, date '2026-01-01' + n * 89 / ${batches}, 1 from generate_series(1, ${batches}) n;
  insert into goods_receipt_line (po_no, grn_no, line_no, po_line_no, received_qty, accepted_qty, rejected_qty, rate,
                                  taxable_amt, tax_amt, total_amt)
    select 'PO' || n, 'G' || n, 1, 1, 10 + n % 11, 10 + n % 11, 0, 1, 20, 0, 20 from generate_series(1, ${batches}) n;
  insert into batch (item_id, batch_no, source, batch_date, warehouse_id, qty, wastage)
    select 1, 'B' || n, 'PRODUCED', date '2026-01-01' + n * 89 / ${batches}, 1, 10, 0 from generate_series(1, ${batches}) n;
  insert into consumption (item_id, batch_no, line_no, material_id, qty_bom, val_bom)
    select 1, 'B' || n, 1, 2, 20, 20 from generate_series(1, ${batches}) n;
  insert into sales_order (order_no, order_type, order_date, customer_code, warehouse_id, taxable_amt, tax_amt, total_amt)
    select 'SO' || n, 'Online', date '2026-01-01' + n * 89 / ${orders}, 'C' || 1 + n % ${customers}, 1, 10, 0, 10
      from generate_series(1, ${orders}) n;
  insert into sales_order_line (order_no, line_no, item_id, qty, rate, effective_rate, taxable_amt, tax_amt, total_amt)
    select 'SO' || n, 1, 1, 2, 5, 5, 10, 0, 10 from generate_series(1, ${orders}) n;
  insert into sales_return (order_no, return_no, order_line_no, return_date, kind, usable_qty, unusable_qty, taxable_amt, tax_amt)
    select 'SO' || n, 'R' || n, 1, date '2026-04-01', 'RTO', 1, 0, 5, 0 from generate_series(1, ${orders}) n where n % 2 = 0;
  insert into invoice (invoice_no, order_no, invoice_at, due_date, sub_total, total_tax, total_amt, final_amt)
    select 'I' || n, 'SO' || n, timestamp '2026-01-01' + n * 89 / ${orders} * interval '1 day', '2026-05-01', 10, 0, 10, 10
      from generate_series(1, ${orders}) n;
  insert into invoice_line (invoice_no, line_no, order_no, order_line_no, qty, rate, taxable_value, total_value)
    select 'I' || n, 1, 'SO' || n, 1, 2, 5, 10, 10 from generate_series(1, ${orders}) n;
  insert into stock_movement (movement_no, movement_date, kind, item_id, warehouse_id, batch_no, qty, val, val_tax, po_no, grn_no)
    select 'MR' || n, date '2026-01-01' + n * 89 / ${batches}, 'purchase_receipt', 2, 1, null, 20, 20, 20, 'PO' || n, 'G' || n
      from generate_series(1, ${batches}) n;
  insert into stock_movement (movement_no, movement_date, kind, item_id, warehouse_id, qty, val, val_tax, for_item_id, for_batch_no)
    select 'MC' || n, date '2026-01-01' + n * 89 / ${batches}, 'consumption', 2, 1, 20, 20, 20, 1, 'B' || n
      from generate_series(1, ${batches}) n;
  insert into stock_movement (movement_no, movement_date, kind, item_id, warehouse_id, batch_no, qty, val, val_tax)
    select 'MP' || n, date '2026-01-01' + n * 89 / ${batches}, 'production_receipt', 1, 1, 'B' || n, 10, 20, 20
      from generate_series(1, ${batches}) n;
  insert into stock_movement (movement_no, movement_date, kind, item_id, warehouse_id, batch_no, qty, val, val_tax, order_no,
                              order_line_no)
    select 'MI' || n, date '2026-01-01' + n * 89 / ${orders}, 'issue', 1, 1, 'B' || ceil(n * ${batches / orders}), 1 + n % 2, 2, 2, 'SO' || n, 1
      from generate_series(1, ${orders}) n`

/** The same company as import files: by entity, the columns and the query of its rows. */
export const skewedFiles = {
  account: "select 'Skewed Mills' as name, 'Asia/Kolkata' as time_zone",
  warehouses: 'select md5(code) as key, location from warehouse',
  items: 'select sku, name, type, material_kind, unit from item',
  bom: "select 'FG1' as product, 'RM1' as component, qty from bom_line",
  vendors: 'select code, name from vendor',
  customers: 'select code, name from customer',
  purchase_orders: `
    select po_no, po_date, delivery_date, vendor_code, 'Plant' as warehouse, taxable_amt, tax_amt, total_amt from purchase_order`,
  purchase_order_items:
    "select po_no, line_no, 'RM1' as sku, qty, rate, taxable_amt, tax_amt, total_amt from purchase_order_line",
  goods_receipts: "select grn_no, po_no, receipt_date, 'Plant' as warehouse from goods_receipt",
  goods_receipt_items: `
    select grn_no, po_no, line_no, po_line_no, received_qty, accepted_qty, rejected_qty, rate, taxable_amt, tax_amt, total_amt
      from goods_receipt_line`,
  batches: "select 'FG1' as sku, batch_no, source, batch_date, 'Plant' as warehouse, qty, wastage from batch",
  consumption: "select 'FG1' as sku, batch_no, line_no, 'RM1' as material, qty_bom, val_bom from consumption",
  sales_orders: `
    select order_no, order_type, order_date, customer_code, 'Plant' as warehouse, taxable_amt, tax_amt, total_amt from sales_order`,
  sales_order_items: `
    select order_no, line_no, 'FG1' as sku, qty, rate, effective_rate, taxable_amt, tax_amt, total_amt from sales_order_line`,
  returns: `
    select order_no, return_no, order_line_no, return_date, kind, usable_qty, unusable_qty, taxable_amt, tax_amt
      from sales_return`,
  invoices:
    'select invoice_no, order_no, invoice_at, due_date, sub_total, total_tax, total_amt, final_amt from invoice',
  invoice_items: `
    select invoice_no, line_no, order_no, order_line_no, qty, rate, taxable_value, total_value from invoice_line`,
  stock_movements: `
    select m.movement_no, m.movement_date, m.kind, i.sku, 'Plant' as warehouse, m.batch_no, m.qty, m.val, m.val_tax, m.order_no,
           m.order_line_no, f.sku as for_sku, m.for_batch_no, m.po_no, m.grn_no
      from stock_movement m join item i on i.id = m.item_id left join item f on f.id = m.for_item_id`,
}
