/** Turnover and gross margin: sales, returns, cost and profit per product, by customer or over all. */
import { quotient, raw, type Sql, sql } from '../../db/sql.js'
import { Amount, Decimal, extra, Naming, NotAdditive, Price, Quantity, Text } from '../../kernel/report/fields.js'
import { dateRange, OneOf, ZeroOrOne } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { type Asked, percent, soldBy } from '../../ledger/margin.js'
import { customer, item } from '../shared/things.js'
import { ProdType, prodType } from '../shared/words.js'

const margins = (asked: Asked, by: 'customer' | 'product'): Sql => sql`
  select ${by === 'customer' ? raw(`coalesce(c.name, '') as company_name, coalesce(c.code, '') as customer_code,`) : raw('')}
         coalesce(i.name, 'Other') as product_name, coalesce(i.sku, '') as product_sku, ${prodType} as "Prod_type",
         coalesce(i.mrp, 0) as "MRP", coalesce(i.unit, '') as unit,
         case when t.sold <> t.usable then ${quotient(raw('t.cost'), raw('(t.sold - t.usable)'))} else 0 end as per_unit_cogs,
         t.sold as "Total_sale_qty", t.sale as total_sale, t.returned as return_qty, t.credited as return_amt,
         t.cost as "Total_cost_cogs", t.sale - t.credited - t.cost as profit,
         ${percent('t.sale - t.credited - t.cost', 't.sale - t.credited')} as profit_per,
         t.undelivered as undelivered_qty, t.undelivered_sale as undelivered_amt,
         t.sale - t.undelivered_sale - t.credited - t.cost as delivered_profit,
         ${percent('t.sale - t.undelivered_sale - t.credited - t.cost', 't.sale - t.undelivered_sale - t.credited')} as delivered_profit_per
    from (${soldBy(asked, by === 'customer' ? ['customer_code', 'item_id'] : ['item_id'])}) t
    left join item i on i.id = t.item_id
    ${by === 'customer' ? raw('left join customer c on c.code = t.customer_code') : raw('')}`

const record = {
  product_name: Naming(Text("The product's name; `Other` for lines without an item."), item('product_sku')),
  product_sku: Naming(Text("The product's code; empty for lines without an item."), item('product_sku')),
  Prod_type: ProdType,
  MRP: Price(2, "The product's maximum retail price."),
  per_unit_cogs: NotAdditive(Amount(4, '`Total_cost_cogs` ÷ (sold − usable returns); 0 if the divisor is 0.')),
  Total_sale_qty: Quantity(4, 'unit', 'Sold quantity.'),
  total_sale: Amount(2, 'Amount of the sales.'),
  return_qty: Quantity(4, 'unit', 'Returned quantity, usable or not.'),
  return_amt: Amount(2, 'Amount credited for returns.'),
  Total_cost_cogs: Amount(4, 'Booked value of the issued goods minus the booked value of usable returns.'),
  profit: Amount(4, '`total_sale` − `return_amt` − `Total_cost_cogs`.'),
  profit_per: NotAdditive(Decimal(2, '`profit` in percent of `total_sale` − `return_amt`; 0 if that difference is 0.')),
  ...extra({
    unit: Text("The product's unit; empty for lines without an item."),
    undelivered_qty: Quantity(4, 'unit', 'Part of `Total_sale_qty` that was not issued: sold so far without a cost.'),
    undelivered_amt: Amount(2, 'Part of `total_sale` for `undelivered_qty`.'),
    delivered_profit: Amount(4, 'Profit on the delivered goods: `profit` − `undelivered_amt`.'),
    delivered_profit_per: NotAdditive(
      Decimal(
        2,
        '`delivered_profit` in percent of `total_sale` − `undelivered_amt` − `return_amt`; 0 if that difference is 0.',
      ),
    ),
  }),
}

const better = {
  Total_sale_qty: 'more',
  total_sale: 'more',
  profit: 'more',
  profit_per: 'more',
  delivered_profit: 'more',
  delivered_profit_per: 'more',
  return_qty: 'less',
  return_amt: 'less',
} as const

