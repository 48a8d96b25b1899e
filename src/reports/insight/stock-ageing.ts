/** Stock ageing: how long the stock of each item or batch has been there, first in, first out. */
import { join, quotient, raw, type Sql, sql } from '../../db/sql.js'
import {
  Amount,
  Decimal,
  Explained,
  Integer,
  IsoDate,
  Lines,
  Naming,
  NotAdditive,
  OrNull,
  Quantity,
  Text,
} from '../../kernel/report/fields.js'
import { Defaulting, OneOf, type Param } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { passedByBatchAndDay, passedByDay } from '../../ledger/condensed.js'
import { batchStory } from '../shared/behind.js'
import { asOn, dayOf, isOfType, type StockType, stockType } from '../shared/insight.js'
import { item } from '../shared/things.js'

const MOST_BANDS = 20
const OLDEST = 99_999

const DAYS = '^ *\\d{1,5}( *, *\\d{1,5})* *$'

/** The last days of bands, separated by commas. */
const Bands: Param<readonly number[]> = {
  type: { kind: 'text', longest: 200, pattern: DAYS },
  description:
    'The last day of each band of ages, in days, separated by commas; one more band has everything older. A receipt of the day itself is 0 days old.',
  expects: `1 to ${MOST_BANDS} whole numbers of days from 0 to ${OLDEST}, each above the one before, separated by commas`,
  required: true,
  read(value) {
    if (typeof value !== 'string' || !new RegExp(DAYS).test(value) || value.length > 200) return undefined
    const days = value.split(',').map(Number)
    return days.length <= MOST_BANDS && days.every((day, i) => i === 0 || day > (days[i - 1] as number))
      ? days
      : undefined
  },
  example: '30,60,90,180',
}

const request = {
  as_on: asOn,
  type: stockType,
  bands: Defaulting(Bands, '30,60,90,180'),
  by: Defaulting(
    OneOf(['item', 'batch'], 'Whether a record is an item or a batch of one.', { item: 'Item', batch: 'Batch' }),
    'item',
  ),
}

interface Asked {
  readonly as_on: string | undefined
  readonly type: StockType
  readonly bands: readonly number[]
}

/**
 * The stock of each key, an item or a batch of one, by the age of its receipts. Whatever left used the oldest receipts, so the stock
 * is what the youngest receipts add up to: `newer` is what came after a day, and of a day the rest up to the stock is still there.
 */
function aged({ as_on, type, bands }: Asked, key: 'item_id' | 'item_id, batch_no'): Sql {
  const items = sql`select i.id from stocked_item i where ${isOfType(type)}`
  const byDay = (key === 'item_id' ? passedByDay : passedByBatchAndDay)(items, dayOf(as_on))
  // Ages are whole days: the number of bands that end before this one.
  const band = sql`width_bucket(${dayOf(as_on)} - day - 1, ${bands}::int[])`
  const quantities = [0, ...bands].map(
    (_, i) => sql`coalesce(sum(still) filter (where band = ${raw(String(i))}), 0) as ${raw(`qty${i}`)}`,
  )
  return sql`
    select ${raw(key)}, sum(stock) as stock, sum(transit) as transit, sum(value) as value, max(there) as there,
           sum(still * (${dayOf(as_on)} - day)) as days, min(day) filter (where still > 0) as oldest_on,
           max(day) filter (where came > 0) as last_in_on, max(day) filter (where went > 0) as last_out_on,
           ${join(quantities, ', ')}
      from (select f.*, greatest(least(there - newer, came), 0) as still, ${band} as band
              from (select f.*, sum(came - went) over (partition by ${raw(key)}) as there,
                           sum(came) over (partition by ${raw(key)} order by day desc) - came as newer
                      from ${byDay} f) f) f
     group by ${raw(key)}`
}

/** The value of each band in proportion to its quantity, as columns `share0` and so on. */
const sharesOf = (count: number): Sql =>
  join(
    Array.from(
      { length: count },
      (_, i) => sql`round(${quotient(raw(`value * qty${i}`), raw('nullif(there, 0)'))}, 4) as ${raw(`share${i}`)}`,
    ),
    ', ',
  )

/** The same, but the youngest band with a quantity gets what rounding leaves. */
function valuesOf(count: number): Sql {
  const bands = Array.from({ length: count }, (_, i) => i)
  return raw(
    bands
      .map((i) => {
        const isYoungest = ['true', ...bands.slice(0, i).map((younger) => `qty${younger} = 0`)].join(' and ')
        const rest = ['value', ...bands.slice(i + 1).map((older) => `share${older}`)].join(' - ')
        return `case when qty${i} = 0 then 0 when ${isYoungest} then ${rest} else share${i} end`
      })
      .join(', '),
  )
}

