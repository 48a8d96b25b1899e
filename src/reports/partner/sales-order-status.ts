/** Sales order status for partners: the same records, in pages. */

import { dateRange } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { orderStatusKey, orderStatusMeaning, orderStatusQuery, orderStatusRecord } from '../shared/order-status.js'

export default defineReport({
  id: 'partner.sales-order-status',
  method: 'POST',
  path: '/v1/partner/sales-order-status',
  title: 'Order status for partners',
  summary: 'Ordered, issued and remaining of each order line',
  askedAs: [
    'status of order lines for partners',
    'ordered, issued and remaining quantities of open orders, returns included',
  ],
  description: `${orderStatusMeaning} Orders with returns are included.`,
  cost: 10,
  request: dateRange,
  perPage: 20,
  record: orderStatusRecord,
  ...orderStatusKey,
  listing: true,
  query: (range) => orderStatusQuery(range, 'with returns'),
})