export default defineReport({
  id: 'sales.gross-margin',
  method: 'POST',
  path: '/v1/sales/gross-margin',
  title: 'Gross margin',
  summary: 'Turnover, cost and gross margin per product',
  askedAs: [
    'profit per product or customer',
    'which products earn the most, gross margin, profitability',
    'turnover and cost of goods sold by product, category or customer',
  ],
  description: `One record per customer and product (\`type\` CUSTOMER, ordered by \`company_name\`, customer code and \`product_sku\`) or per
product (CONSOLIDATED, ordered by \`product_sku\`).

\`source\` INV takes the lines of invoices that are not cancelled, by invoice date; ORD the lines of orders, by order date. Cancelled
orders are left out; free-of-cost orders are included at their cost. Amounts and costs are without tax for \`tax\` = 0 and with tax
for 1. The cost is the value booked when the goods were issued. The cost and the returns of an
order line are distributed over its invoices by quantity; goods that are issued and not invoiced yet keep their part. A credit note
reduces the sale and takes no part of the cost; a credit note for a return is left out, because \`return_amt\` has it already. Sales
without an order come from invoices that name none, with the cost of the goods that were issued for them.

Goods that are ordered or invoiced but not issued yet count as sold and have no cost, so \`profit\` is too high until they are issued. With
\`fields=all\`, \`undelivered_qty\` and \`undelivered_amt\` tell how much that is, and \`delivered_profit\` is the profit without it. Ask with INV for the
profit of a period, with ORD for the profit that the orders of a period promise. Invoices without an order count as delivered.`,
  cost: 10,
  request: {
    type: OneOf(['CUSTOMER', 'CONSOLIDATED'], 'Per customer and product, or per product.', {
      CUSTOMER: 'Per customer and product',
      CONSOLIDATED: 'Per product',
    }),
    tax: ZeroOrOne('string', '`0` for values without tax, `1` for values with tax; as a number or as a string.', {
      0: 'excluded',
      1: 'included',
    }),
    ...dateRange,
    source: OneOf(['INV', 'ORD'], '`INV` by invoices, `ORD` by orders.', { INV: 'By invoices', ORD: 'By orders' }),
  },
  perPage: 20,
  variants: {
    by: 'type',
    shapes: {
      CUSTOMER: {
        record: {
          company_name: Naming(Text("The customer's name."), customer('customer_code')),
          ...record,
          ...extra({ customer_code: Text("The customer's code; empty for a walk-in customer.") }),
        },
        people: [
          'company_name',
          'product_name',
          'delivered_profit',
          'delivered_profit_per',
          'total_sale',
          'Total_cost_cogs',
          'Total_sale_qty',
          'unit',
          'undelivered_amt',
        ],
        headings: {
          company_name: 'Customer',
          product_name: 'Product',
          delivered_profit: 'Profit',
          delivered_profit_per: 'Margin %',
          total_sale: 'Sales',
          Total_cost_cogs: 'Cost',
          Total_sale_qty: 'Sold',
          undelivered_amt: 'Not delivered',
        },
        orderBy: ['company_name', 'customer_code', 'product_sku'],
        better,
        query: (asked) => margins(asked, 'customer'),
      },
      CONSOLIDATED: {
        record,
        people: [
          'product_name',
          'delivered_profit',
          'delivered_profit_per',
          'total_sale',
          'Total_cost_cogs',
          'Total_sale_qty',
          'unit',
          'undelivered_amt',
          'product_sku',
        ],
        headings: {
          product_name: 'Product',
          delivered_profit: 'Profit',
          delivered_profit_per: 'Margin %',
          total_sale: 'Sales',
          Total_cost_cogs: 'Cost',
          Total_sale_qty: 'Sold',
          undelivered_amt: 'Not delivered',
          product_sku: 'SKU',
        },
        orderBy: ['product_sku'],
        better,
        query: (asked) => margins(asked, 'product'),
      },
    },
  },
})
