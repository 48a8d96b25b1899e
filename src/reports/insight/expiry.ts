/** Expiry: what of each batch will be used before it expires, and what is at risk. */
import { quotient, raw, sql } from '../../db/sql.js'
import {
  Amount,
  Explained,
  Integer,
  InWords,
  IsoDate,
  Naming,
  NotAdditive,
  OrNull,
  Quantity,
  Text,
  Word,
} from '../../kernel/report/fields.js'
import { Optional, WholeNumber } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { batchesUpTo } from '../../ledger/condensed.js'
import { inStock, onHold, used } from '../../ledger/figures.js'
import { batchStory } from '../shared/behind.js'
import { asOn, dayOf, windowDays } from '../shared/insight.js'
import { item } from '../shared/things.js'
import { asWritten } from '../shared/words.js'

const always = raw('true')
const statuses = ['Expired', 'At risk', 'Safe'] as const

export default defineReport({
  id: 'insight.expiry',
  method: 'POST',
  path: '/v1/insight/expiry',
  title: 'Expiring stock',
  summary: 'What of each batch will be used before it expires, and what is at risk',
  askedAs: [
    'what expires soon, in the next days or weeks',
    'near expiry, expired stock, stock at risk of expiring',
    'batches that will expire before they are sold',
  ],
  description: `One record per batch with stock and an expiry date, ordered by \`sku\` and \`batch_no\`.

\`pace\` is what was used of the item a day: issues, own use, consumption and unpacking less customers' returns on the \`window_days\` days that end with
\`as_on\`, divided by them, never below 0. The batch that expires first is used first, then the smaller number. Until the day of its expiry,
\`days_left\` × \`pace\` can be used of a batch and of all batches before it. What is on hold or expired is not used. \`at_risk_qty\` = \`stock_qty\` −
\`used_before_expiry_qty\`. A batch is expired from the day after its expiry date on.`,
  dependsOnToday: true,
  cost: 10,
  request: {
    as_on: asOn,
    window_days: windowDays,
    within_days: Optional(
      WholeNumber('number', 99_999, 'Only batches that expire within this number of days, and the expired ones.', 60),
    ),
  },
  record: {
    sku: Naming(Text("The item's code."), item('sku')),
    name: Naming(Text("The item's name."), item('sku')),
    unit: Text('Unit of the quantities.'),
    batch_no: Explained(Text('Number of the batch.'), batchStory('batch_no', 'sku')),
    mfg_date: OrNull(IsoDate('Date of manufacture.')),
    expiry_date: IsoDate('Date of expiry.'),
    days_left: Integer('Days from `as_on` to the date of expiry; negative for an expired batch.'),
    stock_qty: Quantity(4, 'unit', 'Stock of the batch over all warehouses, on hold or not.'),
    hold_qty: Quantity(4, 'unit', 'Part of it that is on hold.'),
    stock_value: Amount(4, 'Value of `stock_qty` without tax, as booked.'),
    pace: NotAdditive(Quantity(4, 'unit', 'Quantity of the item that is used a day.')),
    used_before_expiry_qty: Quantity(4, 'unit', 'Quantity of the batch that will be used before it expires.'),
    at_risk_qty: Quantity(4, 'unit', 'The rest of `stock_qty`.'),
    at_risk_value: Amount(4, 'Its part of `stock_value`, by quantity.'),
    status: InWords(Word(statuses, '`At risk` if any of it is.'), asWritten(statuses)),
  },
  people: [
    'name',
    'batch_no',
    'expiry_date',
    'days_left',
    'stock_qty',
    'unit',
    'at_risk_qty',
    'at_risk_value',
    'status',
    'sku',
  ],
  headings: {
    batch_no: 'Batch',
    expiry_date: 'Expires',
    stock_qty: 'In stock',
    at_risk_qty: 'At risk',
    at_risk_value: 'Value at risk',
  },
  better: { at_risk_qty: 'less', at_risk_value: 'less' },
  orderBy: ['sku', 'batch_no'],
  query: ({ as_on, window_days, within_days }) => {
    const day = dayOf(as_on)
    const soonest = raw('partition by item_id order by expiry_date, batch_no')
    // Quantities that may be used are in parts of a day's pace, so that nothing is rounded before the end.
    const parts = sql`${window_days}::int`
    return sql`
      select i.sku, i.name, i.unit, s.batch_no, s.mfg_date, s.expiry_date, s.days_left, s.stock_qty, s.hold_qty, s.stock_value,
             ${quotient(raw('s.used'), parts)} as pace, ${quotient(raw('s.taken'), parts)} as used_before_expiry_qty,
             ${quotient(raw('s.risk'), parts)} as at_risk_qty,
             ${quotient(raw('s.stock_value * s.risk'), sql`(s.stock_qty * ${parts})`)} as at_risk_value,
             case when s.days_left < 0 then 'Expired' when s.risk > 0 then 'At risk' else 'Safe' end as status
        from (select s.*, s.stock_qty * ${parts} - s.taken as risk
                from (select s.*, s.upto - lag(s.upto, 1, 0.0) over (${soonest}) as taken
                        from (select s.*, s.usable + least(0, min(greatest(s.days_left, 0) * s.used - s.usable) over (${soonest})) as upto
                                from (select s.*, ${parts} * sum(case when days_left < 0 then 0
                                                                      else least(s.stock_qty, greatest(s.stock_qty - s.hold_qty, 0)) end)
                                                      over (${soonest}) as usable
                                        from (select b.*, coalesce(u.used, 0) as used
                                                from (select m.item_id, m.batch_no, l.mfg_date, l.expiry_date, l.expiry_date - ${day} as days_left,
                                                             ${inStock('qty', always)} as stock_qty, ${onHold('qty', always)} as hold_qty,
                                                             ${inStock('val', always)} as stock_value
                                                        from (select s.item_id, s.batch_no, b.mfg_date, b.expiry_date
                                                                from ${batchesUpTo(sql`select id from stocked_item`, day)} s
                                                                join batch b on b.item_id = s.item_id and b.batch_no = s.batch_no
                                                               where s.received > s.debited and b.expiry_date is not null) l
                                                        join stock_movement m on m.item_id = l.item_id and m.batch_no = l.batch_no
                                                       where m.movement_date <= ${day}
                                                       group by m.item_id, m.batch_no, l.mfg_date, l.expiry_date
                                                       having ${inStock('qty', always)} > 0) b
                                                left join (select m.item_id, greatest(sum(${used('qty')}), 0) as used
                                                             from stock_movement m
                                                            where m.movement_date > ${day} - ${parts} and m.movement_date <= ${day}
                                                            group by m.item_id) u on u.item_id = b.item_id) s) s) s) s) s
        join item i on i.id = s.item_id
       where ${within_days === undefined ? always : sql`s.days_left <= ${within_days}::int`}`
  },
})
