import { raw, sql } from '../../db/sql.js'
import { belowZero } from '../../ledger/below-zero.js'
import { kinds } from '../../ledger/kinds.js'
import { touchedMonths } from '../../ledger/write.js'
import { stagedRows } from '../checks.js'
import { Code, Day, Integer, ItemCode, Optional, Quantity, StockValue, Text, WarehouseName, Word } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'
import { movementUnits } from '../movement-units.js'

/** From a changed row `c` to its movements. */
const ofItem = sql`join stock_movement m on m.item_id = c.item_id`
const ofBatch = sql`join stock_movement m on m.item_id = c.item_id and m.batch_no = c.batch_no`
const forBatch = sql`join stock_movement m on m.for_item_id = c.item_id and m.for_batch_no = c.batch_no`
const ofOrderLine = sql`join stock_movement m on m.order_no = c.order_no and m.order_line_no = c.line_no`
const ofOrderLinesWith = (item: string) => sql`
  join sales_order_line x on x.item_id = c.${raw(item)}
  join stock_movement m on m.order_no = x.order_no and m.order_line_no = x.line_no`
const ofReceipt = sql`join stock_movement m on m.po_no = c.po_no and m.grn_no = c.grn_no`
const ofReceiptsOfLine = sql`
  join goods_receipt_line x on x.po_no = c.po_no and x.po_line_no = c.line_no
  join stock_movement m on m.po_no = x.po_no and m.grn_no = x.grn_no`

const allItems = sql`select id as item_id from item`

