import { sql } from '../../db/sql.js'
import { changedRows, stagedRows } from '../checks.js'
import { Amount, Code, Integer, Optional, Price, Quantity, WarehouseName, WorkedOut } from '../columns.js'
import { TAX, TOTAL, unitColumn, unitOfItem } from '../document-columns.js'
import { businessData, defineEntity } from '../entity.js'
import { lineTaxes, lineTotal } from '../totals.js'

/** Receipts of the items that a load changes, or whose units it changes. */
const receiptsOf = (entity: 'items' | 'item_units') => sql`
  select l.po_no, l.grn_no from ${changedRows(entity)} c
    join purchase_order_line p on p.item_id = c.item_id
    join goods_receipt_line l on l.po_no = p.po_no and l.po_line_no = p.line_no`

export default defineEntity({
  name: 'goods_receipt_items',
  table: 'goods_receipt_line',
  about: 'One row per line of a goods receipt.',
  order: 120,
  key: ['grn_no', 'line_no'],
  tableKey: ['po_no', 'grn_no', 'line_no'],
  columns: {
    grn_no: Code('Number of the receipt.', { example: 'GRN-0001' }),
    po_no: Code('Number of the order.', { example: 'PO-0001' }),
    line_no: Integer(1, 'Number of the line inside the receipt.'),
    po_line_no: Integer(1, "Number of the order's line."),
    warehouse: Optional(WarehouseName("Where the goods of the line came in; empty for the receipt's warehouse.")),
    received_qty: Quantity('Received quantity; the part that is neither accepted nor rejected waits for inspection.', {
      smallest: 'above zero',
    }),
    accepted_qty: Quantity('Accepted part of received_qty.'),
    rejected_qty: Quantity('Rejected part of received_qty.'),
    rate: Price('Price of one unit before tax.'),
    taxable_amt: Amount('Amount before tax of the accepted quantity.'),
    tax_amt: WorkedOut(Amount(TAX)),
    total_amt: WorkedOut(Amount(TOTAL)),
    ...unitColumn,
  },
  rules: [
    {
      column: 'received_qty',
      holds: sql`s.received_qty >= s.accepted_qty + s.rejected_qty`,
      expects: 'no less than accepted_qty + rejected_qty',
    },
  ],
  references: [
    { columns: ['po_no', 'grn_no'], table: 'goods_receipt', to: ['po_no', 'grn_no'], entity: 'goods_receipts' },
    {
      columns: ['po_no', 'po_line_no'],
      table: 'purchase_order_line',
      to: ['po_no', 'line_no'],
      entity: 'purchase_order_items',
    },
  ],
  changes: {
    changed: sql`
      select s.line, t.po_no, t.grn_no
        from ${stagedRows('goods_receipt_items')} s
        join goods_receipt_line t on t.po_no = s.po_no and t.grn_no = s.grn_no and t.line_no = s.line_no
         left join warehouse w on w.id = t.warehouse_id
       where t.po_line_no <> s.po_line_no or not coalesce(s.warehouse in (w.key, w.code, w.location), s.warehouse is null and w.id is null)`,
    removed: sql`
      select null, t.po_no, t.grn_no from goods_receipt_line t
       where not exists (select from ${stagedRows('goods_receipt_items')} s
                          where s.po_no = t.po_no and s.grn_no = t.grn_no and s.line_no = t.line_no)`,
  },
  joins: { p: { table: 'purchase_order_line', by: { po_no: 'm.po_no', line_no: 'm.po_line_no' } } },
  contradictions: [
    unitOfItem(
      'a line of a goods receipt',
      sql`p.item_id`,
      sql`'line ' || m.line_no || ' of receipt ' || m.grn_no`,
      sql`join purchase_order_line l on l.item_id = c.item_id
          join goods_receipt_line m on m.po_no = l.po_no and m.po_line_no = l.line_no`,
      {
        entity: 'purchase_order_items',
        through: sql`join goods_receipt_line m on m.po_no = c.po_no and m.po_line_no = c.line_no`,
      },
    ),
  ],
  conversion: {
    document: ['po_no', 'grn_no'],
    joins: sql`
      join goods_receipt d on d.po_no = t.po_no and d.grn_no = t.grn_no
      join purchase_order po on po.po_no = t.po_no
      join purchase_order_line p on p.po_no = t.po_no and p.line_no = t.po_line_no`,
    exchangeRate: sql`coalesce(d.exchange_rate, po.exchange_rate)`,
    item: sql`p.item_id`,
    taxes: { table: 'goods_receipt_tax', taxable: 'taxable_amt', tax: 'tax_amt', total: 'total_amt' },
    atLeast: { received_qty: ['accepted_qty', 'rejected_qty'] },
    needs: sql`
      select po_no, grn_no from goods_receipt where exchange_rate is not null
      union all select g.po_no, g.grn_no from purchase_order o join goods_receipt g on g.po_no = o.po_no
                 where o.exchange_rate is not null
      union all select po_no, grn_no from goods_receipt_line where unit is not null or given is not null or taxes is not null
      union all select po_no, grn_no from goods_receipt_tax`,
    touched: {
      purchase_orders: sql`
        select g.po_no, g.grn_no from ${stagedRows('purchase_orders')} s join goods_receipt g on g.po_no = s.po_no`,
      purchase_order_items: sql`
        select g.po_no, g.grn_no from ${stagedRows('purchase_order_items')} s join goods_receipt g on g.po_no = s.po_no`,
      goods_receipts: sql`select po_no, grn_no from ${stagedRows('goods_receipts')}`,
      goods_receipt_items: sql`select po_no, grn_no from ${stagedRows('goods_receipt_items')}`,
      goods_receipt_taxes: sql`select po_no, grn_no from ${stagedRows('goods_receipt_taxes')}`,
      items: sql`select po_no, grn_no from goods_receipt_line where unit is not null`,
      item_units: sql`select po_no, grn_no from goods_receipt_line where unit is not null`,
    },
  },
  agreements: [
    {
      check: 'the accepted quantity of a goods receipt differs from the ledger',
      scope: {
        name: 'receipts',
        all: sql`select po_no, grn_no from goods_receipt`,
        touched: {
          goods_receipt_items: sql`select po_no, grn_no from ${stagedRows('goods_receipt_items')}`,
          purchase_order_items: sql`
            select l.po_no, l.grn_no from ${changedRows('purchase_order_items')} c
              join goods_receipt_line l on l.po_no = c.po_no and l.po_line_no = c.line_no`,
          // The ledger receives goods and no services, so the type of an item decides.
          items: receiptsOf('items'),
          item_units: receiptsOf('item_units'),
          stock_movements: sql`
            select po_no, grn_no from ${stagedRows('stock_movements')} where grn_no is not null
            union all select po_no, grn_no from ${changedRows('stock_movements')} where grn_no is not null`,
        },
        named: sql`select distinct po_no, grn_no from stock_movement where grn_no is not null and kind = 'purchase_receipt'`,
      },
      differing: (x) => sql`
        select 'receipt ' || e.grn_no || ' of order ' || e.po_no || ': ' || e.accepted || ' of ' || i.sku
               || ' accepted, in the ledger ' || e.received
          from (select po_no, grn_no, item_id, sum_of_few(accepted) as accepted, sum_of_few(received) as received
                  from (select l.po_no, l.grn_no, p.item_id, l.accepted_qty::numeric as accepted, 0.0000 as received
                          from ${x} x join goods_receipt_line l on l.po_no = x.po_no and l.grn_no = x.grn_no
                          join purchase_order_line p on p.po_no = l.po_no and p.line_no = l.po_line_no
                          join item i on i.id = p.item_id
                         where i.type <> 'SRV'
                        union all
                        select m.po_no, m.grn_no, m.item_id, 0.0000, m.qty
                          from ${x} x join receipt_movement m on m.po_no = x.po_no and m.grn_no = x.grn_no
                         where m.kind = 'purchase_receipt') both_sides
                 group by 1, 2, 3 having sum_of_few(accepted) <> sum_of_few(received)) e
          join item i on i.id = e.item_id
         order by e.po_no, e.grn_no, i.sku`,
    },
  ],
  doubts: [
    lineTotal(['goods_receipt_items', 'goods_receipt_taxes'], 'goods_receipt', ['po_no', 'grn_no']),
    lineTaxes(['goods_receipt_items', 'goods_receipt_taxes'], 'goods_receipt', ['po_no', 'grn_no']),
    {
      check: 'more was received than ordered',
      entities: ['purchase_order_items', 'goods_receipt_items'],
      query: (isLoaded) => sql`
        select 'purchase order ' || d.po_no || ' line ' || d.line_no || ': received ' || r.received_qty || ' of ' || d.qty
               || ' ordered'
          from purchase_order_line d
          join purchase_order_line_received r on r.po_no = d.po_no and r.line_no = d.line_no
         where r.received_qty > greatest(d.qty, 0) and ${isLoaded('po_no')} order by d.po_no, d.line_no`,
    },
  ],
  grants: businessData,
})
