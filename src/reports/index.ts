/** Every report. Reports in this list are served, documented and tested. */
import type { Report } from '../kernel/report/report.js'
import grnList from './grn/list.js'
import changes from './history/changes.js'
import closedPeriods from './history/closed-periods.js'
import cover from './insight/cover.js'
import customerPerformance from './insight/customer-performance.js'
import expiry from './insight/expiry.js'
import producible from './insight/producible.js'
import shortage from './insight/shortage.js'
import stockAgeing from './insight/stock-ageing.js'
import trace from './insight/trace.js'
import vendorPerformance from './insight/vendor-performance.js'
import stockOfBatches from './inventory/batches.js'
import fgStockStatus from './inventory/fg-stock-status.js'
import itemStock from './inventory/item-stock.js'
import matStockStatus from './inventory/mat-stock-status.js'
import movements from './inventory/movements.js'
import stockValue from './inventory/stock-value.js'
import finishedGoods from './masters/finished-goods.js'
import items from './masters/items.js'
import material from './masters/material.js'
import warehouseList from './masters/warehouse-list.js'
import fgBom from './partner/fg-bom.js'
import fgItemMaster from './partner/fg-item-master.js'
import inventorySnapshot from './partner/invetory-snapshot.js'
import materialMaster from './partner/material-master.js'
import pendingDeliveries from './partner/pending-deliveries.js'
import partnerOrderStatus from './partner/sales-order-status.js'
import batchStory from './production/batch-story.js'
import batches from './production/batches.js'
import bills from './production/bills.js'
import materialConsumption from './production/material-consumption.js'
import workOrders from './production/work-orders.js'
import purchaseStory from './purchase/order-story.js'
import purchaseOrdersList from './purchase/purchase-orders-list.js'
import vendors from './purchase/vendors.js'
import customers from './sales/customers.js'
import demandStatus from './sales/demand-status.js'
import grossMargin from './sales/gross-margin.js'
import invoices from './sales/invoices.js'
import marginByDay from './sales/margin-by-day.js'
import orderDispatch from './sales/order-dispatch.js'
import orderStatus from './sales/order-status.js'
import orderStory from './sales/order-story.js'
import sales from './sales/sales.js'
import salesOrders from './sales/sales-orders.js'

export const reports = [
  ...[warehouseList, finishedGoods, material, items],
  ...[purchaseOrdersList, purchaseStory, vendors, grnList],
  ...[fgStockStatus, matStockStatus, stockValue, itemStock, stockOfBatches, movements],
  ...[batches, materialConsumption, batchStory, workOrders, bills],
  ...[
    orderDispatch,
    orderStatus,
    orderStory,
    grossMargin,
    marginByDay,
    demandStatus,
    sales,
    invoices,
    salesOrders,
    customers,
  ],
  ...[stockAgeing, expiry, cover, vendorPerformance, customerPerformance],
  ...[producible, shortage],
  trace,
  changes,
  closedPeriods,
  ...[inventorySnapshot, pendingDeliveries, materialMaster, fgBom, fgItemMaster, partnerOrderStatus],
] as unknown as readonly Report[]
