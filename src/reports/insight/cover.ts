/** Cover: how long the stock of each item lasts, when to order it, how much and of whom. */
import { quotient, raw, root, type Sql, sql } from '../../db/sql.js'
import {
  Decimal,
  InWords,
  IsoDate,
  Naming,
  NotAdditive,
  OrNull,
  Quantity,
  Text,
  Word,
} from '../../kernel/report/fields.js'
import { Defaulting, OneOf, Optional, type Param, WholeNumber } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { isUse, used } from '../../ledger/figures.js'
import { asOn, dayOf, isOfType, stockType, windowDays } from '../shared/insight.js'
import { forProduction, inProduction, onOrder, onSale } from '../shared/open-orders.js'
import { item, vendor } from '../shared/things.js'
import { usableStock } from '../shared/usable.js'

/** The number of standard deviations that demand exceeds with the probability that a service level leaves. */
const Z = {
  ...{ '80': '0.841621', '85': '1.036433', '90': '1.281552', '95': '1.644854' },
  ...{ '97.5': '1.959964', '98': '2.053749', '99': '2.326348', '99.5': '2.575829' },
} as const
type Level = keyof typeof Z
const levels: readonly Level[] = ['80', '85', '90', '95', '97.5', '98', '99', '99.5']

const serviceLevel: Param<Level> = {
  ...OneOf(
    levels,
    'Share of the orders in percent during whose lead time the stock does not run out; also as a number.',
  ),
  read: (value) => levels.find((level) => level === value || Number(level) === value),
  example: '95',
}

/** How many blocks of 7 days tell steady from unsteady use. */
const WEEKS = 26

const itemKinds = {
  ...{ FG: 'Finished good', SFG: 'Semi-finished good', COMBO: 'Combo' },
  ...{ RAW: 'Raw material', PCK: 'Packing material', CON: 'Consumable', TOOL: 'Tool' },
} as const

