/** Performance of vendors: whether they delivered in full and on time, what was rejected, and how their prices moved. */
import { quotient, raw, sql } from '../../db/sql.js'
import { Amount, Decimal, Naming, NotAdditive, OrNull, Text } from '../../kernel/report/fields.js'
import { dateRange } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { deliveryColumns, deliveryFields, deliveryMeaning } from '../shared/insight.js'
import { vendor } from '../shared/things.js'
import { today } from '../shared/words.js'

export default defineReport({
  id: 'insight.vendor-performance',
  method: 'POST',
  path: '/v1/insight/vendor-performance',
  title: 'Vendor performance',
  summary: 'Whether vendors deliver in full and on time, and how their prices move',
  askedAs: [
    'vendors or suppliers who deliver late, in full, on time',
    'supplier rating, lead time, OTIF',
    'price increases of vendors, how purchase prices move',
  ],
  description: `One record per vendor with a line of a purchase order that was promised in the range, ordered by \`code\`. The promised day is the delivery date of the
line, or of its order. ${deliveryMeaning}

A line is in full if receipts up to today accepted what was ordered, and on time if the receipt that completed it came by the promised day.
\`price_variance\` adds up, over the receipts of the lines, the accepted quantity × the change of the rate since the item's receipt line before, from
any vendor, by date and number.`,
  dependsOnToday: true,
  request: dateRange,
  record: {
    code: Naming(Text("The vendor's code."), vendor('code')),
    name: Naming(Text("The vendor's name."), vendor('code')),
    ...deliveryFields,
    received_amt: Amount(
      4,
      'Amount of everything that the receipts of the lines brought, accepted or not, before tax.',
    ),
    rejected_amt: Amount(4, 'Amount of what was rejected of it.'),
    rejected_percent: OrNull(
      NotAdditive(Decimal(2, '`rejected_amt` in percent of `received_amt`; null if nothing of value was received.')),
    ),
    lead_days: OrNull(
      NotAdditive(
        Decimal(2, 'Mean days from the order to the first accepted receipt of a line; null without a receipt.'),
      ),
    ),
    price_variance: Amount(
      4,
      'Accepted quantity times what a unit cost more than at the receipt of the item before it, from any vendor, added up; negative if less.',
    ),
  },
  people: [
    'name',
    'lines',
    'in_full',
    'on_time',
    'on_time_in_full_percent',
    'days_late',
    'lead_days',
    'rejected_percent',
    'price_variance',
    'code',
  ],
  headings: {
    on_time_in_full_percent: 'On time %',
    rejected_percent: 'Rejected %',
    lead_days: 'Lead time',
  },
  better: {
    on_time_in_full_percent: 'more',
    days_late: 'less',
    rejected_percent: 'less',
    lead_days: 'less',
    price_variance: 'less',
  },
  orderBy: ['code'],
  query: ({ from_date, to_date }) => sql`
    select v.code, v.name, s.*, ${quotient(raw('100 * s.rejected_amt'), raw('nullif(s.received_amt, 0)'))} as rejected_percent
      from (select l.vendor_code, ${deliveryColumns},
                   coalesce(sum(received_amt), 0) as received_amt, coalesce(sum(rejected_amt), 0) as rejected_amt,
                   ${quotient(raw('sum(first_on - po_date)'), raw('nullif(count(first_on), 0)'))} as lead_days,
                   coalesce(sum(price_variance), 0) as price_variance
              from (select po.vendor_code::text collate "C" as vendor_code, po.po_date, l.qty, coalesce(l.delivery_date, po.delivery_date) as promised,
                           coalesce(r.accepted, 0) as done, r.*
                      from purchase_order po
                      join purchase_order_line l on l.po_no = po.po_no
                      join item i on i.id = l.item_id
                      left join (select r.po_no, r.po_line_no, sum(accepted_qty) as accepted,
                                        min(receipt_date) filter (where accepted_qty > 0) as first_on,
                                        min(receipt_date) filter (where upto >= ordered) as completed,
                                        sum(received_qty * rate) as received_amt, sum(rejected_qty * rate) as rejected_amt,
                                        sum(accepted_qty * (rate - before)) as price_variance
                                   from (select r.po_no, r.po_line_no, g.receipt_date, r.accepted_qty, r.received_qty, r.rejected_qty, r.rate,
                                                l.qty as ordered,
                                                sum(r.accepted_qty) over (partition by r.po_no, r.po_line_no order by g.receipt_date) as upto,
                                                lag(r.rate) over (partition by l.item_id order by g.receipt_date, r.grn_no, r.line_no) as before
                                           from goods_receipt_line r
                                           join goods_receipt g on g.po_no = r.po_no and g.grn_no = r.grn_no
                                           join purchase_order_line l on l.po_no = r.po_no and l.line_no = r.po_line_no
                                          where l.item_id is not null and g.receipt_date <= ${today}) r
                                  group by r.po_no, r.po_line_no) r on r.po_no = l.po_no and r.po_line_no = l.line_no
                     where po.state <> 'CANCELLED' and i.type <> 'SRV' and l.qty > 0
                       and coalesce(l.delivery_date, po.delivery_date) between ${from_date}::date and ${to_date}::date) l
             group by l.vendor_code) s
      join vendor v on v.code = s.vendor_code`,
})
