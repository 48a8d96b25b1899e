/** Value of the stock at the end of each month, by kind of item. */
import { raw, type Sql, sql } from '../../db/sql.js'
import { Amount, extra, IsoDate, NotAdditive, Text } from '../../kernel/report/fields.js'
import { dateRange, ZeroOrOne } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { stockOnDays } from '../../ledger/condensed.js'
import { inStock } from '../../ledger/figures.js'

/** The last day of each month of the range, or of the range. */
const days = (from: string, to: string): Sql => sql`
  select least((month + interval '1 month')::date - 1, ${to}::date) as day
    from generate_series(date_trunc('month', ${from}::date), ${to}::date, interval '1 month') month`

const value = (which: string): Sql => raw(`coalesce(sum(v.value) filter (where v.${which}), 0)`)
const Value = (description: string) => NotAdditive(Amount(4, description))

export default defineReport({
  id: 'inventory.stock-value',
  method: 'POST',
  path: '/v1/inventory/stock-value',
  title: 'Stock value by month',
  summary: 'Value of the stock at the end of each month',
  askedAs: [
    'what the inventory is worth, value of the stock',
    'stock value at month end, month by month',
    'money tied up in stock, for the balance sheet',
  ],
  description: `One record per month of the range, ordered by \`date\`: the value of the stock at the end of the month, and for the last month at the end of
\`to_date\`. Values are the values booked when the goods moved, without tax for \`tax\` = 0 and with tax for \`tax\` = 1, over all warehouses, stock on hold
included. For one \`to_date\` they equal the sums of the stock reports.`,
  cost: 10,
  request: {
    tax: ZeroOrOne('number', '`0` for values without tax, `1` for values with tax; as a number or as a string.'),
    ...dateRange,
  },
  record: {
    month: Text('The month, `2026-04`.'),
    date: IsoDate('The day at whose end the stock has these values.'),
    total_value: Value('Value of all stock.'),
    finished_value: Value('Value of finished goods and combos.'),
    semi_finished_value: Value('Value of semi-finished goods.'),
    material_value: Value('Value of materials of every kind.'),
    ...extra({
      raw_value: Value('Value of raw materials.'),
      packing_value: Value('Value of packing materials.'),
      consumable_value: Value('Value of consumables.'),
      tool_value: Value('Value of tools.'),
    }),
  },
  people: ['month', 'total_value', 'finished_value', 'semi_finished_value', 'material_value', 'date'],
  orderBy: ['date'],
  query: ({ tax, from_date, to_date }) => sql`
    select to_char(d.day, 'YYYY-MM') as month, d.day as date, coalesce(sum(v.value), 0) as total_value,
           ${value("type in ('FG', 'COMBO')")} as finished_value, ${value("type = 'SFG'")} as semi_finished_value,
           ${value("type = 'MAT'")} as material_value, ${value("material_kind = 'RAW'")} as raw_value,
           ${value("material_kind = 'PCK'")} as packing_value, ${value("material_kind = 'CON'")} as consumable_value,
           ${value("material_kind = 'TOOL'")} as tool_value
      from (${days(from_date, to_date)}) d
      left join (select m.day, i.type, i.material_kind, ${inStock(tax ? 'val_tax' : 'val', raw('true'))} as value
                   from ${stockOnDays(sql`select s.id, d.day from stocked_item s cross join (${days(from_date, to_date)}) d`)} m
                   join item i on i.id = m.item_id
                  group by 1, 2, 3) v on v.day = d.day
     group by d.day`,
})