export default defineReport({
  id: 'insight.cover',
  method: 'POST',
  path: '/v1/insight/cover',
  title: 'Cover',
  summary: 'How long the stock lasts, and what to order when and how much',
  askedAs: [
    'what to reorder, when and how much',
    'how many days or weeks the stock lasts, days of cover',
    'items running low or out of stock, stock-out, below reorder level',
    'what to buy next',
  ],
  description: `One record per active item that is not a service, and per inactive one with stock, ordered by \`sku\`.

\`pace\` is what was used of the item a day: issues, own use, consumption and unpacking less customers' returns on the \`window_days\` days that end with
\`as_on\`, divided by them, never below 0. \`deviation\` is the population standard deviation of the daily quantities. \`projected_qty\` =
\`usable_qty\` + \`on_order_qty\` + \`in_production_qty\` − \`demanded_qty\`.

The lead time is measured: from the order to the first accepted receipt of each order line first received in the 365 days that end with \`as_on\`. An item without
such a line has the lead time that \`item_vendors\` states for \`vendor\`, else \`lead_days\` of the request, both without a deviation. With the pace d, its deviation σd, the
lead time L (0 if it is below 0) and its deviation σL, \`safety_qty\` = z·√(L·σd² + d²·σL²), where z follows from \`service_level\`, and \`reorder_point\` = d·L + \`safety_qty\`.

\`order_qty\` is 0 unless \`projected_qty\` is below the reorder point; then it is \`reorder_point\` + d·L − \`projected_qty\`, at least \`min_qty\` of the vendor, up to a whole
\`multiple\`. \`order_by\` is the day on which \`projected_qty\` reaches the reorder point at this pace, not before \`as_on\`.

\`abc\` ranks all items by the booked value of what was used in the 365 days that end with \`as_on\`, the largest first: A up to 80 % of the running sum, B up to 95 %, else C;
the first is A. \`xyz\` is X if the population deviation of the use in the last 26 blocks of 7 days is at most half of its mean, Y if it is at most the mean, else Z. A booked
value below 0 counts as 0.`,
  dependsOnToday: true,
  cost: 10,
  request: {
    as_on: asOn,
    window_days: windowDays,
    service_level: Defaulting(serviceLevel, '95'),
    lead_days: Optional(WholeNumber('number', 3660, 'Lead time in days of the items for which none is known.', 14)),
    type: stockType,
  },
  record: {
    sku: Naming(Text("The item's code."), item('sku')),
    name: Naming(Text("The item's name."), item('sku')),
    unit: Text('Unit of the quantities.'),
    type: InWords(Word(Object.keys(itemKinds), 'Type of the item, of a material its kind.'), itemKinds),
    stock_qty: Quantity(4, 'unit', 'Stock over all warehouses, on hold or not.'),
    usable_qty: Quantity(4, 'unit', 'Stock that is neither on hold nor expired; may be negative.'),
    on_order_qty: Quantity(4, 'unit', 'Ordered from vendors and not yet received.'),
    in_production_qty: Quantity(
      4,
      'unit',
      'Planned by open work orders that start by `as_on`, and not yet brought in.',
    ),
    demanded_qty: Quantity(
      4,
      'unit',
      'Ordered by customers and not yet issued, and planned as a component of open work orders and not yet consumed.',
    ),
    projected_qty: Quantity(4, 'unit', '`usable_qty` + `on_order_qty` + `in_production_qty` − `demanded_qty`.'),
    pace: NotAdditive(Quantity(4, 'unit', 'Quantity that is used a day.')),
    deviation: NotAdditive(Quantity(4, 'unit', 'Standard deviation of the quantity that is used a day.')),
    cover_days: OrNull(NotAdditive(Decimal(2, '`usable_qty` ÷ `pace`; null without a pace.'))),
    runs_out_on: OrNull(
      IsoDate(
        'Day on which `usable_qty` is used up at this pace; null without a pace, or if the year has no four digits.',
      ),
    ),
    lead_days: OrNull(NotAdditive(Decimal(2, 'Mean days from an order to its receipt; null if they are not known.'))),
    lead_deviation: OrNull(NotAdditive(Decimal(2, 'Standard deviation of these days; null without them.'))),
    lead_source: Word(
      ['Measured', 'Vendor', 'Given', 'None'],
      '`Measured` from receipts, stated by the `Vendor`, or `Given` with the request.',
    ),
    safety_qty: OrNull(Quantity(4, 'unit', 'Safety stock; null without a lead time.')),
    reorder_point: OrNull(NotAdditive(Quantity(4, 'unit', 'Quantity below which to order; null without a lead time.'))),
    order_qty: Quantity(4, 'unit', 'Quantity to order.'),
    order_by: OrNull(
      IsoDate('Day by which to order; null without a pace or a lead time, or if the year has no four digits.'),
    ),
    vendor: OrNull(
      Naming(
        Text(
          'Code of the vendor that asks the lowest price in `item_vendors`, else of the last receipt; null without both.',
        ),
        vendor('vendor'),
      ),
    ),
    abc: OrNull(Text('`A`, `B` or `C`, by the value that was used; null if nothing was used in a year.')),
    xyz: OrNull(Text('`X`, `Y` or `Z`, from steady to unsteady use; null if nothing was used in 26 weeks.')),
  },
  people: [
    'name',
    'usable_qty',
    'unit',
    'cover_days',
    'runs_out_on',
    'order_qty',
    'order_by',
    'reorder_point',
    'projected_qty',
    'sku',
  ],
  headings: {
    name: 'Item',
    usable_qty: 'Usable',
    cover_days: 'Days of cover',
    order_qty: 'To order',
    on_order_qty: 'On order',
    in_production_qty: 'In production',
    projected_qty: 'Projected',
    lead_days: 'Lead time',
  },
  better: { cover_days: 'more', order_qty: 'less' },
  orderBy: ['sku'],
  query: ({ as_on, window_days, service_level, lead_days, type }) => {
    const day = dayOf(as_on)
    const days = sql`${window_days}::numeric`
    const given = sql`${lead_days ?? null}::numeric`
    // Sums stay whole until the end. A pace is its `used` ÷ `days`; a lead time is its `lead` ÷ `lines`; what has both in it is a number of
    // parts, of which `days` × `lines` make one unit.
    return sql`
    with stock as materialized (${usableStock(day)}),
         orders as materialized (${onOrder(day)}),
         production as materialized (${inProduction(day)}),
         demand as materialized (
           select item_id, sum(qty) as qty from (${onSale(day)} union all ${forProduction(day)}) d group by item_id),
         use as materialized (${useOf(day, window_days)}),
         year as materialized (${yearOf(day)}),
         lead as materialized (${leadOf(day)}),
         receipt as materialized (${lastVendorOf(day)}),
         ranked as materialized (
           select y.item_id, row_number() over by_value as place, sum(y.value) over by_value as upto, sum(y.value) over () as total
             from year y
             join item i on i.id = y.item_id
            where y.qty > 0
           window by_value as (order by y.value desc, i.sku)),
         items as materialized (
           select i.id, coalesce(s.stock_qty, 0) as stock_qty, coalesce(s.usable_qty, 0) as usable_qty, coalesce(o.qty, 0) as on_order_qty,
                  coalesce(p.qty, 0) as in_production_qty, coalesce(d.qty, 0) as demanded_qty,
                  coalesce(s.usable_qty, 0) + coalesce(o.qty, 0) + coalesce(p.qty, 0) - coalesce(d.qty, 0) as projected_qty,
                  greatest(coalesce(u.used, 0), 0) as used, ${days} * coalesce(u.squares, 0) - coalesce(u.used * u.used, 0) as spread,
                  u.half, ${raw(String(WEEKS))} * u.half_squares - u.half * u.half as half_spread,
                  coalesce(l.lines, case when coalesce(v.lead_days, ${given}) is not null then 1 end) as lines,
                  greatest(coalesce(l.days, v.lead_days, ${given}), 0) as lead, coalesce(l.days, v.lead_days, ${given}) as lead_days,
                  coalesce(l.lines * l.squares - l.days * l.days, 0) as lead_spread,
                  case when l.lines is not null then 'Measured' when v.lead_days is not null then 'Vendor'
                       when ${given} is not null then 'Given' else 'None' end as lead_source,
                  v.min_qty, v.multiple, coalesce(v.vendor_code, r.vendor_code) as vendor,
                  case when a.place = 1 or a.total > 0 and a.upto * 100 <= a.total * 80 then 'A'
                       when a.total > 0 and a.upto * 100 <= a.total * 95 then 'B' when a.place is not null then 'C' end as abc
             from item i
             left join stock s on s.item_id = i.id
             left join orders o on o.item_id = i.id
             left join production p on p.item_id = i.id
             left join demand d on d.item_id = i.id
             left join use u on u.item_id = i.id
             left join lead l on l.item_id = i.id
             left join receipt r on r.item_id = i.id
             left join ranked a on a.item_id = i.id
             left join (select distinct on (item_id) item_id, vendor_code::text collate "C" as vendor_code, lead_days, min_qty, multiple
                          from item_vendor order by item_id, price, vendor_code) v on v.item_id = i.id
            where ${isOfType(type)} and (i.active or coalesce(s.stock_qty, 0) <> 0)),
         points as materialized (
           select i.*, ${days} * i.lines as parts, i.used * i.lead as lead_use,
                  ${Z[service_level]}::numeric * ${root(sql`i.lines * i.lead * i.spread + i.used * i.used * i.lead_spread`)} as safety
             from items i),
         plans as materialized (
           select p.*, p.lead_use + p.safety as point, p.projected_qty * p.parts - p.lead_use - p.safety as spare,
                  div(p.usable_qty * ${days}, nullif(p.used, 0)) as days_left
             from points p),
         dated as materialized (
           select p.*, div(greatest(p.spare, 0), nullif(p.used * p.lines, 0)) as days_to_order,
                  greatest(${quotient(raw('p.lead_use - p.spare'), raw('p.parts'))}, p.min_qty) as wanted
             from plans p)
    select i.sku, i.name, i.unit, coalesce(i.material_kind, i.type) as type, p.stock_qty, p.usable_qty, p.on_order_qty, p.in_production_qty,
           p.demanded_qty, p.projected_qty, ${quotient(raw('p.used'), days)} as pace, ${quotient(root(raw('p.spread')), days)} as deviation,
           ${quotient(sql`p.usable_qty * ${days}`, raw('nullif(p.used, 0)'))} as cover_days, ${onDay(day, 'p.days_left')} as runs_out_on,
           ${quotient(raw('p.lead_days'), raw('p.lines'))} as lead_days,
           case when p.lines is not null then ${quotient(root(raw('p.lead_spread')), raw('p.lines'))} end as lead_deviation, p.lead_source,
           ${quotient(raw('p.safety'), raw('p.parts'))} as safety_qty, ${quotient(raw('p.point'), raw('p.parts'))} as reorder_point,
           case when p.spare < 0 then coalesce(ceil(${quotient(raw('p.wanted'), raw('p.multiple'))}) * p.multiple, p.wanted) else 0 end as order_qty,
           ${onDay(day, 'p.days_to_order')} as order_by, p.vendor, p.abc,
           case when p.half > 0 then case when 4 * p.half_spread <= p.half * p.half then 'X'
                                          when p.half_spread <= p.half * p.half then 'Y' else 'Z' end end as xyz
      from dated p
      join item i on i.id = p.id`
  },
})

