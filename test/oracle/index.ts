/**
 * The oracle computes every report in memory from the loaded rows, without SQL and without any code of src/. It has one
 * function per report, by its id; a report without a function fails the test that loops over all reports.
 */
import { reports } from '../../src/reports/index.js'
import type { Company } from '../setup/company.js'
import { batchStory } from './batch-story.js'
import { batches } from './batches.js'
import { bills } from './bills.js'
import { cover } from './cover.js'
import { demandStatus } from './demand-status.js'
import { expiry } from './expiry.js'
import { fgBom } from './fg-bom.js'
import { fgItemMaster } from './fg-item-master.js'
import { fgStockStatus } from './fg-stock-status.js'
import { finishedGoods } from './finished-goods.js'
import { converted } from './given.js'
import { grnList } from './grn-list.js'
import { grossMargin, marginByDay } from './gross-margin.js'
import { inventorySnapshot } from './inventory-snapshot.js'
import { invoices } from './invoices.js'
import { itemStock, stockOfBatches } from './item-stock.js'
import { customers, items, vendors } from './masters.js'
import { matStockStatus } from './mat-stock-status.js'
import { material } from './material.js'
import { materialConsumption } from './material-consumption.js'
import { materialMaster } from './material-master.js'
import { movements } from './movements.js'
import { orderDispatch } from './order-dispatch.js'
import { orderStatus } from './order-status.js'
import { orderStory } from './order-story.js'
import { partnerOrderStatus } from './partner-order-status.js'
import { pendingDeliveries } from './pending-deliveries.js'
import { customerPerformance, vendorPerformance } from './performance.js'
import { producible, shortage } from './plan.js'
import { purchaseOrdersList } from './purchase-orders-list.js'
import { purchaseStory } from './purchase-story.js'
import { sales } from './sales.js'
import { salesOrders } from './sales-orders.js'
import { stockAgeing } from './stock-ageing.js'
import { stockValue } from './stock-value.js'
import { trace } from './trace.js'
import { warehouseList } from './warehouse-list.js'
import { workOrders } from './work-orders.js'

// biome-ignore lint/suspicious/noExplicitAny: each report has its own parameters
const computed: Record<string, (company: Company, params: any) => unknown[]> = {
  'insight.cover': cover,
  'insight.expiry': expiry,
  'insight.customer-performance': customerPerformance,
  'insight.vendor-performance': vendorPerformance,
  'insight.stock-ageing': stockAgeing,
  'masters.warehouse-list': warehouseList,
  'masters.finished-goods': finishedGoods,
  'masters.material': material,
  'masters.items': items,
  'purchase.purchase-orders-list': purchaseOrdersList,
  'purchase.order-story': purchaseStory,
  'purchase.vendors': vendors,
  'grn.list': grnList,
  'inventory.fg-stock-status': fgStockStatus,
  'inventory.mat-stock-status': matStockStatus,
  'inventory.stock-value': stockValue,
  'inventory.movements': movements,
  'inventory.item-stock': itemStock,
  'inventory.batches': stockOfBatches,
  'production.batches': batches,
  'production.material-consumption': materialConsumption,
  'production.batch-story': batchStory,
  'production.work-orders': workOrders,
  'production.bills': bills,
  'sales.order-dispatch': orderDispatch,
  'sales.order-status': orderStatus,
  'sales.order-story': orderStory,
  'sales.gross-margin': grossMargin,
  'sales.margin-by-day': marginByDay,
  'sales.demand-status': demandStatus,
  'sales.sales': sales,
  'sales.invoices': invoices,
  'sales.sales-orders': salesOrders,
  'sales.customers': customers,
  'insight.producible': producible,
  'insight.shortage': shortage,
  'insight.trace': trace,
  'partner.invetory-snapshot': inventorySnapshot,
  'partner.pending-deliveries': pendingDeliveries,
  'partner.material-master': materialMaster,
  'partner.fg-bom': fgBom,
  'partner.fg-item-master': fgItemMaster,
  'partner.sales-order-status': partnerOrderStatus,
}

// biome-ignore lint/suspicious/noExplicitAny: each report has its own parameters
export const oracle: Record<string, (company: Company, params: any) => unknown[]> = Object.fromEntries(
  Object.entries(computed).map(([id, compute]) => [id, (company, params) => compute(converted(company), params)]),
)

/** The reports that one state of the data decides. What loads changed is compared with the states themselves, in history.test.ts. */
export const ofOneState = reports.filter(({ group }) => group !== 'history')
