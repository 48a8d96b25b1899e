/** The partner's sales order status: the records of the sales order status, returns included. */
import type { Company } from '../setup/company.js'
import type { Range } from './order-lines.js'
import { orderStatus } from './order-status.js'

export const partnerOrderStatus = (company: Company, range: Range) => orderStatus(company, { ...range, version: 'WR' })