/** The day that comes this number of days after another; null if its year is not from 1 to 9999. */
const onDay = (day: Sql, number: string): Sql =>
  sql`case when ${raw(number)} between date '0001-01-01' - ${day} and date '9999-12-31' - ${day} then ${day} + ${raw(number)}::int end`

const usedSince = (day: Sql, days: Sql): Sql =>
  sql`${isUse} and m.movement_date > ${day} - ${days} and m.movement_date <= ${day}`

/** The use of each item in the last 365 days: quantity and booked value. */
const yearOf = (day: Sql): Sql => sql`
  select m.item_id, sum(${used('qty')}) as qty, greatest(sum(${used('val')}), 0) as value
    from stock_movement m where ${usedSince(day, raw('365'))} group by m.item_id`

/** The quantities used of each item in the window and in the last 26 blocks of 7 days, and the sums of their squares by day and by block. */
function useOf(day: Sql, window: number): Sql {
  const sum = (of: string, when: Sql) => sql`coalesce(sum(${raw(of)}) filter (where ${when}), 0)`
  const inWindow = sql`ago < ${window}::int`
  return sql`
  select item_id, sum(used) as used, sum(squares) as squares, ${sum('qty', raw(`week < ${WEEKS}`))} as half,
         ${sum('qty * qty', raw(`week < ${WEEKS}`))} as half_squares
    from (select item_id, ago / 7 as week, sum(qty) as qty, ${sum('qty', inWindow)} as used, ${sum('qty * qty', inWindow)} as squares
            from (select m.item_id, ${day} - m.movement_date as ago, sum(${used('qty')}) as qty
                    from stock_movement m where ${usedSince(day, sql`greatest(${window}::int, ${raw(String(WEEKS * 7))})`)}
                   group by m.item_id, m.movement_date) d
           group by item_id, ago / 7) w
   group by item_id`
}

