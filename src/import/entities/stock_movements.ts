import { sql } from '../../db/sql.js'
import { kinds } from '../../ledger/kinds.js'
import { Code, Day, Integer, ItemCode, Optional, Quantity, Text, WarehouseName, Word } from '../columns.js'
import { defineEntity } from '../entity.js'

export default defineEntity({
  name: 'stock_movements',
  table: 'stock_movement',
  about: 'The ledger: one row moves one item, of one batch where it has one, in one warehouse on one day.',
  key: ['movement_no'],
  conflict: ['item_id', 'movement_no'],
  columns: {
    movement_no: Code('Number of the movement, unique over all movements.', { example: 'MV-000001' }),
    movement_date: Day('Date of the movement.'),
    kind: Word(Object.keys(kinds), 'What happened; the kind gives the sign.', { example: 'production_receipt' }),
    sku: ItemCode('item_id', 'Code of the item.'),
    warehouse: WarehouseName('Where.'),
    batch_no: Optional(Code('Number of the batch; empty for stock that is not kept by batch.', { example: 'B260401' })),
    qty: Quantity('Quantity, always positive.', { smallest: 'above zero' }),
    val: Quantity('Booked value without tax.'),
    val_tax: Quantity('Booked value with tax.'),
    transfer_charge: Optional(Quantity('Of a transfer: charges booked on the stock.'), '0'),
    order_no: Optional(Code('Of an issue or a return: number of the sales order.', { example: 'SO-00001' })),
    order_line_no: Optional(Integer(1, 'Its line.')),
    for_sku: Optional(ItemCode('for_item_id', 'Of a consumption: code of the produced item.')),
    for_batch_no: Optional(Code('Its batch.', { example: 'B260401' })),
    po_no: Optional(Code('Of a purchase receipt: number of the purchase order.', { example: 'PO-0001' })),
    grn_no: Optional(Code('Number of the goods receipt.', { example: 'GRN-0001' })),
    note: Optional(Text('Free text.'), ''),
  },
  rules: [
    {
      column: 'movement_date',
      holds: sql`s.movement_date <= current_date + 366`,
      expects: 'a day that is not more than a year ahead',
    },
    { column: 'val_tax', holds: sql`s.val_tax >= s.val`, inTable: true, expects: 'no less than val' },
    {
      column: 'order_no',
      holds: sql`(s.order_no is not null) = (s.kind in ('issue', 'sales_return'))`,
      inTable: true,
      expects: 'the sales order for an issue or a sales_return, and nothing for another kind',
    },
    {
      column: 'order_line_no',
      holds: sql`(s.order_no is null) = (s.order_line_no is null)`,
      inTable: true,
      expects: "the order's line together with order_no",
    },
    {
      column: 'for_sku',
      holds: sql`(s.for_sku is not null) = (s.kind = 'consumption')`,
      inTable: true,
      expects: 'the produced item for a consumption, and nothing for another kind',
    },
    {
      column: 'for_batch_no',
      holds: sql`(s.for_sku is null) = (s.for_batch_no is null)`,
      inTable: true,
      expects: 'the produced batch together with for_sku',
    },
    {
      column: 'po_no',
      holds: sql`s.po_no is null or s.kind = 'purchase_receipt'`,
      inTable: true,
      expects: 'nothing, unless the kind is purchase_receipt',
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
  ],
  references: [
    { columns: ['batch_no', 'sku'], table: 'batch', to: ['batch_no', 'item_id'], entity: 'batches' },
    {
      columns: ['order_no', 'order_line_no'],
      table: 'sales_order_line',
      to: ['order_no', 'line_no'],
      entity: 'sales_order_items',
    },
    {
      columns: ['for_batch_no', 'for_sku'],
      table: 'batch',
      to: ['batch_no', 'item_id'],
      entity: 'batches',
      seldom: true,
    },
    {
      columns: ['po_no', 'grn_no'],
      table: 'goods_receipt',
      to: ['po_no', 'grn_no'],
      entity: 'goods_receipts',
      seldom: true,
    },
  ],
})
