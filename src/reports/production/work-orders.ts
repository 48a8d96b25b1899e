/** Work orders: planned and running production, and the value of the work in progress. */
import { sql } from '../../db/sql.js'
import {
  Amount,
  IsoDate,
  Lines,
  Naming,
  NotAdditive,
  OrNull,
  Quantity,
  Text,
  Word,
} from '../../kernel/report/fields.js'
import { Day, OneOf, Optional, TextParam } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { item, workOrder } from '../shared/things.js'
import { only } from '../shared/words.js'

const statuses = ['Planned', 'Open', 'Closed', 'Cancelled'] as const

export default defineReport({
  id: 'production.work-orders',
  method: 'POST',
  path: '/v1/production/work-orders',
  title: 'Work orders',
  summary: 'Planned, open and closed work orders with their work in progress',
  askedAs: [
    'work orders, production orders, jobs on the shop floor: planned, running, in progress, finished',
    'work in progress, WIP value',
    'which work orders are late or open',
  ],
  description: `One record per work order, ordered by \`start_date\` and \`work_order_no\`. Every filter is optional.

Quantities and values come from the ledger's consumptions and production receipts that name the work order. While an order
is Planned or Open, the value consumed minus the value produced is its work in progress, \`wip_val\`; once it is Closed
or Cancelled, the same difference is its \`variance_val\`. Values are without tax.`,
  request: {
    status: Optional(OneOf(statuses, 'Only orders of this status.')),
    sku: Optional(TextParam('Only orders for the product with this code.', 'FG001')),
    from_date: Optional(Day('Only orders with a planned start on this day or later.', '2026-06-01')),
    to_date: Optional(Day('Only orders with a planned start on this day or earlier.', '2026-06-30')),
  },
  record: {
    work_order_no: Naming(Text('Number of the work order.'), workOrder('work_order_no')),
    product_sku: Naming(Text("The product's code."), item('product_sku')),
    product_name: Naming(Text("The product's name."), item('product_sku')),
    uom: Text('Its unit.'),
    warehouse: OrNull(Text('Warehouse that makes the product.')),
    status: Word(statuses, 'Status of the order.'),
    planned_qty: Quantity(4, 'uom', 'Quantity to be made.'),
    produced_qty: Quantity(4, 'uom', 'Quantity made so far.'),
    open_qty: Quantity(4, 'uom', 'Quantity still to be made; 0 once the order is Closed or Cancelled.'),
    start_date: IsoDate('Planned first day.'),
    due_date: IsoDate('Planned last day.'),
    started_on: OrNull(IsoDate("Day of the order's first movement.")),
    finished_on: OrNull(IsoDate('Day on which the order was closed.')),
    consumed_val: Amount(4, 'Value of the consumed materials.'),
    produced_val: Amount(4, 'Value of the produced goods, by-products included.'),
    wip_val: Amount(4, 'Work in progress: value consumed minus value produced, while the order is Planned or Open.'),
    variance_val: Amount(4, 'Value consumed minus value produced, once the order is Closed or Cancelled.'),
    note: Text('Free text.'),
    items: Lines('Components and by-products of the order, planned or moved, ordered by kind and code.', {
      fields: {
        kind: Word(['By-product', 'Component'], 'Whether the item goes into production or comes out of it.'),
        sku: Naming(Text("The item's code."), item('sku')),
        name: Naming(Text("The item's name."), item('sku')),
        uom: Text('Its unit.'),
        planned_qty: NotAdditive(Quantity(4, 'uom', 'Quantity for the whole order.')),
        moved_qty: NotAdditive(Quantity(4, 'uom', 'Quantity consumed so far; for a by-product, received so far.')),
      },
      query: sql`
        select l.kind, i.sku, i.name, i.unit as uom, l.planned_qty, l.moved_qty
          from (select item_id, kind, sum(planned) as planned_qty, sum(moved) as moved_qty
                  from (select item_id, kind, planned_qty::numeric as planned, 0.0000 as moved
                          from work_order_line where work_order_no = parent.work_order_no
                        union all
                        select item_id, case kind when 'consumption' then 'Component' else 'By-product' end, 0.0000, qty
                          from work_order_movement
                         where work_order_no = parent.work_order_no
                           and (kind = 'consumption' or item_id <> parent.item_id)) both_sides
                 group by item_id, kind) l
          join item i on i.id = l.item_id`,
      orderBy: ['kind', 'sku'],
    }),
  },
  people: [
    'work_order_no',
    'product_name',
    'status',
    'open_qty',
    'uom',
    'planned_qty',
    'produced_qty',
    'due_date',
    'wip_val',
    'warehouse',
  ],
  headings: {
    work_order_no: 'Work order',
    product_name: 'Product',
    open_qty: 'Open',
    planned_qty: 'Planned',
    produced_qty: 'Produced',
    due_date: 'Due',
    wip_val: 'In progress',
  },
  orderBy: ['start_date', 'work_order_no'],
  listing: true,
  cancelled: { field: 'status', is: 'Cancelled' },
  query: ({ status, sku, from_date, to_date }) => sql`
    select w.work_order_no, w.item_id, i.sku as product_sku, i.name as product_name, i.unit as uom, h.location as warehouse,
           w.status, w.planned_qty, m.produced as produced_qty,
           case when w.status in ('Planned', 'Open') then greatest(w.planned_qty - m.produced, 0) else 0 end as open_qty,
           w.start_date, w.due_date, m.started_on, w.finished_on, m.consumed_val, m.produced_val,
           case when w.status in ('Planned', 'Open') then m.consumed_val - m.produced_val else 0 end as wip_val,
           case when w.status in ('Planned', 'Open') then 0 else m.consumed_val - m.produced_val end as variance_val, w.note
      from work_order w
      join item i on i.id = w.item_id
      left join warehouse h on h.id = w.warehouse_id
     cross join lateral (
       select coalesce(sum(qty) filter (where kind = 'production_receipt' and item_id = w.item_id), 0) as produced,
              coalesce(sum(val) filter (where kind = 'consumption'), 0) as consumed_val,
              coalesce(sum(val) filter (where kind = 'production_receipt'), 0) as produced_val,
              min(movement_date) as started_on
         from work_order_movement where work_order_no = w.work_order_no) m
     where true ${only(status, (value) => sql`w.status = ${value}`)}
       ${only(sku, (value) => sql`i.sku = ${value}`)}
       ${only(from_date, (day) => sql`w.start_date >= ${day}::date`)}
       ${only(to_date, (day) => sql`w.start_date <= ${day}::date`)}`,
})
