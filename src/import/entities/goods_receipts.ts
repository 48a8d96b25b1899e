import { sql } from '../../db/sql.js'
import { stagedRows } from '../checks.js'
import { Code, Day, Factor, Optional, Text, WarehouseName } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'goods_receipts',
  table: 'goods_receipt',
  about: 'One row per goods receipt (GRN) against a purchase order.',
  order: 110,
  document: true,
  key: ['grn_no'],
  tableKey: ['po_no', 'grn_no'],
  columns: {
    grn_no: Code('Number of the receipt, unique over all orders.', { example: 'GRN-0001' }),
    po_no: Code('Number of the order.', { example: 'PO-0001' }),
    receipt_date: Day('Date of the receipt.'),
    warehouse: WarehouseName('Where the goods came in.'),
    reference: Optional(Text("The vendor's challan or invoice number.")),
    exchange_rate: Optional(
      Factor("Price of the order's currency on the day of the receipt; empty for the order's exchange_rate.", {
        example: '83.25',
      }),
    ),
  },
  references: [{ columns: ['po_no'], table: 'purchase_order', to: ['po_no'], entity: 'purchase_orders' }],
  changes: {
    changed: sql`
      select s.line, t.po_no, t.grn_no
        from ${stagedRows('goods_receipts')} s
        join goods_receipt t on t.po_no = s.po_no and t.grn_no = s.grn_no
        join warehouse w on w.id = t.warehouse_id
       where s.warehouse not in (w.key, w.code, w.location)`,
  },
  contradictions: [
    {
      check: 'a goods receipt has two orders',
      column: 'po_no',
      join: sql`join goods_receipt o on o.grn_no = m.grn_no`,
      wrong: sql`o.po_no <> m.po_no`,
      message: sql`'receipt ' || m.grn_no || ' has two orders, ' || least(m.po_no, o.po_no) || ' and '
                   || greatest(m.po_no, o.po_no)`,
    },
  ],
  grants: businessData,
})
