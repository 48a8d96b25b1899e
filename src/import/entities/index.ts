/** Every entity, in the order in which they are loaded: what is referred to comes before what refers to it. */
import account from './account.js'
import approvals from './approvals.js'
import batches from './batches.js'
import bom from './bom.js'
import combos from './combos.js'
import consumption from './consumption.js'
import customers from './customers.js'
import goodsReceiptItems from './goods_receipt_items.js'
import goodsReceipts from './goods_receipts.js'
import invoiceItems from './invoice_items.js'
import invoices from './invoices.js'
import items from './items.js'
import purchaseOrderItems from './purchase_order_items.js'
import purchaseOrders from './purchase_orders.js'
import returns from './returns.js'
import salesOrderItems from './sales_order_items.js'
import salesOrders from './sales_orders.js'
import stockMovements from './stock_movements.js'
import vendors from './vendors.js'
import warehouses from './warehouses.js'

export const entities = [
  ...[account, warehouses, items, bom, combos, vendors, customers],
  ...[purchaseOrders, purchaseOrderItems, approvals, goodsReceipts, goodsReceiptItems],
  ...[batches, consumption],
  ...[salesOrders, salesOrderItems, returns, invoices, invoiceItems],
  stockMovements,
] as const
