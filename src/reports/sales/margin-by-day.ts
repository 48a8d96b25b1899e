/** Sales, returns, cost and profit of each day: the sums of the gross margin, over time. */
import { sql } from '../../db/sql.js'
import { Amount, Decimal, IsoDate, NotAdditive } from '../../kernel/report/fields.js'
import { dateRange, OneOf, ZeroOrOne } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { percent, soldBy } from '../../ledger/margin.js'

export default defineReport({
  id: 'sales.margin-by-day',
  method: 'POST',
  path: '/v1/sales/margin-by-day',
  title: 'Sales and margin by day',
  summary: 'Sales, returns, cost and profit of each day',
  askedAs: [
    'profit, margin and sales of each day',
    'daily sales and returns',
    'how much we earned per day, week or month',
  ],
  description: `One record per day of the range on which something was sold, ordered by \`date\`. The figures are those of the gross margin, so
the sums over a range equal its sums: \`source\` INV takes invoice lines by invoice date, ORD order lines by order date, and returns and costs
count on the day of their sale. \`group=month(date)\` gives months.

\`profit\` is too high while goods are sold and not issued, because they have no cost yet; \`delivered_profit\` is the profit without them.`,
  cost: 10,
  request: {
    tax: ZeroOrOne('string', '`0` for values without tax, `1` for values with tax; as a number or as a string.'),
    ...dateRange,
    source: OneOf(['INV', 'ORD'], '`INV` by invoices, `ORD` by orders.'),
  },
  record: {
    date: IsoDate('Day of the invoices, or of the orders.'),
    total_sale: Amount(2, 'Amount of the sales.'),
    return_amt: Amount(2, 'Amount credited for returns of these sales.'),
    Total_cost_cogs: Amount(4, 'Booked value of the issued goods minus the booked value of usable returns.'),
    profit: Amount(4, '`total_sale` − `return_amt` − `Total_cost_cogs`.'),
    profit_per: NotAdditive(
      Decimal(2, '`profit` in percent of `total_sale` − `return_amt`; 0 if that difference is 0.'),
    ),
    undelivered_amt: Amount(2, 'Part of `total_sale` for goods that were not issued.'),
    delivered_profit: Amount(4, 'Profit on the delivered goods: `profit` − `undelivered_amt`.'),
    delivered_profit_per: NotAdditive(
      Decimal(
        2,
        '`delivered_profit` in percent of `total_sale` − `undelivered_amt` − `return_amt`; 0 if that difference is 0.',
      ),
    ),
  },
  people: [
    'date',
    'total_sale',
    'delivered_profit',
    'delivered_profit_per',
    'return_amt',
    'Total_cost_cogs',
    'undelivered_amt',
  ],
  better: {
    ...{
      total_sale: 'more',
      profit: 'more',
      profit_per: 'more',
      delivered_profit: 'more',
      delivered_profit_per: 'more',
    },
    return_amt: 'less',
  },
  orderBy: ['date'],
  query: (asked) => sql`
    select t.day as date, t.sale as total_sale, t.credited as return_amt, t.cost as "Total_cost_cogs",
           t.sale - t.credited - t.cost as profit, ${percent('t.sale - t.credited - t.cost', 't.sale - t.credited')} as profit_per,
           t.undelivered_sale as undelivered_amt, t.sale - t.undelivered_sale - t.credited - t.cost as delivered_profit,
           ${percent('t.sale - t.undelivered_sale - t.credited - t.cost', 't.sale - t.undelivered_sale - t.credited')} as delivered_profit_per
      from (${soldBy(asked, ['day'])}) t`,
})