export default defineEntity({
  name: 'stock_movements',
  table: 'stock_movement',
  about: 'The ledger: one row moves one item, of one batch where it has one, in one warehouse on one day.',
  order: 200,
  ledger: true,
  singular: 'movement',
  key: ['movement_no'],
  tableKey: ['item_id', 'movement_no'],
  columns: {
    movement_no: Code('Number of the movement, unique over all movements.', { example: 'MV-000001' }),
    movement_date: Day('Date of the movement.'),
    kind: Word(Object.keys(kinds), 'What happened; the kind gives the sign.', { example: 'production_receipt' }),
    sku: ItemCode('item_id', 'Code of the item.'),
    warehouse: WarehouseName('Where.'),
    batch_no: Optional(Code('Number of the batch; empty for stock that is not kept by batch.', { example: 'B260401' })),
    qty: Quantity('Quantity, always positive; 0 for value_increase and value_decrease.'),
    val: StockValue('Booked value without tax.'),
    val_tax: StockValue('Booked value with tax.'),
    transfer_charge: Optional(StockValue('Of a transfer: charges booked on the stock.'), '0'),
    order_no: Optional(Code('Of an issue or a return: number of the sales order.', { example: 'SO-00001' })),
    order_line_no: Optional(Integer(1, 'Its line.')),
    invoice_no: Optional(
      Code('Of an issue or a return without an order: number of the invoice or credit note.', { example: 'INV-00001' }),
    ),
    invoice_line_no: Optional(Integer(1, 'Its line.')),
    for_sku: Optional(ItemCode('for_item_id', 'Of a consumption: code of the produced item, if it is known.')),
    for_batch_no: Optional(Code('Its batch, if it is known.', { example: 'B260401' })),
    work_order_no: Optional(
      Code('Of a consumption or a production receipt: number of the work order.', { example: 'WO-0001' }),
    ),
    po_no: Optional(
      Code('Of a purchase receipt or a return to the vendor: number of the purchase order.', { example: 'PO-0001' }),
    ),
    grn_no: Optional(Code('Number of the goods receipt.', { example: 'GRN-0001' })),
    note: Optional(Text('Free text.'), ''),
    ...movementUnits.column,
    transfer_no: Optional(
      Code('Of a transfer: the same number on its transfer_out and its transfer_in.', { example: 'TR-0001' }),
    ),
  },
  rules: [
    {
      column: 'movement_date',
      holds: sql`s.movement_date <= current_date + 366`,
      expects: 'a day that is not more than a year ahead',
    },
    {
      column: 'qty',
      holds: sql`(s.qty > 0) = (s.kind not in ('value_increase', 'value_decrease'))`,
      inTable: true,
      expects: 'more than 0, and 0 for value_increase and value_decrease',
    },
    { column: 'val_tax', holds: sql`s.val_tax >= s.val`, inTable: true, expects: 'no less than val' },
    {
      column: 'order_no',
      holds: sql`(num_nonnulls(s.order_no, s.invoice_no) = 1) = (s.kind in ('issue', 'sales_return'))`,
      inTable: true,
      expects:
        'the sales order for an issue or a sales_return, or else its invoice in invoice_no; nothing for another kind',
    },
    {
      column: 'order_line_no',
      holds: sql`(s.order_no is null) = (s.order_line_no is null)`,
      inTable: true,
      expects: "the order's line together with order_no",
    },
    {
      column: 'invoice_line_no',
      holds: sql`(s.invoice_no is null) = (s.invoice_line_no is null)`,
      inTable: true,
      expects: "the invoice's line together with invoice_no",
    },
    {
      column: 'for_sku',
      holds: sql`s.for_sku is null or s.kind = 'consumption'`,
      inTable: true,
      expects: 'nothing, unless the kind is consumption',
    },
    {
      column: 'for_batch_no',
      holds: sql`s.for_sku is not null or s.for_batch_no is null`,
      inTable: true,
      expects: 'nothing without for_sku',
    },
    {
      column: 'work_order_no',
      holds: sql`s.work_order_no is null or s.kind in ('consumption', 'production_receipt')`,
      inTable: true,
      expects: 'nothing, unless the kind is consumption or production_receipt',
    },
    {
      column: 'po_no',
      holds: sql`s.po_no is null or s.kind in ('purchase_receipt', 'vendor_return')`,
      inTable: true,
      expects: 'nothing, unless the kind is purchase_receipt or vendor_return',
    },
    {
      column: 'grn_no',
      holds: sql`(s.po_no is null) = (s.grn_no is null)`,
      inTable: true,
      expects: 'the goods receipt together with po_no',
    },
    {
      column: 'transfer_charge',
      holds: sql`coalesce(s.transfer_charge, 0) = 0 or s.kind in ('transfer_in', 'transfer_out')`,
      inTable: true,
      expects: '0, unless the kind is transfer_in or transfer_out',
    },
    {
      column: 'transfer_no',
      holds: sql`s.transfer_no is null or s.kind in ('transfer_in', 'transfer_out')`,
      expects: 'nothing, unless the kind is transfer_in or transfer_out',
    },
  ],
  references: [
    {
      columns: ['batch_no', 'sku'],
      table: 'batch',
      to: ['batch_no', 'item_id'],
      entity: 'batches',
      noForeignKey: true,
    },
    {
      columns: ['order_no', 'order_line_no'],
      table: 'sales_order_line',
      to: ['order_no', 'line_no'],
      entity: 'sales_order_items',
      noForeignKey: true,
    },
    {
      columns: ['invoice_no', 'invoice_line_no'],
      table: 'invoice_line',
      to: ['invoice_no', 'line_no'],
      entity: 'invoice_items',
      seldom: true,
      noForeignKey: true,
    },
    {
      columns: ['for_batch_no', 'for_sku'],
      table: 'batch',
      to: ['batch_no', 'item_id'],
      entity: 'batches',
      seldom: true,
      noForeignKey: true,
    },
    {
      columns: ['work_order_no'],
      table: 'work_order',
      to: ['work_order_no'],
      entity: 'work_orders',
      seldom: true,
      noForeignKey: true,
    },
    {
      columns: ['grn_no', 'po_no'],
      table: 'goods_receipt',
      to: ['grn_no', 'po_no'],
      entity: 'goods_receipts',
      seldom: true,
      noForeignKey: true,
    },
  ],
  changes: {
    // The batches and documents that a changed movement belonged to before.
    changed: sql`
      select s.line, t.kind, t.item_id, t.batch_no, t.order_no, t.order_line_no, t.for_item_id, t.for_batch_no,
             t.po_no, t.grn_no
        from ${stagedRows('stock_movements')} s
        join stock_movement t on t.movement_no = s.movement_no
        join item i on i.id = t.item_id left join item f on f.id = t.for_item_id
       where (t.kind, i.sku, t.batch_no, t.order_no, t.order_line_no, f.sku, t.for_batch_no, t.po_no, t.grn_no)
             is distinct from
             (s.kind, s.sku, s.batch_no, s.order_no, s.order_line_no, s.for_sku, s.for_batch_no, s.po_no, s.grn_no)`,
  },
  joins: {
    i: { table: 'item', by: { id: 'm.item_id' } },
    b: { table: 'batch', by: { item_id: 'm.item_id', batch_no: 'm.batch_no' } },
    fi: { table: 'item', by: { id: 'm.for_item_id' } },
    fb: { table: 'batch', by: { item_id: 'm.for_item_id', batch_no: 'm.for_batch_no' } },
    l: { table: 'sales_order_line', by: { order_no: 'm.order_no', line_no: 'm.order_line_no' } },
    o: { table: 'item', by: { id: 'l.item_id' } },
    g: { table: 'goods_receipt', by: { po_no: 'm.po_no', grn_no: 'm.grn_no' } },
    w: { table: 'warehouse', by: { id: 'm.warehouse_id' } },
    v: { table: 'warehouse', by: { id: 'g.warehouse_id' } },
  },
  contradictions: [
    {
      // The table's key has the item too; a load removes the old row of a movement that changes its item.
      check: 'two movements have the same number',
      wrong: sql`m.movement_no in (select movement_no from stock_movement group by 1 having count(*) > 1)`,
      message: sql`m.movement_no`,
    },
    {
      check: 'a movement is consumption for a batch that was not produced',
      column: 'for_batch_no',
      causes: [{ entity: 'batches', column: 'source', through: forBatch }],
      wrong: sql`m.kind = 'consumption' and exists (
        select from batch x
         where x.item_id = m.for_item_id and x.batch_no = m.for_batch_no and x.source <> 'PRODUCED')`,
      message: sql`'movement ' || m.movement_no || ' is consumption for batch ' || m.for_batch_no || ' of ' || fi.sku
                   || ', which is ' || fb.source || ', not PRODUCED'`,
    },
    {
      check: 'a movement produces a batch that was not produced',
      column: 'batch_no',
      causes: [{ entity: 'batches', column: 'source', through: ofBatch }],
      wrong: sql`m.kind = 'production_receipt' and b.source <> 'PRODUCED'`,
      message: sql`'movement ' || m.movement_no || ' produces batch ' || m.batch_no || ' of ' || i.sku
                   || ', which is ' || b.source || ', not PRODUCED'`,
    },
    {
      check: 'a movement buys a batch that was produced',
      column: 'batch_no',
      causes: [{ entity: 'batches', column: 'source', through: ofBatch }],
      wrong: sql`m.kind = 'purchase_receipt' and b.source = 'PRODUCED'`,
      message: sql`'movement ' || m.movement_no || ' buys batch ' || m.batch_no || ' of ' || i.sku
                   || ', which is PRODUCED'`,
    },
    movementUnits.contradiction,
    {
      check: 'a movement is of a service',
      column: 'sku',
      causes: [{ entity: 'items', column: 'type', through: ofItem }],
      wrong: sql`m.item_id in (select id from item where type = 'SRV')`,
      message: sql`'movement ' || m.movement_no || ' is of ' || i.sku || ', a service, and services have no stock'`,
    },
    {
      check: 'an issue or a return is of another item than its order line',
      column: 'sku',
      causes: [
        { entity: 'sales_order_items', column: 'sku', through: ofOrderLine },
        { entity: 'combos', column: 'combo', through: ofOrderLinesWith('combo_id') },
        { entity: 'items', column: 'type', through: ofOrderLinesWith('item_id') },
      ],
      wrong: sql`
        m.order_no is not null and m.item_id is distinct from l.item_id
          and (l.item_id is null or (l.item_id, m.item_id) not in (select combo_id, component_id from combo_line)
               or l.item_id not in (select id from item where type = 'COMBO'))`,
      message: sql`'movement ' || m.movement_no || ' (' || m.kind || ') is of ' || i.sku || ', and line '
                   || m.order_line_no || ' of order ' || m.order_no || ' is for ' || coalesce(o.sku, 'no item')
                   || case when o.type = 'COMBO' then ', which does not contain it' else '' end`,
    },
    {
      check: 'a movement names a goods receipt that has no line for its item',
      column: 'sku',
      causes: [
        { entity: 'goods_receipt_items', column: 'po_line_no', through: ofReceipt },
        { entity: 'purchase_order_items', column: 'sku', through: ofReceiptsOfLine },
      ],
      wrong: sql`
        m.grn_no is not null and not exists (
          select from goods_receipt_line x join purchase_order_line y on y.po_no = x.po_no and y.line_no = x.po_line_no
           where x.po_no = m.po_no and x.grn_no = m.grn_no and y.item_id = m.item_id)`,
      message: sql`'movement ' || m.movement_no || ' is of ' || i.sku || ', and receipt ' || m.grn_no || ' of order '
                   || m.po_no || ' has no line for it'`,
    },
    {
      check: 'a movement names a goods receipt of another warehouse',
      column: 'warehouse',
      causes: [
        { entity: 'goods_receipts', column: 'warehouse', through: ofReceipt },
        { entity: 'goods_receipt_items', column: 'warehouse', through: ofReceipt },
      ],
      wrong: sql`m.kind = 'purchase_receipt' and m.grn_no is not null and exists (
        select from goods_receipt x
         where x.po_no = m.po_no and x.grn_no = m.grn_no and x.warehouse_id <> m.warehouse_id
           and not exists (select from goods_receipt_line y
                            where y.po_no = x.po_no and y.grn_no = x.grn_no and y.warehouse_id = m.warehouse_id))`,
      message: sql`'movement ' || m.movement_no || ' is in ' || w.location || ', and receipt ' || m.grn_no || ' of order '
                   || m.po_no || ' came in at ' || v.location`,
    },
  ],
  conversion: movementUnits.conversion,
  agreements: [
    {
      check: 'stock or held stock is below zero, or more is held than there is',
      scope: {
        name: 'moved_items',
        all: allItems,
        touched: { stock_movements: sql`select item_id from ${touchedMonths}` },
      },
      differing: belowZero,
      ofLedger: belowZero(allItems),
    },
  ],
  grants: businessData,
})
