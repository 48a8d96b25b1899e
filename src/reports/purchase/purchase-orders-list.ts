/** Purchase orders list: each order with its addresses, vendor, lines and approvals. */
import { sql } from '../../db/sql.js'
import {
  Amount,
  ClockTime12,
  Explained,
  extra,
  Integer,
  InWords,
  IsoDate,
  Lines,
  Naming,
  Nested,
  NotAdditive,
  OrMarker,
  OrNull,
  Percent,
  Price,
  Quantity,
  Text,
  TextFlag,
  TextList,
  Word,
} from '../../kernel/report/fields.js'
import { Day, OneOf, Optional, TextParam } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { purchaseStory } from '../shared/behind.js'
import {
  currencyColumns,
  currencyFields,
  orderAmounts,
  stated,
  statedFields,
  taxesField,
  taxesOf,
  taxRate,
  unitField,
} from '../shared/document.js'
import { item, vendor } from '../shared/things.js'
import { only, orderStatusesInWords, place, poStatuses } from '../shared/words.js'

const measures = {
  qty: 'quantity',
  rate: 'price',
  taxable_amt: 'amount',
  tax_amt: 'amount',
  total_amt: 'amount',
} as const

export default defineReport({
  id: 'purchase.purchase-orders-list',
  method: 'GET',
  path: '/v1/purchase-orders/list',
  title: 'Purchase orders',
  summary: 'Purchase orders with lines and approvals',
  askedAs: [
    'what we ordered from a vendor or supplier',
    'purchase orders, POs, buying',
    'purchase orders that wait for approval, are approved or rejected',
    'how much we bought or spent',
  ],
  description: `One record per purchase order, ordered by \`podate\` and \`pono\`. Every filter is optional; an empty string means no filter.

Send the parameters in a JSON body or in the query string. \`status_code\` is \`po_status\` as a number:
1 CREATED (nothing received), 2 PARTIAL RECEIVED, 3 RECEIVED (every line in full), 4 CLOSED, 5 CANCELLED; only accepted
quantities of goods receipts count as received. \`approval_status\` is \`Not Required\`, \`Rejected\` as soon as one group rejected, \`Approved\` when all
groups approved, else \`Under Approval\`. The billing address is the account's, the shipping address the
receiving warehouse's, and empty for an order without a warehouse.`,
  request: {
    status: Optional(OneOf(poStatuses, 'Only orders of this `po_status`.', orderStatusesInWords)),
    from_date: Optional(Day('Only orders of this day or later, by PO date.', '2026-06-01')),
    to_date: Optional(Day('Only orders of this day or earlier, by PO date.', '2026-06-30')),
    vendor_code: Optional(TextParam('Only orders to the vendor with this code.', 'V002')),
  },
  record: {
    poid: Integer('Number of the order inside the service.'),
    pono: Explained(Text('Order number.'), purchaseStory('pono')),
    podate: IsoDate('Order date.'),
    delivery: OrMarker(IsoDate('Agreed delivery date; empty where there is none.'), ''),
    reference: OrNull(Text("The buyer's reference.")),
    shipment_reference: OrNull(Text('Reference of the shipment.')),
    po_status: InWords(Word(poStatuses, 'Status of the order.'), orderStatusesInWords),
    approval_status: Word(['Under Approval', 'Approved', 'Rejected', 'Not Required'], 'Status of the approval.'),
    status_code: Integer('`po_status` as a number from 1 to 5.'),
    taxable_amt: Amount(2, 'Amount before tax.'),
    tax_amt: Amount(2, 'Tax.'),
    shipping_amt: Amount(2, 'Shipping charges.'),
    total_amt: Amount(2, 'Amount to pay, as the order states it.'),
    adjustment: Nested('A correction of the total.', {
      label: Text('Reason of the correction.'),
      amt: Amount(2, 'Amount of the correction; may be negative.'),
    }),
    billing: Nested('Billing address.', {
      buyer: Text('Name of the buyer.'),
      ...place,
    }),
    shipping: Nested('Delivery address.', {
      buyer: Text('Name of the buyer.'),
      ...place,
    }),
    vendor: Nested('The vendor.', {
      vendor: Naming(Text('Name of the vendor.'), vendor('vendor.vendor_code')),
      vendor_code: Naming(Text('Code of the vendor.'), vendor('vendor.vendor_code')),
      credit_period: Text('Agreed time to pay, such as `30 Days`.'),
      ...place,
    }),
    items: Lines('The ordered lines, in their order.', {
      fields: {
        type: Text('Type of the item: `MAT`, `FG`, `SFG`, `COMBO` or `SRV`; empty for a line without an item.'),
        itemcode: Naming(Text("The item's code; empty for a line without one."), item('itemcode')),
        itemname: Naming(Text("The item's name."), item('itemcode')),
        description: Text('Free text of the line.'),
        hsn: Text("The item's tax classification."),
        qty: Quantity(4, 'uom', 'Ordered quantity.'),
        uom: Text('Its unit.'),
        rate: Price(4, 'Price of one unit before tax.'),
        taxrate: Percent('Tax rate in percent.'),
        taxable_amt: Amount(2, 'Amount before tax.'),
        tax_amt: Amount(2, 'Tax.'),
        total_amt: Amount(2, 'Amount with tax.'),
        ...extra({
          delivery: OrMarker(IsoDate('Agreed delivery date of the line, if it has its own; else empty.'), ''),
        }),
        ...unitField,
        ...statedFields(measures),
      },
      query: sql`
        select l.line_no, coalesce(i.type, '') as type, coalesce(i.sku, '') as itemcode, coalesce(i.name, '') as itemname,
               l.description, coalesce(i.hsn, '') as hsn, l.qty, coalesce(i.unit, '') as uom, l.rate, ${taxRate} as taxrate,
               l.taxable_amt, l.tax_amt, l.total_amt, l.delivery_date as delivery, l.unit as document_uom,
               ${stated('l', Object.keys(measures))}
          from purchase_order_line l left join item i on i.id = l.item_id
         where l.po_no = parent.pono`,
      orderBy: ['line_no'],
    }),
    approval: Nested('The approval that the order needs.', {
      required: TextFlag('Whether an approval is needed.'),
      workflow: Nested('The steps of the approval.', {
        limit: NotAdditive(Amount(2, 'Amount above which an approval is needed.')),
        groups: Lines('The groups that have to approve, in their order.', {
          fields: {
            group_name: Text('Name of the group.'),
            status: Word(['Approved', 'Pending', 'Rejected'], "The group's decision."),
            approver: OrNull(Text('Person who decided.')),
            action_at: OrNull(ClockTime12('Local time of the decision.')),
            approvers: TextList('The people who may decide for the group.'),
          },
          query: sql`
            select a.step, a.group_name, a.status, a.approver, a.action_at, a.approvers
              from purchase_order_approval a where a.po_no = parent.pono`,
          orderBy: ['step'],
        }),
      }),
    }),
    ...currencyFields,
    ...statedFields(orderAmounts),
    ...taxesField(taxesOf(sql`purchase_order_line l`, sql`l.po_no = parent.pono`)),
  },
  people: [
    'pono',
    'vendor.vendor',
    'podate',
    'total_amt',
    'po_status',
    'delivery',
    'approval_status',
    'items',
    'reference',
  ],
  headings: {
    pono: 'Order',
    'vendor.vendor': 'Vendor',
    podate: 'Date',
    total_amt: 'Amount',
    po_status: 'State',
    approval_status: 'Approval',
  },
  orderBy: ['podate', 'pono'],
  listing: true,
  cancelled: { field: 'po_status', is: 'CANCELLED' },
  query: ({ status, from_date, to_date, vendor_code }) => {
    // `order by` keeps the status a lookup per order: the planner expects few orders of a status and would join each with all.
    return sql`
      select po.poid, po.po_no as pono, po.po_date as podate, po.delivery_date as delivery, po.reference,
             po.shipment_reference, s.po_status, s.approval_status, s.status_code,
             po.taxable_amt, po.tax_amt, po.shipping_amt, po.total_amt, po.adjustment_label, po.adjustment_amt,
             ${currencyColumns('po')}, ${stated('po', Object.keys(orderAmounts))},
             a.name as billing_buyer, a.address1 as billing_address1, a.address2 as billing_address2,
             a.city as billing_city, a.state as billing_state, a.country as billing_country,
             a.pincode as billing_pincode, a.gstn as billing_gstn, a.phone as billing_phone, a.email as billing_email,
             a.name as shipping_buyer, coalesce(w.address, '') as shipping_address1, coalesce(w.address2, '') as shipping_address2,
             coalesce(w.city, '') as shipping_city, coalesce(w.state, '') as shipping_state, coalesce(w.country, '') as shipping_country,
             coalesce(w.pincode, '') as shipping_pincode, coalesce(w.gstn, '') as shipping_gstn,
             coalesce(w.phone, '') as shipping_phone, coalesce(w.email, '') as shipping_email,
             v.name as vendor_vendor, v.code as vendor_vendor_code, v.credit_days || ' Days' as vendor_credit_period,
             v.address1 as vendor_address1, v.address2 as vendor_address2, v.city as vendor_city,
             v.state as vendor_state, v.country as vendor_country, v.pincode as vendor_pincode, v.gstn as vendor_gstn,
             v.phone as vendor_phone, v.email as vendor_email,
             po.approval_required, po.approval_limit as approval_workflow_limit
        from purchase_order po
       cross join lateral (select * from purchase_order_status x where x.po_no = po.po_no order by 1) s
        join vendor v on v.code = po.vendor_code
        left join warehouse w on w.id = po.warehouse_id
       cross join account a
       where true
         ${only(from_date, (day) => sql`po.po_date >= ${day}::date`)}
         ${only(to_date, (day) => sql`po.po_date <= ${day}::date`)}
         ${only(vendor_code, (code) => sql`po.vendor_code = ${code}`)}
         ${only(status, (word) => sql`s.po_status = ${word}`)}`
  },
})
