/** Goods receipts list: each receipt with its vendor, its purchase order and its lines. */
import { sql } from '../../db/sql.js'
import {
  Amount,
  Explained,
  InWords,
  IsoDate,
  Lines,
  Naming,
  NotAdditive,
  OrNull,
  Price,
  Quantity,
  Text,
  Word,
} from '../../kernel/report/fields.js'
import { dateRange, Optional, TextParam } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { purchaseStory } from '../shared/behind.js'
import { currencyFields, stated, statedFields, taxesField, taxesOf, unitField } from '../shared/document.js'
import { item, vendor } from '../shared/things.js'
import { only, orderStatusesInWords, poStatuses } from '../shared/words.js'

const amounts = { taxable_amt: 'amount', tax_amt: 'amount', total_amt: 'amount' } as const
const measures = {
  received_qty: 'quantity',
  accepted_qty: 'quantity',
  rejected_qty: 'quantity',
  rate: 'price',
  ...amounts,
} as const

export default defineReport({
  id: 'grn.list',
  method: 'POST',
  path: '/v1/grn/list',
  title: 'Goods receipts',
  summary: 'Goods receipts with their lines',
  askedAs: [
    'goods receipts, GRN, what arrived or came in on a day',
    'deliveries received from suppliers',
    'inward material, accepted and rejected quantities',
  ],
  description: `One record per goods receipt (GRN) with a receipt date in the range, ordered by \`grn_date\`, \`grn_no\` and \`pono\`.

A received quantity is accepted in part, rejected in part, and the rest waits for inspection. The stock, the pending quantity of
the purchase order and the amounts follow the accepted quantity. \`po_status\` is the current status of the whole order.`,
  request: {
    ...dateRange,
    vendor_code: Optional(TextParam('Only receipts from the vendor with this code.', 'V002')),
    pono: Optional(TextParam('Only receipts of the purchase order with this number.', 'PO-00001')),
  },
  perPage: 20,
  record: {
    grn_no: Text('Number of the receipt.'),
    grn_date: IsoDate('Receipt date.'),
    reference: OrNull(Text("The vendor's challan or invoice number.")),
    pono: Explained(Text('Number of the purchase order.'), purchaseStory('pono')),
    podate: IsoDate('Date of the purchase order.'),
    po_status: InWords(Word(poStatuses, 'Status of the order.'), orderStatusesInWords),
    warehouse: Text('Warehouse that received the goods.'),
    wh_id: Text('Key of that warehouse, as in the warehouse list.'),
    vendor: Naming(Text('Name of the vendor.'), vendor('vendor_code')),
    vendor_code: Naming(Text('Code of the vendor.'), vendor('vendor_code')),
    taxable_amt: Amount(2, 'Amount of the accepted quantities before tax: the sum of the lines.'),
    tax_amt: Amount(2, 'Tax: the sum of the lines.'),
    total_amt: Amount(2, 'Amount with tax: the sum of the lines.'),
    items: Lines('The lines, in their order.', {
      fields: {
        itemcode: Naming(Text("The item's code."), item('itemcode')),
        itemname: Naming(Text("The item's name."), item('itemcode')),
        hsn: Text("The item's tax classification."),
        uom: Text('Unit of the quantities.'),
        ordered_qty: NotAdditive(Quantity(4, 'uom', 'Quantity that the line of the purchase order states.')),
        received_qty: Quantity(4, 'uom', 'Quantity received with this receipt.'),
        accepted_qty: Quantity(4, 'uom', 'Quantity accepted of `received_qty`.'),
        rejected_qty: Quantity(4, 'uom', 'Quantity rejected of `received_qty`.'),
        rate: Price(4, 'Price of one unit before tax.'),
        taxable_amt: Amount(2, 'Amount of `accepted_qty` before tax.'),
        tax_amt: Amount(2, 'Tax.'),
        total_amt: Amount(2, 'Amount with tax.'),
        warehouse: Text('Warehouse that received the goods of the line.'),
        ...unitField,
        ...statedFields(measures),
      },
      query: sql`
        select r.line_no, coalesce(i.sku, '') as itemcode, coalesce(i.name, l.description) as itemname,
               coalesce(i.hsn, '') as hsn, coalesce(i.unit, '') as uom, l.qty as ordered_qty,
               r.received_qty, r.accepted_qty, r.rejected_qty, r.rate, r.taxable_amt, r.tax_amt, r.total_amt,
               coalesce((select location from warehouse where id = r.warehouse_id), parent.warehouse) as warehouse,
               r.unit as document_uom, ${stated('r', Object.keys(measures))}
          from goods_receipt_line r
          join purchase_order_line l on l.po_no = r.po_no and l.line_no = r.po_line_no
          left join item i on i.id = l.item_id
         where r.po_no = parent.pono and r.grn_no = parent.grn_no`,
      orderBy: ['line_no'],
    }),
    ...currencyFields,
    ...statedFields(amounts),
    ...taxesField(taxesOf(sql`goods_receipt_line l`, sql`l.po_no = parent.pono and l.grn_no = parent.grn_no`)),
  },
  people: ['grn_no', 'vendor', 'grn_date', 'total_amt', 'pono', 'warehouse', 'items', 'po_status'],
  headings: { grn_no: 'Receipt', grn_date: 'Date', total_amt: 'Amount', pono: 'Order', po_status: 'Order state' },
  orderBy: ['grn_date', 'grn_no', 'pono'],
  listing: true,
  query: ({ from_date, to_date, vendor_code, pono }) => {
    return sql`
      select g.grn_no, g.receipt_date as grn_date, g.reference, g.po_no as pono, po.po_date as podate, s.po_status,
             w.location as warehouse, w.key as wh_id, v.name as vendor, v.code as vendor_code,
             t.taxable_amt, t.tax_amt, t.total_amt, coalesce(po.currency, a.currency) as currency,
             coalesce(g.exchange_rate, po.exchange_rate, 1) as exchange_rate,
             t.document_taxable_amt, t.document_tax_amt, t.document_total_amt
        from goods_receipt g
        join purchase_order po on po.po_no = g.po_no
        join purchase_order_status s on s.po_no = g.po_no
        join vendor v on v.code = po.vendor_code
        join warehouse w on w.id = g.warehouse_id
       cross join account a
       cross join lateral (
         select coalesce(sum(r.taxable_amt), 0) as taxable_amt, coalesce(sum(r.tax_amt), 0) as tax_amt,
                coalesce(sum(r.total_amt), 0) as total_amt,
                sum((r.given ->> 'taxable_amt')::numeric) as document_taxable_amt,
                sum((r.given ->> 'tax_amt')::numeric) as document_tax_amt,
                sum((r.given ->> 'total_amt')::numeric) as document_total_amt
           from goods_receipt_line r where r.po_no = g.po_no and r.grn_no = g.grn_no) t
       where g.receipt_date between ${from_date}::date and ${to_date}::date
         ${only(vendor_code, (code) => sql`po.vendor_code = ${code}`)}
         ${only(pono, (po) => sql`g.po_no = ${po}`)}`
  },
})
