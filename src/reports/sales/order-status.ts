/** Sales order status: ordered, issued and remaining of each order line, with amounts, returns and invoice. */

import { dateRange, OneOf } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { orderStatusKey, orderStatusMeaning, orderStatusQuery, orderStatusRecord } from '../shared/order-status.js'

export default defineReport({
  id: 'sales.order-status',
  method: 'POST',
  path: '/v1/sales/order-status',
  title: 'Order status',
  summary: 'Ordered, issued and remaining of each order line',
  askedAs: [
    'status of customer orders: open, issued, remaining',
    'did an order ship, what is still pending of an order',
    'orders not yet complete',
  ],
  description: `${orderStatusMeaning}

\`version\` WR has all orders, R leaves out orders with any return.`,
  cost: 10,
  request: {
    version: OneOf(['WR', 'R'], '`WR` with orders that had a return, `R` without them.', {
      WR: 'With orders that had a return',
      R: 'Without orders that had a return',
    }),
    ...dateRange,
  },
  record: orderStatusRecord,
  ...orderStatusKey,
  listing: true,
  query: ({ version, ...range }) => orderStatusQuery(range, version === 'R' ? 'without returns' : 'with returns'),
})