/** The number of order lines of each item that were first received in the last 365 days, the sum of the days that they took, and of their squares. */
const leadOf = (day: Sql): Sql => sql`
  select item_id, count(*)::numeric as lines, sum(days) as days, sum(days * days) as squares
    from (select l.item_id, min(g.receipt_date) as first_on, (min(g.receipt_date) - po.po_date)::numeric as days
            from purchase_order po
            join purchase_order_line l on l.po_no = po.po_no
            join goods_receipt_line r on r.po_no = l.po_no and r.po_line_no = l.line_no
            join goods_receipt g on g.po_no = r.po_no and g.grn_no = r.grn_no
           where po.po_date <= ${day} and g.receipt_date <= ${day} and l.item_id is not null and r.accepted_qty > 0
           group by l.po_no, l.line_no, l.item_id, po.po_date) l
   where first_on > ${day} - 365
   group by item_id`

/**
 * The vendor of each item's last receipt, whose day and number are the beginning of the largest text. Each shard of a cluster finds its
 * largest; an ordered array would have to be made of all receipts in one place. Codes have no control characters.
 */
const lastVendorOf = (day: Sql): Sql => sql`
  select l.item_id, split_part(max((to_char(g.receipt_date, 'YYYYMMDD') || g.grn_no::text || chr(1) || po.vendor_code::text) collate "C"),
                               chr(1), 2) as vendor_code
    from purchase_order po
    join purchase_order_line l on l.po_no = po.po_no
    join goods_receipt_line r on r.po_no = l.po_no and r.po_line_no = l.line_no
    join goods_receipt g on g.po_no = r.po_no and g.grn_no = r.grn_no
   where g.receipt_date <= ${day} and l.item_id is not null
   group by l.item_id`
