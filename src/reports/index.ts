/** Every report. What is listed here is served, documented and tested. */
import type { Report } from '../report/define.js'
import fgStockStatus from './inventory/fg-stock-status.js'
import warehouseList from './masters/warehouse-list.js'
import purchaseOrdersList from './purchase/purchase-orders-list.js'

export const reports = [warehouseList, purchaseOrdersList, fgStockStatus] as unknown as readonly Report[]
