/**
 * The oracle: every report computed in memory from the loaded rows, without SQL and without any code of src/. One
 * function per report, by its id. A report without one fails the test that loops over all reports.
 */
import type { Company } from '../setup/company.js'
import { fgStockStatus } from './fg-stock-status.js'
import { purchaseOrdersList } from './purchase-orders-list.js'
import { warehouseList } from './warehouse-list.js'

// biome-ignore lint/suspicious/noExplicitAny: each report has parameters of its own
export const oracle: Record<string, (company: Company, params: any) => unknown[]> = {
  'masters.warehouse-list': warehouseList,
  'purchase.purchase-orders-list': purchaseOrdersList,
  'inventory.fg-stock-status': fgStockStatus,
}