const records = (asked: Asked, key: Parameters<typeof aged>[1], columns: Sql, joined: Sql): Sql => {
  const firsts = asked.bands.map((_, i) => sql`(${asked.bands}::int[])[${raw(String(i + 1))}] + 1`)
  const quantities = raw([0, ...firsts].map((_, i) => `qty${i}`).join(', '))
  return sql`
    select i.sku, i.name, i.unit, i.primary_category, i.product_category as category, ${columns}
           s.stock as stock_qty, s.transit as in_transit_qty, s.value as stock_value,
           case when there > 0 then ${quotient(raw('s.days'), raw('s.there'))} end as average_age_days,
           s.oldest_on, s.last_in_on, s.last_out_on, array[0, ${join(firsts, ', ')}] as band_from, ${asked.bands}::int[] as band_to,
           array[${quantities}] as band_qty, array[${valuesOf(firsts.length + 1)}] as band_value
      from (select s.*, ${sharesOf(firsts.length + 1)} from (${aged(asked, key)}) s) s
      join item i on i.id = s.item_id ${joined}
     where s.stock <> 0 or s.transit <> 0 or s.value <> 0`
}

const about = {
  sku: Naming(Text("The item's code."), item('sku')),
  name: Naming(Text("The item's name."), item('sku')),
  unit: Text('Unit of the quantities.'),
  primary_category: Text("The item's primary category."),
  category: Text("The item's category."),
}

const figures = {
  stock_qty: Quantity(4, 'unit', 'Stock over all warehouses, on hold or not.'),
  in_transit_qty: Quantity(4, 'unit', 'Quantity that left a warehouse for another one and has not arrived.'),
  stock_value: Amount(4, 'Value of `stock_qty` without tax, as booked.'),
  average_age_days: OrNull(
    NotAdditive(Decimal(2, 'Mean age of the stock and of what is in transit, in days; null if there is none.')),
  ),
  oldest_on: OrNull(IsoDate('Day of the oldest receipt of which something is left; null if nothing is.')),
  last_in_on: OrNull(IsoDate('Day of the last receipt, transfers left out; null if there was none.')),
  last_out_on: OrNull(IsoDate('Day on which something last left, transfers left out; null if nothing did.')),
  bands: Lines('The stock and what is in transit by age, youngest first; all 0 if they are not above 0 together.', {
    fields: {
      from_days: Integer('First age of the band, in days.'),
      to_days: OrNull(Integer('Last age; null in the last band, which has no end.')),
      qty: NotAdditive(Decimal(4, 'Quantity of this age, in the unit of the record.')),
      value: Amount(4, 'Its part of `stock_value`.'),
    },
    query: sql`
      select b.from_days, b.to_days, b.qty, b.value
        from unnest(parent.band_from, parent.band_to, parent.band_qty, parent.band_value) b(from_days, to_days, qty, value)`,
    orderBy: ['from_days'],
  }),
}

const headings = {
  stock_qty: 'In stock',
  average_age_days: 'Age in days',
  oldest_on: 'Oldest',
  last_out_on: 'Last out',
}

export default defineReport({
  id: 'insight.stock-ageing',
  method: 'POST',
  path: '/v1/insight/stock-ageing',
  title: 'Stock ageing',
  summary: 'How long the stock of each item or batch has been there',
  askedAs: [
    'how old the stock is: ageing, aging',
    'dead stock, slow moving or non-moving items',
    'stock that has not moved for months',
  ],
  description: `One record per item with stock, value or something in transit, ordered by \`sku\`; with \`by\` \`batch\`, one per batch of an item, ordered by \`sku\`
and \`batch_no\`, and stock that is not kept by batch comes last with a null \`batch_no\`.

First in, first out over the receipts that bring goods into the company: production, purchase, other receipts and customers' returns. Whatever left
used the oldest receipts; what left before anything came in used the next one. A transfer between warehouses changes no age. \`bands\` add up to
\`stock_qty\` + \`in_transit_qty\` if that is above 0, else all are 0. The booked value is spread over them by quantity; the youngest band with a
quantity gets what rounding leaves.`,
  dependsOnToday: true,
  cost: 10,
  request,
  variants: {
    by: 'by',
    shapes: {
      item: {
        record: { ...about, ...figures },
        people: [
          'name',
          'stock_qty',
          'unit',
          'stock_value',
          'average_age_days',
          'oldest_on',
          'last_out_on',
          'bands',
          'sku',
        ],
        headings,
        better: { average_age_days: 'less' },
        orderBy: ['sku'],
        query: (asked) => records(asked, 'item_id', raw(''), raw('')),
      },
      batch: {
        record: {
          ...about,
          batch_no: OrNull(
            Explained(
              Text('Number of the batch; null for stock that is not kept by batch.'),
              batchStory('batch_no', 'sku'),
            ),
          ),
          expiry_date: OrNull(IsoDate('Date of expiry.')),
          ...figures,
        },
        people: [
          'name',
          'batch_no',
          'stock_qty',
          'unit',
          'stock_value',
          'average_age_days',
          'oldest_on',
          'expiry_date',
          'bands',
          'sku',
        ],
        headings: { ...headings, batch_no: 'Batch', expiry_date: 'Expires' },
        better: { average_age_days: 'less' },
        orderBy: ['sku', 'batch_no'],
        query: (asked) =>
          records(
            asked,
            'item_id, batch_no',
            raw('s.batch_no, b.expiry_date,'),
            raw('left join batch b on b.item_id = s.item_id and b.batch_no = s.batch_no'),
          ),
      },
    },
  },
})
