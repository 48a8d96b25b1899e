/** The reports, as types and as a table. Made from their declarations by `npm run client`; do not edit. */
import type { FieldName } from './fields.js'
import type { Figures } from './groups.js'
import type { Query, ReportInfo } from './query.js'

/** An amount that the service sends as a JSON number: a number, unless you have your own type for decimals. */
export type Amount<D> = string extends D ? number : D

/** The number of records, without cancelled documents. */
export interface Totals {
  rows: number
}

/** Sums of amounts. */
export type Sums<R, Name extends keyof R, D> = { [Field in keyof Pick<R, Name>]: D }

/** Sums of quantities: null if the records have several units; `_by_unit` has the sum in each. */
export type Quantities<R, Name extends keyof R, D> = { [Field in keyof Pick<R, Name>]: D | null } & {
  _by_unit: ({ unit: string | null } & { [Field in keyof Pick<R, Name>]: D | null })[]
}

/** The number of cancelled documents, which no sum has. */
export interface Cancelled {
  _cancelled: number
}

export interface MastersWarehouseListRecord<D = string> {
  /** Name of the warehouse; other reports show it as `warehouse`. */
  location: string
  /** Street address. */
  address: string
  /** City. */
  city: string | null
  /** Postal code. */
  pincode: string | null
  /** Tax registration of the warehouse; null or empty where it has none. */
  gstn: string | null
  /** Identifier of the warehouse, 32 lowercase hex characters; other reports show it as `wh_id`. */
  key: string
}

export type MastersWarehouseListKey<D = string> = Required<Pick<MastersWarehouseListRecord<D>, 'location'>>

export type MastersWarehouseListTotals<D = string> = Totals

export type MastersWarehouseListFigures<D = string> = Figures<D, never, never, object, never>

export interface MastersFinishedGoodsRecord<D = string> {
  /** Name. */
  item_name: string
  /** Code, unique. */
  item_sku: string
  /** Unit of every quantity of the item. */
  item_unit: string
  /** Product category. */
  item_product_category: string
  /** Primary category. */
  item_primary_category: string
  /** How the account obtains the item, such as `Manufactured`. */
  item_business_nature: string
  /** Type of the item. */
  item_type: 'Finished Good' | 'Physical Combo' | 'Semi Finished Good'
}

export type MastersFinishedGoodsKey<D = string> = Required<Pick<MastersFinishedGoodsRecord<D>, 'item_sku'>>

export type MastersFinishedGoodsTotals<D = string> = Totals

export type MastersFinishedGoodsFigures<D = string> = Figures<D, never, never, object, never>

export interface MastersMaterialRecord<D = string> {
  /** Name. */
  item_name: string
  /** Code, unique. */
  item_sku: string
  /** Unit of every quantity of the item. */
  item_unit: string
  /** Product category. */
  item_product_category: string
  /** Primary category. */
  item_primary_category: string
  /** How the account obtains the item, such as `Manufactured`. */
  item_business_nature: string
  /** Type of the item. */
  item_type: 'Material' | 'Service' | 'Semi Finished Good'
}

export type MastersMaterialKey<D = string> = Required<Pick<MastersMaterialRecord<D>, 'item_sku'>>

export type MastersMaterialTotals<D = string> = Totals

export type MastersMaterialFigures<D = string> = Figures<D, never, never, object, never>

export interface MastersItemsParams {
  /** Only the item with this code. */
  sku?: string | undefined
}

export interface MastersItemsRecord<D = string> {
  /** Name. */
  name: string
  /** Code, unique. */
  sku: string
  /** Type of the item. */
  type: 'Finished Good' | 'Semi Finished Good' | 'Physical Combo' | 'Material' | 'Service'
  /** An inactive item is left out of the other lists of items. */
  status: 'Active' | 'Inactive'
  /** Unit of every quantity of the item. */
  unit: string
  /** Primary category. */
  primary_category: string
  /** Product category. */
  product_category: string
  /** How the account obtains the item, such as `Manufactured`. */
  business_nature: string
  /** Tax classification. */
  hsn: string
  /** Maximum retail price. */
  mrp: D
  /** Tax rate in percent. */
  tax_rate: D
  /** Quantity below which to reorder. */
  reorder_level: D
}

export type MastersItemsKey<D = string> = Required<Pick<MastersItemsRecord<D>, 'sku'>>

export type MastersItemsTotals<D = string> = Totals

export type MastersItemsFigures<D = string> = Figures<D, 'mrp' | 'tax_rate' | 'reorder_level', never, { 'reorder_level': 'unit' }, never>

export interface PurchasePurchaseOrdersListParams {
  /** Only orders of this `po_status`. */
  status?: 'CREATED' | 'PARTIAL RECEIVED' | 'RECEIVED' | 'CLOSED' | 'CANCELLED' | undefined
  /** Only orders of this day or later, by PO date. */
  from_date?: string | undefined
  /** Only orders of this day or earlier, by PO date. */
  to_date?: string | undefined
  /** Only orders to the vendor with this code. */
  vendor_code?: string | undefined
}

export interface PurchasePurchaseOrdersListRecord<D = string> {
  /** Number of the order inside the service. */
  poid: number
  /** Order number. */
  pono: string
  /** Order date. */
  podate: string
  /** Agreed delivery date; empty where there is none. */
  delivery: string | ''
  /** The buyer's reference. */
  reference: string | null
  /** Reference of the shipment. */
  shipment_reference: string | null
  /** Status of the order. */
  po_status: 'CREATED' | 'PARTIAL RECEIVED' | 'RECEIVED' | 'CLOSED' | 'CANCELLED'
  /** Status of the approval. */
  approval_status: 'Under Approval' | 'Approved' | 'Rejected' | 'Not Required'
  /** `po_status` as a number from 1 to 5. */
  status_code: number
  /** Amount before tax. */
  taxable_amt: D
  /** Tax. */
  tax_amt: D
  /** Shipping charges. */
  shipping_amt: D
  /** Amount to pay, as the order states it. */
  total_amt: D
  /** A correction of the total. */
  adjustment: {
    /** Reason of the correction. */
    label: string
    /** Amount of the correction; may be negative. */
    amt: D
  }
  /** Billing address. */
  billing: {
    /** Name of the buyer. */
    buyer: string
    /** First line of the address. */
    address1: string
    /** Second line of the address. */
    address2: string
    /** City. */
    city: string
    /** State. */
    state: string
    /** Country. */
    country: string
    /** Postal code. */
    pincode: string
    /** Tax registration. */
    gstn: string
    /** Phone number. An empty string for a client that must not see phone numbers and email addresses. */
    phone: string
    /** Email address. An empty string for a client that must not see phone numbers and email addresses. */
    email: string
  }
  /** Delivery address. */
  shipping: {
    /** Name of the buyer. */
    buyer: string
    /** First line of the address. */
    address1: string
    /** Second line of the address. */
    address2: string
    /** City. */
    city: string
    /** State. */
    state: string
    /** Country. */
    country: string
    /** Postal code. */
    pincode: string
    /** Tax registration. */
    gstn: string
    /** Phone number. An empty string for a client that must not see phone numbers and email addresses. */
    phone: string
    /** Email address. An empty string for a client that must not see phone numbers and email addresses. */
    email: string
  }
  /** The vendor. */
  vendor: {
    /** Name of the vendor. */
    vendor: string
    /** Code of the vendor. */
    vendor_code: string
    /** Agreed time to pay, such as `30 Days`. */
    credit_period: string
    /** First line of the address. */
    address1: string
    /** Second line of the address. */
    address2: string
    /** City. */
    city: string
    /** State. */
    state: string
    /** Country. */
    country: string
    /** Postal code. */
    pincode: string
    /** Tax registration. */
    gstn: string
    /** Phone number. An empty string for a client that must not see phone numbers and email addresses. */
    phone: string
    /** Email address. An empty string for a client that must not see phone numbers and email addresses. */
    email: string
  }
  /** The ordered lines, in their order. */
  items: {
    /** Type of the item: `MAT`, `FG`, `SFG`, `COMBO` or `SRV`; empty for a line without an item. */
    type: string
    /** The item's code; empty for a line without one. */
    itemcode: string
    /** The item's name. */
    itemname: string
    /** Free text of the line. */
    description: string
    /** The item's tax classification. */
    hsn: string
    /** Ordered quantity. */
    qty: D
    /** Its unit. */
    uom: string
    /** Price of one unit before tax. */
    rate: D
    /** Tax rate in percent. */
    taxrate: D
    /** Amount before tax. */
    taxable_amt: D
    /** Tax. */
    tax_amt: D
    /** Amount with tax. */
    total_amt: D
    /** Agreed delivery date of the line, if it has its own; else empty. */
    delivery: string | ''
    /** Unit that the document states; null for the item's stock unit. */
    document_uom: string | null
    /** `qty` as the document states it, in its unit; null if that is the stock unit. */
    document_qty: D | null
    /** `rate` as the document states it, in its currency and per its unit; null if both are the same. */
    document_rate: D | null
    /** `taxable_amt` as the document states it, in its currency; null if that is the account's. */
    document_taxable_amt: D | null
    /** `tax_amt` as the document states it, in its currency; null if that is the account's. */
    document_tax_amt: D | null
    /** `total_amt` as the document states it, in its currency; null if that is the account's. */
    document_total_amt: D | null
  }[]
  /** The approval that the order needs. */
  approval: {
    /** Whether an approval is needed. */
    required: 'true' | 'false'
    /** The steps of the approval. */
    workflow: {
      /** Amount above which an approval is needed. */
      limit: D
      /** The groups that have to approve, in their order. */
      groups: {
        /** Name of the group. */
        group_name: string
        /** The group's decision. */
        status: 'Approved' | 'Pending' | 'Rejected'
        /** Person who decided. */
        approver: string | null
        /** Local time of the decision. */
        action_at: string | null
        /** The people who may decide for the group. */
        approvers: string[]
      }[]
    }
  }
  /** Currency of the document. */
  currency: string
  /** Price of one unit of `currency` in the account's currency. All amounts are in the account's currency. */
  exchange_rate: D
  /** `taxable_amt` as the document states it, in its currency; null if that is the account's. */
  document_taxable_amt: D | null
  /** `tax_amt` as the document states it, in its currency; null if that is the account's. */
  document_tax_amt: D | null
  /** `shipping_amt` as the document states it, in its currency; null if that is the account's. */
  document_shipping_amt: D | null
  /** `adjustment_amt` as the document states it, in its currency; null if that is the account's. */
  document_adjustment_amt: D | null
  /** `total_amt` as the document states it, in its currency; null if that is the account's. */
  document_total_amt: D | null
  /** The taxes of the lines; a tax on the whole document is distributed over its lines. */
  taxes: {
    /** Number of the line. */
    line_no: number
    /** Name of the tax. */
    name: string
    /** Rate in percent. */
    rate: D | null
    /** Tax, in the account's currency. */
    amount: D
  }[]
}

export type PurchasePurchaseOrdersListKey<D = string> = Required<Pick<PurchasePurchaseOrdersListRecord<D>, 'podate' | 'pono'>>

export interface PurchasePurchaseOrdersListTotals<D = string> {
  /** Number of records, without cancelled ones. */
  rows: number
  /** Amount before tax. */
  taxable_amt: D
  /** Tax. */
  tax_amt: D
  /** Shipping charges. */
  shipping_amt: D
  /** Amount to pay, as the order states it. */
  total_amt: D
  /** A correction of the total. */
  adjustment: {
    /** Amount of the correction; may be negative. */
    amt: D
  }
  /** Number of cancelled documents, which no sum has. They count if a filter names their state. */
  _cancelled: number
}

export type PurchasePurchaseOrdersListFigures<D = string> = Figures<D, 'poid' | 'status_code' | 'taxable_amt' | 'tax_amt' | 'shipping_amt' | 'total_amt' | 'adjustment.amt' | 'approval.workflow.limit' | 'exchange_rate' | 'document_taxable_amt' | 'document_tax_amt' | 'document_shipping_amt' | 'document_adjustment_amt' | 'document_total_amt', 'taxable_amt' | 'tax_amt' | 'shipping_amt' | 'total_amt' | 'adjustment.amt', object, 'podate' | 'delivery', '_cancelled'>

export interface PurchaseOrderStoryParams {
  /** Number of the purchase order. */
  pono: string
}

export interface PurchaseOrderStoryRecord<D = string> {
  /** Number of the purchase order. */
  pono: string
  /** Status of the order. */
  po_status: 'CREATED' | 'PARTIAL RECEIVED' | 'RECEIVED' | 'CLOSED' | 'CANCELLED'
  /** The vendor's name. */
  party: string
  /** The vendor's code. */
  vendor_code: string
  /** Step in the story of the order. */
  step: 'ordered' | 'received' | 'stocked' | 'returned'
  /** Day of the step. */
  date: string
  /** The type of the document in `document_no`. */
  document_type: 'purchase order' | 'goods receipt' | 'movement'
  /** Number of the purchase order, of the goods receipt or of the movement in the ledger. */
  document_no: string
  /** Number of the goods receipt; null for ordered lines. */
  grn_no: string | null
  /** Number of the order line; null for movements, because the ledger does not have it. */
  line_no: number | null
  /** The item's code. */
  sku: string
  /** The item's name. */
  name: string
  /** Quantity. */
  qty: D
  /** Unit of the quantity. */
  unit: string
  /** Quantity still to be delivered; only for an ordered line. */
  pending_qty: D | null
  /** Quantity that came, accepted or not; only for a receipt. */
  received_qty: D | null
  /** Quantity of it that was rejected; only for a receipt. */
  rejected_qty: D | null
  /** Ordered or accepted amount before tax; null for movements. */
  amount: D | null
  /** `amount` with tax. */
  total_amount: D | null
  /** Warehouse that is to receive the goods, or that received them; empty where there is none. */
  warehouse: string
  /** Batch that the movement names; null for documents and stock not kept by batch. */
  batch: string | null
  /** Number of the step: 1 ordered, 2 received, 3 stocked, 4 returned. Only in `changesSince`. */
  _step_no?: number
  /** Number of the line in its receipt; 0 for all other records. Only in `changesSince`. */
  _part_no?: number
}

export type PurchaseOrderStoryKey<D = string> = Required<Pick<PurchaseOrderStoryRecord<D>, 'date' | '_step_no' | 'document_no' | 'line_no' | 'sku' | '_part_no'>>

export type PurchaseOrderStoryTotals<D = string> = Totals & Sums<PurchaseOrderStoryRecord<D>, 'amount' | 'total_amount', D> & Quantities<PurchaseOrderStoryRecord<D>, 'qty' | 'pending_qty' | 'received_qty' | 'rejected_qty', D>

export type PurchaseOrderStoryFigures<D = string> = Figures<D, 'line_no' | 'qty' | 'pending_qty' | 'received_qty' | 'rejected_qty' | 'amount' | 'total_amount', 'qty' | 'pending_qty' | 'received_qty' | 'rejected_qty' | 'amount' | 'total_amount', { 'qty': 'unit'; 'pending_qty': 'unit'; 'received_qty': 'unit'; 'rejected_qty': 'unit' }, 'date'>

export interface PurchaseVendorsParams {
  /** Only the vendor with this code. */
  code?: string | undefined
}

export interface PurchaseVendorsRecord<D = string> {
  /** The vendor's name. */
  name: string
  /** The vendor's code, unique. */
  code: string
  /** Days to pay an invoice. */
  credit_days: number
  /** First line of the address. */
  address1: string
  /** Second line of the address. */
  address2: string
  /** City. */
  city: string
  /** State. */
  state: string
  /** Country. */
  country: string
  /** Postal code. */
  pincode: string
  /** Tax registration. */
  gstn: string
  /** Phone number. An empty string for a client that must not see phone numbers and email addresses. */
  phone: string
  /** Email address. An empty string for a client that must not see phone numbers and email addresses. */
  email: string
}

export type PurchaseVendorsKey<D = string> = Required<Pick<PurchaseVendorsRecord<D>, 'code'>>

export type PurchaseVendorsTotals<D = string> = Totals

export type PurchaseVendorsFigures<D = string> = Figures<D, 'credit_days', never, object, never>

export interface GrnListParams {
  /** First day of the range, inclusive, `YYYY-MM-DD`. */
  from_date: string
  /** Last day of the range, inclusive, `YYYY-MM-DD`. */
  to_date: string
  /** Only receipts from the vendor with this code. */
  vendor_code?: string | undefined
  /** Only receipts of the purchase order with this number. */
  pono?: string | undefined
}

export interface GrnListRecord<D = string> {
  /** Number of the receipt. */
  grn_no: string
  /** Receipt date. */
  grn_date: string
  /** The vendor's challan or invoice number. */
  reference: string | null
  /** Number of the purchase order. */
  pono: string
  /** Date of the purchase order. */
  podate: string
  /** Status of the order. */
  po_status: 'CREATED' | 'PARTIAL RECEIVED' | 'RECEIVED' | 'CLOSED' | 'CANCELLED'
  /** Warehouse that received the goods. */
  warehouse: string
  /** Key of that warehouse, as in the warehouse list. */
  wh_id: string
  /** Name of the vendor. */
  vendor: string
  /** Code of the vendor. */
  vendor_code: string
  /** Amount of the accepted quantities before tax: the sum of the lines. */
  taxable_amt: D
  /** Tax: the sum of the lines. */
  tax_amt: D
  /** Amount with tax: the sum of the lines. */
  total_amt: D
  /** The lines, in their order. */
  items: {
    /** The item's code. */
    itemcode: string
    /** The item's name. */
    itemname: string
    /** The item's tax classification. */
    hsn: string
    /** Unit of the quantities. */
    uom: string
    /** Quantity that the line of the purchase order states. */
    ordered_qty: D
    /** Quantity received with this receipt. */
    received_qty: D
    /** Quantity accepted of `received_qty`. */
    accepted_qty: D
    /** Quantity rejected of `received_qty`. */
    rejected_qty: D
    /** Price of one unit before tax. */
    rate: D
    /** Amount of `accepted_qty` before tax. */
    taxable_amt: D
    /** Tax. */
    tax_amt: D
    /** Amount with tax. */
    total_amt: D
    /** Warehouse that received the goods of the line. */
    warehouse: string
    /** Unit that the document states; null for the item's stock unit. */
    document_uom: string | null
    /** `received_qty` as the document states it, in its unit; null if that is the stock unit. */
    document_received_qty: D | null
    /** `accepted_qty` as the document states it, in its unit; null if that is the stock unit. */
    document_accepted_qty: D | null
    /** `rejected_qty` as the document states it, in its unit; null if that is the stock unit. */
    document_rejected_qty: D | null
    /** `rate` as the document states it, in its currency and per its unit; null if both are the same. */
    document_rate: D | null
    /** `taxable_amt` as the document states it, in its currency; null if that is the account's. */
    document_taxable_amt: D | null
    /** `tax_amt` as the document states it, in its currency; null if that is the account's. */
    document_tax_amt: D | null
    /** `total_amt` as the document states it, in its currency; null if that is the account's. */
    document_total_amt: D | null
  }[]
  /** Currency of the document. */
  currency: string
  /** Price of one unit of `currency` in the account's currency. All amounts are in the account's currency. */
  exchange_rate: D
  /** `taxable_amt` as the document states it, in its currency; null if that is the account's. */
  document_taxable_amt: D | null
  /** `tax_amt` as the document states it, in its currency; null if that is the account's. */
  document_tax_amt: D | null
  /** `total_amt` as the document states it, in its currency; null if that is the account's. */
  document_total_amt: D | null
  /** The taxes of the lines; a tax on the whole document is distributed over its lines. */
  taxes: {
    /** Number of the line. */
    line_no: number
    /** Name of the tax. */
    name: string
    /** Rate in percent. */
    rate: D | null
    /** Tax, in the account's currency. */
    amount: D
  }[]
}

export type GrnListKey<D = string> = Required<Pick<GrnListRecord<D>, 'grn_date' | 'grn_no' | 'pono'>>

export type GrnListTotals<D = string> = Totals & Sums<GrnListRecord<D>, 'taxable_amt' | 'tax_amt' | 'total_amt', D>

export type GrnListFigures<D = string> = Figures<D, 'taxable_amt' | 'tax_amt' | 'total_amt' | 'exchange_rate' | 'document_taxable_amt' | 'document_tax_amt' | 'document_total_amt', 'taxable_amt' | 'tax_amt' | 'total_amt', object, 'grn_date' | 'podate'>

export interface InventoryFgStockStatusParams {
  /** `FG` for finished goods and combos, `SFG` for semi-finished goods, `ALL` for both. */
  type: 'FG' | 'SFG' | 'ALL'
  /** `0` for values without tax, `1` for values with tax; as a number or as a string. */
  tax: 0 | 1
  /** First day of the range, inclusive, `YYYY-MM-DD`. */
  from_date: string
  /** Last day of the range, inclusive, `YYYY-MM-DD`. */
  to_date: string
}

export interface InventoryFgStockStatusRecord<D = string> {
  /** The item's primary category. */
  primary_category: string
  /** The item's product category. */
  category_name: string
  /** The item's name. */
  product_name: string
  /** The item's code. */
  Product_sku: string
  /** Unit of every quantity in the record. */
  UoM: string
  /** Stock at the end of the day before `from_date`. */
  Opening_qty: D
  /** Value of `Opening_qty`. */
  Qty_Value: D
  /** All receipts in the range: PRD + PUR + TRF + OTH. */
  Receipts_qty: D
  /** Received from production. */
  Receipts_PRD_qty: D
  /** Received from purchase. */
  Receipts_PUR_qty: D
  /** Received by transfer from another warehouse. */
  Receipts_TRF_qty: D
  /** Other receipts: opening stock, surplus found at a count. An increase of the value alone is included with quantity 0. */
  Receipts_OTH_qty: D
  /** Returned by customers and usable. */
  Returned_qty: D
  /** Issued to customers, consumed in production, used otherwise, or returned to the vendor. */
  Issued_qty: D
  /** Trashed, rejected or found short. A decrease of the value alone is included with quantity 0. */
  Trashed_qty: D
  /** Moved to bad stock. */
  MovetoBad_qty: D
  /** Sent to another warehouse. */
  Transfered_qty: D
  /** Combos taken apart. */
  UnPacked_qty: D
  /** Value of all goods that came in during the range. */
  ThatPeriod_CrValue: D
  /** Value of all goods that went out during the range. */
  ThatPeriod_DrValue: D
  /** Quantity on hold at the end of `to_date`. */
  Hold_qty: D
  /** Value of `Hold_qty`. */
  ThatPeriod_HoldValue: D
  /** Stock at the end of `to_date` that is not on hold. */
  Closing_active_qty: D
  /** Value of `Closing_active_qty`: `final_value` − `ThatPeriod_HoldValue`. */
  Closing_active_value: D
  /** Stock at the end of `to_date`. */
  Closing_qty: D
  /** Value of `Closing_qty`: `Qty_Value` + `ThatPeriod_CrValue` − `ThatPeriod_DrValue`. */
  final_value: D
  /** Transfer charges booked on this stock during the range. */
  final_TrfChrg: D
  /** The warehouse's name. */
  warehouse: string
}

export type InventoryFgStockStatusKey<D = string> = Required<Pick<InventoryFgStockStatusRecord<D>, 'Product_sku' | 'warehouse'>>

export type InventoryFgStockStatusTotals<D = string> = Totals & Sums<InventoryFgStockStatusRecord<D>, 'Qty_Value' | 'ThatPeriod_CrValue' | 'ThatPeriod_DrValue' | 'ThatPeriod_HoldValue' | 'Closing_active_value' | 'final_value' | 'final_TrfChrg', D> & Quantities<InventoryFgStockStatusRecord<D>, 'Opening_qty' | 'Receipts_qty' | 'Receipts_PRD_qty' | 'Receipts_PUR_qty' | 'Receipts_TRF_qty' | 'Receipts_OTH_qty' | 'Returned_qty' | 'Issued_qty' | 'Trashed_qty' | 'MovetoBad_qty' | 'Transfered_qty' | 'UnPacked_qty' | 'Hold_qty' | 'Closing_active_qty' | 'Closing_qty', D>

export type InventoryFgStockStatusFigures<D = string> = Figures<D, 'Opening_qty' | 'Qty_Value' | 'Receipts_qty' | 'Receipts_PRD_qty' | 'Receipts_PUR_qty' | 'Receipts_TRF_qty' | 'Receipts_OTH_qty' | 'Returned_qty' | 'Issued_qty' | 'Trashed_qty' | 'MovetoBad_qty' | 'Transfered_qty' | 'UnPacked_qty' | 'ThatPeriod_CrValue' | 'ThatPeriod_DrValue' | 'Hold_qty' | 'ThatPeriod_HoldValue' | 'Closing_active_qty' | 'Closing_active_value' | 'Closing_qty' | 'final_value' | 'final_TrfChrg', 'Opening_qty' | 'Qty_Value' | 'Receipts_qty' | 'Receipts_PRD_qty' | 'Receipts_PUR_qty' | 'Receipts_TRF_qty' | 'Receipts_OTH_qty' | 'Returned_qty' | 'Issued_qty' | 'Trashed_qty' | 'MovetoBad_qty' | 'Transfered_qty' | 'UnPacked_qty' | 'ThatPeriod_CrValue' | 'ThatPeriod_DrValue' | 'Hold_qty' | 'ThatPeriod_HoldValue' | 'Closing_active_qty' | 'Closing_active_value' | 'Closing_qty' | 'final_value' | 'final_TrfChrg', { 'Opening_qty': 'UoM'; 'Receipts_qty': 'UoM'; 'Receipts_PRD_qty': 'UoM'; 'Receipts_PUR_qty': 'UoM'; 'Receipts_TRF_qty': 'UoM'; 'Receipts_OTH_qty': 'UoM'; 'Returned_qty': 'UoM'; 'Issued_qty': 'UoM'; 'Trashed_qty': 'UoM'; 'MovetoBad_qty': 'UoM'; 'Transfered_qty': 'UoM'; 'UnPacked_qty': 'UoM'; 'Hold_qty': 'UoM'; 'Closing_active_qty': 'UoM'; 'Closing_qty': 'UoM' }, never>

export interface InventoryMatStockStatusParams {
  /** `RAW` for raw materials, `PCK` for packing materials, `CON` for consumables, `TOOL` for tools. */
  type: 'PCK' | 'RAW' | 'CON' | 'TOOL'
  /** First day of the range, inclusive, `YYYY-MM-DD`. */
  from_date: string
  /** Last day of the range, inclusive, `YYYY-MM-DD`. */
  to_date: string
}

export interface InventoryMatStockStatusRecord<D = string> {
  /** The range, as `<from_date> to <to_date>`. */
  Date_period: string
  /** The material's code. */
  MaterialCode: string
  /** The material's name. */
  MaterialName: string
  /** Unit of every quantity in the record. */
  UoM: string
  /** The material's primary category. */
  primary_category: string
  /** The material's product category. */
  Category: string
  /** In stock at the end of the day before `from_date`: quantity. */
  Opening_qty: D
  /** In stock at the end of the day before `from_date`: value without tax. */
  Opening_val: D
  /** In stock at the end of the day before `from_date`: value with tax. */
  Opening_val_tax: D
  /** Received: purchased, produced, transferred in, returned or found, and increases of the value alone: quantity. */
  Receipts_qty: D
  /** Received: purchased, produced, transferred in, returned or found, and increases of the value alone: value without tax. */
  Receipts_val: D
  /** Received: purchased, produced, transferred in, returned or found, and increases of the value alone: value with tax. */
  Receipts_val_tax: D
  /** Consumed in production, used otherwise or issued to customers: quantity. */
  Consumption_qty: D
  /** Consumed in production, used otherwise or issued to customers: value without tax. */
  Consumption_val: D
  /** Consumed in production, used otherwise or issued to customers: value with tax. */
  Consumption_val_tax: D
  /** Rejected or returned to the vendor: quantity. */
  Reject_qty: D
  /** Rejected or returned to the vendor: value without tax. */
  Reject_val: D
  /** Rejected or returned to the vendor: value with tax. */
  Reject_val_tax: D
  /** Found short: quantity. */
  Shortage_qty: D
  /** Found short: value without tax. */
  Shortage_val: D
  /** Found short: value with tax. */
  Shortage_val_tax: D
  /** Sent to another warehouse: quantity. */
  Transfer_qty: D
  /** Sent to another warehouse: value without tax. */
  Transfer_val: D
  /** Sent to another warehouse: value with tax. */
  Transfer_val_tax: D
  /** Moved to bad stock: quantity. */
  MovetoBad_qty: D
  /** Moved to bad stock: value without tax. */
  MovetoBad_val: D
  /** Moved to bad stock: value with tax. */
  MovetoBad_val_tax: D
  /** Trashed, and decreases of the value alone: quantity. */
  Trashed_qty: D
  /** Trashed, and decreases of the value alone: value without tax. */
  Trashed_val: D
  /** Trashed, and decreases of the value alone: value with tax. */
  Trashed_val_tax: D
  /** On hold at the end of `to_date`: quantity. */
  Hold_qty: D
  /** On hold at the end of `to_date`: value without tax. */
  Hold_val: D
  /** On hold at the end of `to_date`: value with tax. */
  Hold_val_tax: D
  /** In stock at the end of `to_date` and not on hold: quantity. */
  Active_qty: D
  /** In stock at the end of `to_date` and not on hold: value without tax. */
  Active_val: D
  /** In stock at the end of `to_date` and not on hold: value with tax. */
  Active_val_tax: D
  /** In stock at the end of `to_date`: quantity. */
  Closing_qty: D
  /** In stock at the end of `to_date`: value without tax. */
  Closing_val: D
  /** In stock at the end of `to_date`: value with tax. */
  Closing_val_tax: D
}

export type InventoryMatStockStatusKey<D = string> = Required<Pick<InventoryMatStockStatusRecord<D>, 'MaterialCode'>>

export type InventoryMatStockStatusTotals<D = string> = Totals & Sums<InventoryMatStockStatusRecord<D>, 'Opening_val' | 'Opening_val_tax' | 'Receipts_val' | 'Receipts_val_tax' | 'Consumption_val' | 'Consumption_val_tax' | 'Reject_val' | 'Reject_val_tax' | 'Shortage_val' | 'Shortage_val_tax' | 'Transfer_val' | 'Transfer_val_tax' | 'MovetoBad_val' | 'MovetoBad_val_tax' | 'Trashed_val' | 'Trashed_val_tax' | 'Hold_val' | 'Hold_val_tax' | 'Active_val' | 'Active_val_tax' | 'Closing_val' | 'Closing_val_tax', D> & Quantities<InventoryMatStockStatusRecord<D>, 'Opening_qty' | 'Receipts_qty' | 'Consumption_qty' | 'Reject_qty' | 'Shortage_qty' | 'Transfer_qty' | 'MovetoBad_qty' | 'Trashed_qty' | 'Hold_qty' | 'Active_qty' | 'Closing_qty', D>

export type InventoryMatStockStatusFigures<D = string> = Figures<D, 'Opening_qty' | 'Opening_val' | 'Opening_val_tax' | 'Receipts_qty' | 'Receipts_val' | 'Receipts_val_tax' | 'Consumption_qty' | 'Consumption_val' | 'Consumption_val_tax' | 'Reject_qty' | 'Reject_val' | 'Reject_val_tax' | 'Shortage_qty' | 'Shortage_val' | 'Shortage_val_tax' | 'Transfer_qty' | 'Transfer_val' | 'Transfer_val_tax' | 'MovetoBad_qty' | 'MovetoBad_val' | 'MovetoBad_val_tax' | 'Trashed_qty' | 'Trashed_val' | 'Trashed_val_tax' | 'Hold_qty' | 'Hold_val' | 'Hold_val_tax' | 'Active_qty' | 'Active_val' | 'Active_val_tax' | 'Closing_qty' | 'Closing_val' | 'Closing_val_tax', 'Opening_qty' | 'Opening_val' | 'Opening_val_tax' | 'Receipts_qty' | 'Receipts_val' | 'Receipts_val_tax' | 'Consumption_qty' | 'Consumption_val' | 'Consumption_val_tax' | 'Reject_qty' | 'Reject_val' | 'Reject_val_tax' | 'Shortage_qty' | 'Shortage_val' | 'Shortage_val_tax' | 'Transfer_qty' | 'Transfer_val' | 'Transfer_val_tax' | 'MovetoBad_qty' | 'MovetoBad_val' | 'MovetoBad_val_tax' | 'Trashed_qty' | 'Trashed_val' | 'Trashed_val_tax' | 'Hold_qty' | 'Hold_val' | 'Hold_val_tax' | 'Active_qty' | 'Active_val' | 'Active_val_tax' | 'Closing_qty' | 'Closing_val' | 'Closing_val_tax', { 'Opening_qty': 'UoM'; 'Receipts_qty': 'UoM'; 'Consumption_qty': 'UoM'; 'Reject_qty': 'UoM'; 'Shortage_qty': 'UoM'; 'Transfer_qty': 'UoM'; 'MovetoBad_qty': 'UoM'; 'Trashed_qty': 'UoM'; 'Hold_qty': 'UoM'; 'Active_qty': 'UoM'; 'Closing_qty': 'UoM' }, never>

export interface InventoryStockValueParams {
  /** `0` for values without tax, `1` for values with tax; as a number or as a string. */
  tax: 0 | 1
  /** First day of the range, inclusive, `YYYY-MM-DD`. */
  from_date: string
  /** Last day of the range, inclusive, `YYYY-MM-DD`. */
  to_date: string
}

export interface InventoryStockValueRecord<D = string> {
  /** The month, `2026-04`. */
  month: string
  /** The day at whose end the stock has these values. */
  date: string
  /** Value of all stock. */
  total_value: D
  /** Value of finished goods and combos. */
  finished_value: D
  /** Value of semi-finished goods. */
  semi_finished_value: D
  /** Value of materials of every kind. */
  material_value: D
  /** Value of raw materials. */
  raw_value: D
  /** Value of packing materials. */
  packing_value: D
  /** Value of consumables. */
  consumable_value: D
  /** Value of tools. */
  tool_value: D
}

export type InventoryStockValueKey<D = string> = Required<Pick<InventoryStockValueRecord<D>, 'date'>>

export type InventoryStockValueTotals<D = string> = Totals

export type InventoryStockValueFigures<D = string> = Figures<D, 'total_value' | 'finished_value' | 'semi_finished_value' | 'material_value' | 'raw_value' | 'packing_value' | 'consumable_value' | 'tool_value', never, object, 'date'>

export interface InventoryItemStockParams {
  /** The day; its movements are included. */
  date: string
  /** Only the item with this code. */
  sku?: string | undefined
}

export interface InventoryItemStockRecord<D = string> {
  /** The item's code. */
  sku: string
  /** The item's name. */
  name: string
  /** Type of the item. */
  type: 'Finished Good' | 'Semi Finished Good' | 'Physical Combo' | 'Material' | 'Service'
  /** Unit of the quantities. */
  unit: string
  /** The warehouse's name. */
  warehouse: string
  /** Stock at the end of the day, on hold or not. */
  stock_qty: D
  /** Stock on hold. */
  hold_qty: D
  /** Stock that is not on hold. */
  available_qty: D
  /** Value of `stock_qty`. */
  stock_value: D
  /** Value of `hold_qty`. */
  hold_value: D
}

export type InventoryItemStockKey<D = string> = Required<Pick<InventoryItemStockRecord<D>, 'sku' | 'warehouse'>>

export type InventoryItemStockTotals<D = string> = Totals & Sums<InventoryItemStockRecord<D>, 'stock_value' | 'hold_value', D> & Quantities<InventoryItemStockRecord<D>, 'stock_qty' | 'hold_qty' | 'available_qty', D>

export type InventoryItemStockFigures<D = string> = Figures<D, 'stock_qty' | 'hold_qty' | 'available_qty' | 'stock_value' | 'hold_value', 'stock_qty' | 'hold_qty' | 'available_qty' | 'stock_value' | 'hold_value', { 'stock_qty': 'unit'; 'hold_qty': 'unit'; 'available_qty': 'unit' }, never>

export interface InventoryBatchesParams {
  /** The day; its movements are included. */
  date: string
  /** Only batches of the item with this code. */
  sku?: string | undefined
  /** Only batches with this number. */
  batch_no?: string | undefined
}

export interface InventoryBatchesRecord<D = string> {
  /** The item's code. */
  sku: string
  /** The item's name. */
  name: string
  /** Number of the batch. */
  batch_no: string
  /** Origin of the batch. */
  source: 'Produced' | 'Procured' | 'Manually'
  /** Date of manufacture. */
  mfg_date: string | null
  /** Date of expiry. */
  expiry_date: string | null
  /** Date of production; null for a batch that was not produced here. */
  batch_date: string | null
  /** Result of the quality check of a produced batch; `-` before the check. */
  qc_status: 'QC Pass' | 'QC Fail' | 'QC Hold' | '-'
  /** Total quantity that came in. */
  received_qty: D
  /** Total quantity that went out. */
  issued_qty: D
  /** `received_qty` − `issued_qty`. */
  stock_qty: D
  /** Unit of the quantities. */
  unit: string
}

export type InventoryBatchesKey<D = string> = Required<Pick<InventoryBatchesRecord<D>, 'sku' | 'batch_no'>>

export type InventoryBatchesTotals<D = string> = Totals & Quantities<InventoryBatchesRecord<D>, 'received_qty' | 'issued_qty' | 'stock_qty', D>

export type InventoryBatchesFigures<D = string> = Figures<D, 'received_qty' | 'issued_qty' | 'stock_qty', 'received_qty' | 'issued_qty' | 'stock_qty', { 'received_qty': 'unit'; 'issued_qty': 'unit'; 'stock_qty': 'unit' }, 'mfg_date' | 'expiry_date' | 'batch_date'>

export interface InventoryMovementsParams {
  /** First day of the range, inclusive, `YYYY-MM-DD`. */
  from_date: string
  /** Last day of the range, inclusive, `YYYY-MM-DD`. */
  to_date: string
  /** Only movements of the item with this code. */
  sku?: string | undefined
  /** Only movements in the warehouse with this name. */
  warehouse?: string | undefined
  /** Only movements of the batch with this number; an empty string for stock that is not kept by batch. Leave it out for all stock. */
  batch?: string | undefined
  /** The column of a stock report that the movements count in. */
  figure?: 'Opening' | 'Receipts' | 'Receipts_PRD' | 'Receipts_PUR' | 'Receipts_TRF' | 'Receipts_OTH' | 'Returned' | 'Issued' | 'Consumption' | 'Reject' | 'Shortage' | 'Trashed' | 'MovetoBad' | 'Transfered' | 'Transfer' | 'UnPacked' | 'Cr' | 'Dr' | 'TrfChrg' | 'Hold' | 'Active' | 'Closing' | undefined
  /** `0`, the default, for values without tax, `1` for values with tax. */
  tax?: 0 | 1 | undefined
}

export interface InventoryMovementsRecord<D = string> {
  /** The item's code. */
  sku: string
  /** The item's name. */
  name: string
  /** Unit of the quantity. */
  unit: string
  /** Day of the movement. */
  date: string
  /** Number of the movement in the ledger. */
  movement_no: string
  /** Kind of the movement. */
  kind: 'production receipt' | 'purchase receipt' | 'transfer in' | 'other receipt' | 'sales return' | 'issue' | 'consumption' | 'rejection' | 'shortage' | 'trash' | 'move to bad' | 'transfer out' | 'unpack' | 'hold' | 'release' | 'internal issue' | 'vendor return' | 'value increase' | 'value decrease'
  /** The type of the document in `document_no`. */
  document_type: 'sales order' | 'invoice' | 'goods receipt' | 'batch' | 'movement'
  /** Number of the sales order for an issue or a return, or of its invoice if there is no order; of the goods receipt for purchased goods; of the batch for produced or consumed goods; of the movement itself for any other kind. */
  document_no: string
  /** Number of the sales order. */
  order_no: string | null
  /** Number of the purchase order. */
  po_no: string | null
  /** Number of the work order; only for a consumption or a production receipt. */
  work_order_no: string | null
  /** Code of the item that was made from it; only for a consumption. */
  used_in_sku: string | null
  /** Number of the batch that it went into; only for a consumption. */
  used_in_batch: string | null
  /** Warehouse of the movement. */
  warehouse: string
  /** Number of the batch; null for stock that is not kept by batch. */
  batch: string | null
  /** Quantity, with the sign with which it counts in the figure. */
  qty: D
  /** Booked value, or for TrfChrg the transfer charge, with the sign with which it counts in the figure. */
  value: D
  /** Free text of the movement. */
  note: string
}

export type InventoryMovementsKey<D = string> = Required<Pick<InventoryMovementsRecord<D>, 'sku' | 'date' | 'movement_no'>>

export type InventoryMovementsTotals<D = string> = Totals & Sums<InventoryMovementsRecord<D>, 'value', D> & Quantities<InventoryMovementsRecord<D>, 'qty', D>

export type InventoryMovementsFigures<D = string> = Figures<D, 'qty' | 'value', 'qty' | 'value', { 'qty': 'unit' }, 'date'>

export interface ProductionBatchesParams {
  /** First day of the range, inclusive, `YYYY-MM-DD`. */
  from_date: string
  /** Last day of the range, inclusive, `YYYY-MM-DD`. */
  to_date: string
}

export interface ProductionBatchesRecord<D = string> {
  /** Number of the batch. */
  batch_no: string
  /** Date of the batch. */
  batch_date: string
  /** The product's name. */
  product_name: string
  /** The product's code. */
  product_sku: string
  /** Quantity of the batch, wastage included. */
  batch_qty: D
  /** Wasted quantity. */
  wastage: D
  /** `batch_qty` − `wastage`. */
  actual_qty: D
  /** Cost of the batch with tax. */
  batch_cost_incTax: D
  /** Cost of one unit with tax. */
  unit_cost_incTax: D
  /** Cost of the batch without tax. */
  batch_cost_extax: D
  /** Cost of one unit without tax. */
  unit_cost_extax: D
  /** Result of the quality check; `-` before the check. */
  qc_status: 'QC Pass' | 'QC Fail' | 'QC Hold' | '-'
  /** Quantity that passed; null before the check. */
  qty_pass: D | null
  /** Quantity that failed; null before the check. */
  qty_failed: D | null
  /** Warehouse that produced the batch. */
  warehouse: string
  /** Whether the batch was received into stock. */
  inv_status: 'Pending' | 'Partial' | 'Received'
  /** The product's number inside the service. */
  prod_id: D
  /** Key of the warehouse, as in the warehouse list. */
  wh_id: string
  /** Part of `batch_cost_incTax` that is not material. */
  OthCost_Inctax: D
  /** Unit of the quantities. */
  unit: string
}

export type ProductionBatchesKey<D = string> = Required<Pick<ProductionBatchesRecord<D>, 'batch_date' | 'batch_no' | 'product_sku'>>

export type ProductionBatchesTotals<D = string> = Totals & Sums<ProductionBatchesRecord<D>, 'batch_cost_incTax' | 'batch_cost_extax' | 'OthCost_Inctax', D> & Quantities<ProductionBatchesRecord<D>, 'batch_qty' | 'wastage' | 'actual_qty' | 'qty_pass' | 'qty_failed', D>

export type ProductionBatchesFigures<D = string> = Figures<D, 'batch_qty' | 'wastage' | 'actual_qty' | 'batch_cost_incTax' | 'unit_cost_incTax' | 'batch_cost_extax' | 'unit_cost_extax' | 'qty_pass' | 'qty_failed' | 'prod_id' | 'OthCost_Inctax', 'batch_qty' | 'wastage' | 'actual_qty' | 'batch_cost_incTax' | 'batch_cost_extax' | 'qty_pass' | 'qty_failed' | 'OthCost_Inctax', { 'batch_qty': 'unit'; 'wastage': 'unit'; 'actual_qty': 'unit'; 'qty_pass': 'unit'; 'qty_failed': 'unit' }, 'batch_date'>

export interface ProductionMaterialConsumptionParams {
  /** Row by row, or summed per product and material. */
  version: 'DETAILED' | 'SUMMARY'
  /** First day of the range, inclusive, `YYYY-MM-DD`. */
  from_date: string
  /** Last day of the range, inclusive, `YYYY-MM-DD`. */
  to_date: string
}

export interface ProductionMaterialConsumptionDetailedRecord<D = string> {
  /** The product's code. */
  product_sku: string
  /** The product's name. */
  product_name: string
  /** Number of the batch. */
  batch_no: string
  /** Date of the batch. */
  batch_date: string
  /** Warehouse that produced the batch. */
  warehouse: string
  /** Quantity of the batch, wastage included. */
  batch_qty: D
  /** Its unit. */
  Batch_UOM: string
  /** Wasted quantity. */
  damaged_wastage: D
  /** `batch_qty` − `damaged_wastage`. */
  total_prd_qty: D
  /** The material's product category; for another cost its kind, such as `Manpower`. */
  category_name: string
  /** The material's name, or the purpose of the other cost. */
  material_name: string
  /** The material's code; `-` for another cost. */
  material_code: string
  /** Unit of the quantities; null for another cost. */
  Mat_UoM: string | null
  /** Part of `Total_consumption` that went into usable output. */
  item_qty: D
  /** Its value. */
  item_Val: D
  /** Part of `Total_consumption` that went into wasted output; null if nothing was wasted. */
  wastage_item_qty: D | null
  /** Its value. */
  wastage_item_Val: D | null
  /** Quantity used according to the bill of materials. */
  Item_qty_bom: D
  /** Quantity used in addition because of a shortage. */
  item_qty_short: D
  /** Quantity rejected while in use. */
  item_qty_rej: D
  /** Quantity returned to stock. */
  item_qty_ret: D
  /** bom + short + rej − ret. */
  Total_consumption: D
  /** Value of `Item_qty_bom`. */
  Item_Val_bom: D
  /** Value of `item_qty_short`. */
  item_Val_short: D
  /** Value of `item_qty_rej`. */
  item_Val_rej: D
  /** Value of `item_qty_ret`. */
  item_Val_ret: D
  /** Value of `Total_consumption`: bom + short + rej − ret. */
  Total_consumption_Val: D
  /** Number of the line in its batch. Only in `changesSince`. */
  _line_no?: number
}

export type ProductionMaterialConsumptionDetailedKey<D = string> = Required<Pick<ProductionMaterialConsumptionDetailedRecord<D>, 'batch_date' | 'batch_no' | 'product_sku' | '_line_no'>>

export type ProductionMaterialConsumptionDetailedTotals<D = string> = Totals & Sums<ProductionMaterialConsumptionDetailedRecord<D>, 'item_Val' | 'wastage_item_Val' | 'Item_Val_bom' | 'item_Val_short' | 'item_Val_rej' | 'item_Val_ret' | 'Total_consumption_Val', D> & Quantities<ProductionMaterialConsumptionDetailedRecord<D>, 'item_qty' | 'wastage_item_qty' | 'Item_qty_bom' | 'item_qty_short' | 'item_qty_rej' | 'item_qty_ret' | 'Total_consumption', D>

export type ProductionMaterialConsumptionDetailedFigures<D = string> = Figures<D, 'batch_qty' | 'damaged_wastage' | 'total_prd_qty' | 'item_qty' | 'item_Val' | 'wastage_item_qty' | 'wastage_item_Val' | 'Item_qty_bom' | 'item_qty_short' | 'item_qty_rej' | 'item_qty_ret' | 'Total_consumption' | 'Item_Val_bom' | 'item_Val_short' | 'item_Val_rej' | 'item_Val_ret' | 'Total_consumption_Val', 'item_qty' | 'item_Val' | 'wastage_item_qty' | 'wastage_item_Val' | 'Item_qty_bom' | 'item_qty_short' | 'item_qty_rej' | 'item_qty_ret' | 'Total_consumption' | 'Item_Val_bom' | 'item_Val_short' | 'item_Val_rej' | 'item_Val_ret' | 'Total_consumption_Val', { 'batch_qty': 'Batch_UOM'; 'damaged_wastage': 'Batch_UOM'; 'total_prd_qty': 'Batch_UOM'; 'item_qty': 'Mat_UoM'; 'wastage_item_qty': 'Mat_UoM'; 'Item_qty_bom': 'Mat_UoM'; 'item_qty_short': 'Mat_UoM'; 'item_qty_rej': 'Mat_UoM'; 'item_qty_ret': 'Mat_UoM'; 'Total_consumption': 'Mat_UoM' }, 'batch_date'>

export interface ProductionMaterialConsumptionSummaryRecord<D = string> {
  /** The product's code. */
  product_sku: string
  /** The product's name. */
  product_name: string
  /** The material's product category; for another cost its kind, such as `Manpower`. */
  category_name: string
  /** The material's name, or the purpose of the other cost. */
  material_name: string
  /** The material's code; `-` for another cost. */
  material_code: string
  /** Unit of the quantities; null for another cost. */
  Mat_UoM: string | null
  /** Part of `Total_consumption` that went into usable output. */
  item_qty: D
  /** Its value. */
  item_Val: D
  /** Part of `Total_consumption` that went into wasted output; null if nothing was wasted. */
  wastage_item_qty: D | null
  /** Its value. */
  wastage_item_Val: D | null
  /** Quantity used according to the bill of materials. */
  Item_qty_bom: D
  /** Quantity used in addition because of a shortage. */
  item_qty_short: D
  /** Quantity rejected while in use. */
  item_qty_rej: D
  /** Quantity returned to stock. */
  item_qty_ret: D
  /** bom + short + rej − ret. */
  Total_consumption: D
  /** Value of `Item_qty_bom`. */
  Item_Val_bom: D
  /** Value of `item_qty_short`. */
  item_Val_short: D
  /** Value of `item_qty_rej`. */
  item_Val_rej: D
  /** Value of `item_qty_ret`. */
  item_Val_ret: D
  /** Value of `Total_consumption`: bom + short + rej − ret. */
  Total_consumption_Val: D
  /** Number of batches. */
  batches: D
}

export type ProductionMaterialConsumptionSummaryKey<D = string> = Required<Pick<ProductionMaterialConsumptionSummaryRecord<D>, 'product_sku' | 'material_code' | 'category_name' | 'material_name' | 'Mat_UoM'>>

export type ProductionMaterialConsumptionSummaryTotals<D = string> = Totals & Sums<ProductionMaterialConsumptionSummaryRecord<D>, 'item_Val' | 'wastage_item_Val' | 'Item_Val_bom' | 'item_Val_short' | 'item_Val_rej' | 'item_Val_ret' | 'Total_consumption_Val', D> & Quantities<ProductionMaterialConsumptionSummaryRecord<D>, 'item_qty' | 'wastage_item_qty' | 'Item_qty_bom' | 'item_qty_short' | 'item_qty_rej' | 'item_qty_ret' | 'Total_consumption', D>

export type ProductionMaterialConsumptionSummaryFigures<D = string> = Figures<D, 'item_qty' | 'item_Val' | 'wastage_item_qty' | 'wastage_item_Val' | 'Item_qty_bom' | 'item_qty_short' | 'item_qty_rej' | 'item_qty_ret' | 'Total_consumption' | 'Item_Val_bom' | 'item_Val_short' | 'item_Val_rej' | 'item_Val_ret' | 'Total_consumption_Val' | 'batches', 'item_qty' | 'item_Val' | 'wastage_item_qty' | 'wastage_item_Val' | 'Item_qty_bom' | 'item_qty_short' | 'item_qty_rej' | 'item_qty_ret' | 'Total_consumption' | 'Item_Val_bom' | 'item_Val_short' | 'item_Val_rej' | 'item_Val_ret' | 'Total_consumption_Val', { 'item_qty': 'Mat_UoM'; 'wastage_item_qty': 'Mat_UoM'; 'Item_qty_bom': 'Mat_UoM'; 'item_qty_short': 'Mat_UoM'; 'item_qty_rej': 'Mat_UoM'; 'item_qty_ret': 'Mat_UoM'; 'Total_consumption': 'Mat_UoM' }, never>

export interface ProductionBatchStoryParams {
  /** Number of the batch. */
  batch_no: string
  /** Code of its item, if batches of several items have this number. */
  sku?: string | undefined
}

export interface ProductionBatchStoryRecord<D = string> {
  /** Code of the batch's item. */
  sku: string
  /** Number of the batch. */
  batch_no: string
  /** Step in the story of the batch. */
  step: 'made-from' | 'made' | 'received' | 'went-to' | 'held'
  /** Day of the step. */
  date: string
  /** Kind of the movement; `production` for the production record. */
  kind: 'production' | 'production receipt' | 'purchase receipt' | 'transfer in' | 'other receipt' | 'sales return' | 'issue' | 'consumption' | 'rejection' | 'shortage' | 'trash' | 'move to bad' | 'transfer out' | 'unpack' | 'hold' | 'release' | 'internal issue' | 'vendor return' | 'value increase' | 'value decrease'
  /** The type of the document in `document_no`. */
  document_type: 'sales order' | 'invoice' | 'goods receipt' | 'batch' | 'movement'
  /** Number of the sales order for an issue or a return, or of its invoice if there is no order; of the goods receipt for purchased goods; of the batch for produced or consumed goods; of the movement itself for any other kind. */
  document_no: string | null
  /** Number of the sales order. */
  order_no: string | null
  /** Number of the purchase order. */
  po_no: string | null
  /** Number of the work order; only for a consumption or a production receipt. */
  work_order_no: string | null
  /** Code of the item that was made from it; only for a consumption. */
  used_in_sku: string | null
  /** Number of the batch that it went into; only for a consumption. */
  used_in_batch: string | null
  /** Number of the invoice. */
  invoice_no: string | null
  /** Name of the customer, or of the vendor. */
  party: string | null
  /** Code of the item that moved: the material for made-from, else the same as `sku`. */
  item_sku: string
  /** Name of the item that moved. */
  item_name: string
  /** Batch that moved; null if the item is not kept by batch. */
  batch: string | null
  /** Quantity. */
  qty: D
  /** Unit of the quantity. */
  unit: string
  /** Warehouse of the step. */
  warehouse: string
  /** Number of the movement in the ledger; null for the production record. */
  movement_no: string | null
  /** Number of the step, from 1 for made-from to 5 for held. Only in `changesSince`. */
  _step_no?: number
}

export type ProductionBatchStoryKey<D = string> = Required<Pick<ProductionBatchStoryRecord<D>, 'sku' | '_step_no' | 'date' | 'item_sku' | 'movement_no'>>

export type ProductionBatchStoryTotals<D = string> = Totals & Quantities<ProductionBatchStoryRecord<D>, 'qty', D>

export type ProductionBatchStoryFigures<D = string> = Figures<D, 'qty', 'qty', { 'qty': 'unit' }, 'date'>

export interface ProductionWorkOrdersParams {
  /** Only orders of this status. */
  status?: 'Planned' | 'Open' | 'Closed' | 'Cancelled' | undefined
  /** Only orders for the product with this code. */
  sku?: string | undefined
  /** Only orders with a planned start on this day or later. */
  from_date?: string | undefined
  /** Only orders with a planned start on this day or earlier. */
  to_date?: string | undefined
}

export interface ProductionWorkOrdersRecord<D = string> {
  /** Number of the work order. */
  work_order_no: string
  /** The product's code. */
  product_sku: string
  /** The product's name. */
  product_name: string
  /** Its unit. */
  uom: string
  /** Warehouse that makes the product. */
  warehouse: string | null
  /** Status of the order. */
  status: 'Planned' | 'Open' | 'Closed' | 'Cancelled'
  /** Quantity to be made. */
  planned_qty: D
  /** Quantity made so far. */
  produced_qty: D
  /** Quantity still to be made; 0 once the order is Closed or Cancelled. */
  open_qty: D
  /** Planned first day. */
  start_date: string
  /** Planned last day. */
  due_date: string
  /** Day of the order's first movement. */
  started_on: string | null
  /** Day on which the order was closed. */
  finished_on: string | null
  /** Value of the consumed materials. */
  consumed_val: D
  /** Value of the produced goods, by-products included. */
  produced_val: D
  /** Work in progress: value consumed minus value produced, while the order is Planned or Open. */
  wip_val: D
  /** Value consumed minus value produced, once the order is Closed or Cancelled. */
  variance_val: D
  /** Free text. */
  note: string
  /** Components and by-products of the order, planned or moved, ordered by kind and code. */
  items: {
    /** Whether the item goes into production or comes out of it. */
    kind: 'By-product' | 'Component'
    /** The item's code. */
    sku: string
    /** The item's name. */
    name: string
    /** Its unit. */
    uom: string
    /** Quantity for the whole order. */
    planned_qty: D
    /** Quantity consumed so far; for a by-product, received so far. */
    moved_qty: D
  }[]
}

export type ProductionWorkOrdersKey<D = string> = Required<Pick<ProductionWorkOrdersRecord<D>, 'start_date' | 'work_order_no'>>

export type ProductionWorkOrdersTotals<D = string> = Totals & Sums<ProductionWorkOrdersRecord<D>, 'consumed_val' | 'produced_val' | 'wip_val' | 'variance_val', D> & Quantities<ProductionWorkOrdersRecord<D>, 'planned_qty' | 'produced_qty' | 'open_qty', D> & Cancelled

export type ProductionWorkOrdersFigures<D = string> = Figures<D, 'planned_qty' | 'produced_qty' | 'open_qty' | 'consumed_val' | 'produced_val' | 'wip_val' | 'variance_val', 'planned_qty' | 'produced_qty' | 'open_qty' | 'consumed_val' | 'produced_val' | 'wip_val' | 'variance_val', { 'planned_qty': 'uom'; 'produced_qty': 'uom'; 'open_qty': 'uom' }, 'start_date' | 'due_date' | 'started_on' | 'finished_on', '_cancelled'>

export interface ProductionBillsParams {
  /** Only lines of the product with this code. */
  product_sku?: string | undefined
  /** Only lines with this component, by-product or part. */
  material_code?: string | undefined
}

export interface ProductionBillsRecord<D = string> {
  /** The product's code. */
  product_sku: string
  /** The product's name. */
  product_name: string
  /** Whether the material goes into the product, comes out beside it, or is packed with others in a combo. */
  kind: 'Component' | 'By-product' | 'Part of a combo'
  /** The material's code. */
  material_code: string
  /** The material's name. */
  material_name: string
  /** Quantity in one unit of the product. */
  qty: D
  /** The material's unit. */
  material_unit: string
  /** First day of the line; null for no beginning. */
  valid_from: string | null
  /** Last day of the line; null for no end. */
  valid_to: string | null
  /** First day of the line; 0001-01-01 for no beginning. Only in `changesSince`. */
  _first_day?: string
}

export type ProductionBillsKey<D = string> = Required<Pick<ProductionBillsRecord<D>, 'product_sku' | 'kind' | 'material_code' | '_first_day'>>

export type ProductionBillsTotals<D = string> = Totals

export type ProductionBillsFigures<D = string> = Figures<D, 'qty', never, { 'qty': 'material_unit' }, 'valid_from' | 'valid_to'>

export interface SalesOrderDispatchParams {
  /** `R` without orders that had a return, `WR` with them. */
  version: 'R' | 'WR'
  /** First day of the range, inclusive, `YYYY-MM-DD`. */
  from_date: string
  /** Last day of the range, inclusive, `YYYY-MM-DD`. */
  to_date: string
}

export interface SalesOrderDispatchRecord<D = string> {
  /** The order's number. */
  order_no: string
  /** Number of the customer's purchase order. */
  po_no: string | null
  /** Order date. */
  order_date: string
  /** The customer's name. */
  company_name: string
  /** City that the order goes to. */
  city: string
  /** Warehouse that the line is dispatched from; empty where there is none. */
  warehouse: string
  /** The ordered item's code. */
  order_sku: string
  /** The ordered item's name. */
  order_item: string
  /** Ordered quantity. */
  order_qty: D
  /** The ordered item's unit. */
  order_uom: string
  /** The dispatched item's code. */
  product_sku: string
  /** The dispatched item's name. */
  product_name: string
  /** Quantity of the dispatched item that the whole line needs. */
  required_qty: D
  /** The dispatched item's unit. */
  sku_uom: string
  /** Dispatched quantity. */
  dispatched_qty: D
  /** The batches that were dispatched. */
  batches: string
  /** The customer's code; empty for a walk-in customer. */
  customer_code: string
  /** Number of the line in its order. Only in `changesSince`. */
  _line_no?: number
}

export type SalesOrderDispatchKey<D = string> = Required<Pick<SalesOrderDispatchRecord<D>, 'order_date' | 'order_no' | '_line_no' | 'product_sku'>>

export type SalesOrderDispatchTotals<D = string> = Totals & Quantities<SalesOrderDispatchRecord<D>, 'required_qty' | 'dispatched_qty', D>

export type SalesOrderDispatchFigures<D = string> = Figures<D, 'order_qty' | 'required_qty' | 'dispatched_qty', 'required_qty' | 'dispatched_qty', { 'order_qty': 'order_uom'; 'required_qty': 'sku_uom'; 'dispatched_qty': 'sku_uom' }, 'order_date'>

export interface SalesOrderStatusParams {
  /** `WR` with orders that had a return, `R` without them. */
  version: 'WR' | 'R'
  /** First day of the range, inclusive, `YYYY-MM-DD`. */
  from_date: string
  /** Last day of the range, inclusive, `YYYY-MM-DD`. */
  to_date: string
}

export interface SalesOrderStatusRecord<D = string> {
  /** The ordered item's code. */
  product_sku: string
  /** The ordered item's name. */
  product_name: string
  /** `Combo` for a physical combo, else `Single`. */
  Prod_type: 'Single' | 'Combo'
  /** The order's number. */
  SO_order_id: string
  /** Order date. */
  order_date: string
  /** Time of the order. */
  order_time: string
  /** Number of the customer's purchase order; empty where there is none. */
  po_no: string
  /** Date of the customer's purchase order; empty where there is none. */
  po_date: string | ''
  /** The customer's name. */
  party_name: string
  /** City that the order goes to. */
  party_city: string
  /** Warehouse that the line is dispatched from; empty where there is none. */
  warehouse: string
  /** Ordered quantity. */
  Order_qty: D
  /** Unit of the quantities. */
  UoM: string
  /** Price of one unit before discount and tax. */
  rate: D
  /** Amount net of discount, before tax. */
  Order_value: D
  /** Tax on `Order_value`. */
  gst: D
  /** Amount with tax. */
  total_amount: D
  /** Quantity issued for the line; for a service, invoiced. */
  issued_qty: D
  /** Date of the latest issue for the line, for a service of its latest invoice; `Not Issued` where there is none. */
  last_issue_date: string | 'Not Issued'
  /** `Order_qty` − `issued_qty`. */
  Remaining_qty: D
  /** Returned quantity: `usable_qty` + `unusable_qty`. */
  return_qty: D
  /** Returned quantity that is back in stock. */
  usable_qty: D
  /** Returned quantity that is not usable. */
  unusable_qty: D
  /** Date of the latest return of the line; `N/A` where there is none. */
  Return_date: string | 'N/A'
  /** Status of the line. */
  SoStatus: 'Accepted' | 'Partial Issued' | 'Closed'
  /** Number of the line's latest invoice that is not cancelled. */
  invoice_no: string | null
  /** Its time. */
  invoice_date: string | null
  /** Postal code that the order goes to. */
  pincode: string
  /** State of the order, as people set it; nothing more is issued for a CLOSED order. */
  order_state: 'OPEN' | 'CLOSED'
  /** The customer's code; empty for a walk-in customer. */
  customer_code: string
  /** Number of the line in its order. Only in `changesSince`. */
  _line_no?: number
}

export type SalesOrderStatusKey<D = string> = Required<Pick<SalesOrderStatusRecord<D>, 'order_date' | 'SO_order_id' | '_line_no'>>

export type SalesOrderStatusTotals<D = string> = Totals & Sums<SalesOrderStatusRecord<D>, 'Order_value' | 'gst' | 'total_amount', D> & Quantities<SalesOrderStatusRecord<D>, 'Order_qty' | 'issued_qty' | 'Remaining_qty' | 'return_qty' | 'usable_qty' | 'unusable_qty', D>

export type SalesOrderStatusFigures<D = string> = Figures<D, 'Order_qty' | 'rate' | 'Order_value' | 'gst' | 'total_amount' | 'issued_qty' | 'Remaining_qty' | 'return_qty' | 'usable_qty' | 'unusable_qty', 'Order_qty' | 'Order_value' | 'gst' | 'total_amount' | 'issued_qty' | 'Remaining_qty' | 'return_qty' | 'usable_qty' | 'unusable_qty', { 'Order_qty': 'UoM'; 'issued_qty': 'UoM'; 'Remaining_qty': 'UoM'; 'return_qty': 'UoM'; 'usable_qty': 'UoM'; 'unusable_qty': 'UoM' }, 'order_date' | 'po_date' | 'last_issue_date' | 'Return_date' | 'invoice_date'>

export interface SalesOrderStoryParams {
  /** Number of the order. */
  order_no: string
}

export interface SalesOrderStoryRecord<D = string> {
  /** The order's number. */
  order_no: string
  /** State of the order, as people set it. */
  order_state: 'OPEN' | 'CLOSED' | 'CANCELLED'
  /** The customer's name. */
  party: string
  /** The customer's code; empty for a walk-in customer. */
  customer_code: string
  /** Step in the story of the order. */
  step: 'ordered' | 'dispatched' | 'invoiced' | 'invoice-cancelled' | 'returned' | 'back-in-stock'
  /** Day of the step. */
  date: string
  /** The type of the document in `document_no`. */
  document_type: 'sales order' | 'movement' | 'invoice' | 'return'
  /** Number of the order, of the movement in the ledger, of the invoice or of the return. */
  document_no: string
  /** Number of the order line. */
  line_no: number
  /** The item's code: for a dispatch or a return into stock the item that moved, else the ordered item. */
  sku: string
  /** Its name. */
  name: string
  /** Quantity. */
  qty: D
  /** Its unit. */
  unit: string
  /** Ordered − issued, in units of the ordered item; only for an ordered line. */
  remaining_qty: D | null
  /** Usable part of `qty`; only for a return. */
  usable_qty: D | null
  /** Ordered, invoiced or credited amount before tax; null for movements. */
  amount: D | null
  /** `amount` with tax. */
  total_amount: D | null
  /** Warehouse that the line is dispatched from, or of the movement; null for documents. */
  warehouse: string | null
  /** Batch that moved; null for documents and stock not kept by batch. */
  batch: string | null
  /** Number of the step, from 1 for ordered to 6 for back-in-stock. Only in `changesSince`. */
  _step_no?: number
  /** Number of the line in its invoice; 0 for all other records. Only in `changesSince`. */
  _part_no?: number
}

export type SalesOrderStoryKey<D = string> = Required<Pick<SalesOrderStoryRecord<D>, 'date' | '_step_no' | 'document_no' | 'line_no' | 'sku' | '_part_no'>>

export type SalesOrderStoryTotals<D = string> = Totals & Sums<SalesOrderStoryRecord<D>, 'amount' | 'total_amount', D> & Quantities<SalesOrderStoryRecord<D>, 'qty' | 'remaining_qty' | 'usable_qty', D>

export type SalesOrderStoryFigures<D = string> = Figures<D, 'line_no' | 'qty' | 'remaining_qty' | 'usable_qty' | 'amount' | 'total_amount', 'qty' | 'remaining_qty' | 'usable_qty' | 'amount' | 'total_amount', { 'qty': 'unit'; 'remaining_qty': 'unit'; 'usable_qty': 'unit' }, 'date'>

export interface SalesGrossMarginParams {
  /** Per customer and product, or per product. */
  type: 'CUSTOMER' | 'CONSOLIDATED'
  /** `0` for values without tax, `1` for values with tax; as a number or as a string. */
  tax: 0 | 1
  /** First day of the range, inclusive, `YYYY-MM-DD`. */
  from_date: string
  /** Last day of the range, inclusive, `YYYY-MM-DD`. */
  to_date: string
  /** `INV` by invoices, `ORD` by orders. */
  source: 'INV' | 'ORD'
}

export interface SalesGrossMarginCustomerRecord<D = string> {
  /** The customer's name. */
  company_name: string
  /** The product's name; `Other` for lines without an item. */
  product_name: string
  /** The product's code; empty for lines without an item. */
  product_sku: string
  /** `Combo` for a physical combo, else `Single`. */
  Prod_type: 'Single' | 'Combo'
  /** The product's maximum retail price. */
  MRP: D
  /** `Total_cost_cogs` ÷ (sold − usable returns); 0 if the divisor is 0. */
  per_unit_cogs: D
  /** Sold quantity. */
  Total_sale_qty: D
  /** Amount of the sales. */
  total_sale: D
  /** Returned quantity, usable or not. */
  return_qty: D
  /** Amount credited for returns. */
  return_amt: D
  /** Booked value of the issued goods minus the booked value of usable returns. */
  Total_cost_cogs: D
  /** `total_sale` − `return_amt` − `Total_cost_cogs`. */
  profit: D
  /** `profit` in percent of `total_sale` − `return_amt`; 0 if that difference is 0. */
  profit_per: D
  /** The product's unit; empty for lines without an item. */
  unit: string
  /** Part of `Total_sale_qty` that was not issued: sold so far without a cost. */
  undelivered_qty: D
  /** Part of `total_sale` for `undelivered_qty`. */
  undelivered_amt: D
  /** Profit on the delivered goods: `profit` − `undelivered_amt`. */
  delivered_profit: D
  /** `delivered_profit` in percent of `total_sale` − `undelivered_amt` − `return_amt`; 0 if that difference is 0. */
  delivered_profit_per: D
  /** The customer's code; empty for a walk-in customer. */
  customer_code: string
}

export type SalesGrossMarginCustomerKey<D = string> = Required<Pick<SalesGrossMarginCustomerRecord<D>, 'company_name' | 'customer_code' | 'product_sku'>>

export type SalesGrossMarginCustomerTotals<D = string> = Totals & Sums<SalesGrossMarginCustomerRecord<D>, 'total_sale' | 'return_amt' | 'Total_cost_cogs' | 'profit' | 'undelivered_amt' | 'delivered_profit', D> & Quantities<SalesGrossMarginCustomerRecord<D>, 'Total_sale_qty' | 'return_qty' | 'undelivered_qty', D>

export type SalesGrossMarginCustomerFigures<D = string> = Figures<D, 'MRP' | 'per_unit_cogs' | 'Total_sale_qty' | 'total_sale' | 'return_qty' | 'return_amt' | 'Total_cost_cogs' | 'profit' | 'profit_per' | 'undelivered_qty' | 'undelivered_amt' | 'delivered_profit' | 'delivered_profit_per', 'Total_sale_qty' | 'total_sale' | 'return_qty' | 'return_amt' | 'Total_cost_cogs' | 'profit' | 'undelivered_qty' | 'undelivered_amt' | 'delivered_profit', { 'Total_sale_qty': 'unit'; 'return_qty': 'unit'; 'undelivered_qty': 'unit' }, never>

export interface SalesGrossMarginConsolidatedRecord<D = string> {
  /** The product's name; `Other` for lines without an item. */
  product_name: string
  /** The product's code; empty for lines without an item. */
  product_sku: string
  /** `Combo` for a physical combo, else `Single`. */
  Prod_type: 'Single' | 'Combo'
  /** The product's maximum retail price. */
  MRP: D
  /** `Total_cost_cogs` ÷ (sold − usable returns); 0 if the divisor is 0. */
  per_unit_cogs: D
  /** Sold quantity. */
  Total_sale_qty: D
  /** Amount of the sales. */
  total_sale: D
  /** Returned quantity, usable or not. */
  return_qty: D
  /** Amount credited for returns. */
  return_amt: D
  /** Booked value of the issued goods minus the booked value of usable returns. */
  Total_cost_cogs: D
  /** `total_sale` − `return_amt` − `Total_cost_cogs`. */
  profit: D
  /** `profit` in percent of `total_sale` − `return_amt`; 0 if that difference is 0. */
  profit_per: D
  /** The product's unit; empty for lines without an item. */
  unit: string
  /** Part of `Total_sale_qty` that was not issued: sold so far without a cost. */
  undelivered_qty: D
  /** Part of `total_sale` for `undelivered_qty`. */
  undelivered_amt: D
  /** Profit on the delivered goods: `profit` − `undelivered_amt`. */
  delivered_profit: D
  /** `delivered_profit` in percent of `total_sale` − `undelivered_amt` − `return_amt`; 0 if that difference is 0. */
  delivered_profit_per: D
}

export type SalesGrossMarginConsolidatedKey<D = string> = Required<Pick<SalesGrossMarginConsolidatedRecord<D>, 'product_sku'>>

export type SalesGrossMarginConsolidatedTotals<D = string> = Totals & Sums<SalesGrossMarginConsolidatedRecord<D>, 'total_sale' | 'return_amt' | 'Total_cost_cogs' | 'profit' | 'undelivered_amt' | 'delivered_profit', D> & Quantities<SalesGrossMarginConsolidatedRecord<D>, 'Total_sale_qty' | 'return_qty' | 'undelivered_qty', D>

export type SalesGrossMarginConsolidatedFigures<D = string> = Figures<D, 'MRP' | 'per_unit_cogs' | 'Total_sale_qty' | 'total_sale' | 'return_qty' | 'return_amt' | 'Total_cost_cogs' | 'profit' | 'profit_per' | 'undelivered_qty' | 'undelivered_amt' | 'delivered_profit' | 'delivered_profit_per', 'Total_sale_qty' | 'total_sale' | 'return_qty' | 'return_amt' | 'Total_cost_cogs' | 'profit' | 'undelivered_qty' | 'undelivered_amt' | 'delivered_profit', { 'Total_sale_qty': 'unit'; 'return_qty': 'unit'; 'undelivered_qty': 'unit' }, never>

export interface SalesMarginByDayParams {
  /** `0` for values without tax, `1` for values with tax; as a number or as a string. */
  tax: 0 | 1
  /** First day of the range, inclusive, `YYYY-MM-DD`. */
  from_date: string
  /** Last day of the range, inclusive, `YYYY-MM-DD`. */
  to_date: string
  /** `INV` by invoices, `ORD` by orders. */
  source: 'INV' | 'ORD'
}

export interface SalesMarginByDayRecord<D = string> {
  /** Day of the invoices, or of the orders. */
  date: string
  /** Amount of the sales. */
  total_sale: D
  /** Amount credited for returns of these sales. */
  return_amt: D
  /** Booked value of the issued goods minus the booked value of usable returns. */
  Total_cost_cogs: D
  /** `total_sale` − `return_amt` − `Total_cost_cogs`. */
  profit: D
  /** `profit` in percent of `total_sale` − `return_amt`; 0 if that difference is 0. */
  profit_per: D
  /** Part of `total_sale` for goods that were not issued. */
  undelivered_amt: D
  /** Profit on the delivered goods: `profit` − `undelivered_amt`. */
  delivered_profit: D
  /** `delivered_profit` in percent of `total_sale` − `undelivered_amt` − `return_amt`; 0 if that difference is 0. */
  delivered_profit_per: D
}

export type SalesMarginByDayKey<D = string> = Required<Pick<SalesMarginByDayRecord<D>, 'date'>>

export type SalesMarginByDayTotals<D = string> = Totals & Sums<SalesMarginByDayRecord<D>, 'total_sale' | 'return_amt' | 'Total_cost_cogs' | 'profit' | 'undelivered_amt' | 'delivered_profit', D>

export type SalesMarginByDayFigures<D = string> = Figures<D, 'total_sale' | 'return_amt' | 'Total_cost_cogs' | 'profit' | 'profit_per' | 'undelivered_amt' | 'delivered_profit' | 'delivered_profit_per', 'total_sale' | 'return_amt' | 'Total_cost_cogs' | 'profit' | 'undelivered_amt' | 'delivered_profit', object, 'date'>

export interface SalesDemandStatusParams {
  /** Line by line, or summed per product and warehouse. */
  type: 'CUSTOMER' | 'CONSOLIDATED'
  /** First day of the range, inclusive, `YYYY-MM-DD`. */
  from_date: string
  /** Last day of the range, inclusive, `YYYY-MM-DD`. */
  to_date: string
}

export interface SalesDemandStatusCustomerRecord<D = string> {
  /** The customer's name. */
  company_name: string
  /** City that the order goes to. */
  location: string
  /** The order's number. */
  order_id: string
  /** The ordered item's name. */
  product_name: string
  /** The ordered item's code. */
  product_sku: string
  /** Warehouse that the line is dispatched from; empty where there is none. */
  warehouse: string
  /** Ordered quantity. */
  req_qty: D
  /** Issued quantity; for a service, invoiced. */
  Issued_Qty: D
  /** `req_qty` − `Issued_Qty`. */
  Remaining_qty: D
  /** Unit of the quantities. */
  UoM: string
  /** Key of the warehouse, as in the warehouse list; empty where there is none. */
  wh_id: string
  /** The customer's code; empty for a walk-in customer. */
  customer_code: string
  /** The order's date. Only in `changesSince`. */
  _order_date?: string
  /** Number of the line in its order. Only in `changesSince`. */
  _line_no?: number
}

export type SalesDemandStatusCustomerKey<D = string> = Required<Pick<SalesDemandStatusCustomerRecord<D>, '_order_date' | 'order_id' | '_line_no'>>

export type SalesDemandStatusCustomerTotals<D = string> = Totals & Quantities<SalesDemandStatusCustomerRecord<D>, 'req_qty' | 'Issued_Qty' | 'Remaining_qty', D>

export type SalesDemandStatusCustomerFigures<D = string> = Figures<D, 'req_qty' | 'Issued_Qty' | 'Remaining_qty', 'req_qty' | 'Issued_Qty' | 'Remaining_qty', { 'req_qty': 'UoM'; 'Issued_Qty': 'UoM'; 'Remaining_qty': 'UoM' }, never>

export interface SalesDemandStatusConsolidatedRecord<D = string> {
  /** The ordered item's name. */
  product_name: string
  /** The ordered item's code. */
  product_sku: string
  /** Warehouse that the line is dispatched from; empty where there is none. */
  warehouse: string
  /** Ordered quantity. */
  req_qty: D
  /** Issued quantity; for a service, invoiced. */
  Issued_Qty: D
  /** `req_qty` − `Issued_Qty`. */
  Remaining_qty: D
  /** Unit of the quantities. */
  UoM: string
  /** Key of the warehouse, as in the warehouse list; empty where there is none. */
  wh_id: string
  /** Stock in the warehouse today that is not on hold; 0 without a warehouse. */
  available_qty: D
  /** Part of `Remaining_qty` that `available_qty` does not cover. */
  short_qty: D
}

export type SalesDemandStatusConsolidatedKey<D = string> = Required<Pick<SalesDemandStatusConsolidatedRecord<D>, 'product_sku' | 'warehouse'>>

export type SalesDemandStatusConsolidatedTotals<D = string> = Totals & Quantities<SalesDemandStatusConsolidatedRecord<D>, 'req_qty' | 'Issued_Qty' | 'Remaining_qty' | 'available_qty' | 'short_qty', D>

export type SalesDemandStatusConsolidatedFigures<D = string> = Figures<D, 'req_qty' | 'Issued_Qty' | 'Remaining_qty' | 'available_qty' | 'short_qty', 'req_qty' | 'Issued_Qty' | 'Remaining_qty' | 'available_qty' | 'short_qty', { 'req_qty': 'UoM'; 'Issued_Qty': 'UoM'; 'Remaining_qty': 'UoM'; 'available_qty': 'UoM'; 'short_qty': 'UoM' }, never>

export interface SalesSalesParams {
  /** The period that `week_no` names. */
  method: 'month' | 'day' | 'week' | 'quarter' | 'year'
  /** First day of the range, inclusive, `YYYY-MM-DD`. */
  from_date: string
  /** Last day of the range, inclusive, `YYYY-MM-DD`. */
  to_date: string
}

export interface SalesSalesRecord<D = string> {
  /** The order's number; empty for a sale that was only invoiced. */
  order_no: string
  /** Number of the customer's purchase order; empty where there is none. */
  po_no: string
  /** Order date; the date of the invoice for a sale that was only invoiced. */
  order_date: string
  /** Label of the period. */
  week_no: string
  /** How it was sold, such as `B2B/Retail` or `Online`; empty for a sale that was only invoiced. */
  order_type: string
  /** Identifier in the sales channel. */
  channel_id: string | null
  /** Warehouse that the order is dispatched from; several are separated by `, `. Empty where there is none. */
  warehouse: string
  /** The customer's name. */
  buyer_name: string
  /** The product's code; empty for lines without an item. */
  product_sku: string
  /** The product's name; `Other` for lines without an item. */
  product_name: string
  /** Amount before tax. */
  total_sales: D
  /** Amount with tax. */
  total_amount: D
  /** Number of the invoice of a sale that was only invoiced; else empty. */
  invoice_no: string
  /** The customer's code; empty for a walk-in customer. */
  customer_code: string
  /** The product's category; empty for lines without an item. */
  product_category: string
}

export type SalesSalesKey<D = string> = Required<Pick<SalesSalesRecord<D>, 'order_date' | 'order_no' | 'product_sku' | 'invoice_no'>>

export type SalesSalesTotals<D = string> = Totals & Sums<SalesSalesRecord<D>, 'total_sales' | 'total_amount', D>

export type SalesSalesFigures<D = string> = Figures<D, 'total_sales' | 'total_amount', 'total_sales' | 'total_amount', object, 'order_date'>

export type SalesInvoicesParams = ProductionBatchesParams

export interface SalesInvoicesRecord<D = string> {
  /** Number of the invoice. */
  invoice_no: string
  /** Date and time of the invoice. */
  invoice_date: string
  /** Due date. */
  due_date: string
  /** The order's number; several numbers are separated by `, `. Empty where there is none. */
  order_no: string
  /** Date of the first order; empty where there is none. */
  order_date: string | ''
  /** The seller's tax registration on the invoice. */
  gstn: string
  /** Reference. */
  reference: string
  /** Number of the customer's purchase order. */
  po_no: string | null
  /** The customer's name; empty for a walk-in customer. */
  customer_name: string
  /** Contact person at the customer. */
  contact_person: string | null
  /** The customer's tax registration. */
  customer_gstn: string
  /** State of supply. */
  place_of_supply: string
  /** Shipping charges. */
  shipping: D
  /** Adjustment; may be negative. */
  adjustment: D
  /** Amount before tax. */
  sub_total: D
  /** Tax. */
  total_tax: D
  /** Amount before rounding. */
  total_amt: D
  /** Rounding; may be negative. */
  round_amt: D
  /** Amount to pay. */
  final_amt: Amount<D>
  /** State of the invoice. */
  invoice_status: 'Submitted' | 'Cancelled'
  /** Quantities and amounts of a credit note are negative. */
  invoice_type: 'Invoice' | 'Credit Note'
  /** Number of the credited invoice; only for a credit note. */
  credit_for: string | null
  /** The customer's code; empty for a walk-in customer. */
  customer_code: string
  /** The lines, in their order. */
  items: {
    /** The product's code; empty for a line without one. */
    product_sku: string
    /** The product's name, or the text of the line. */
    product_name: string
    /** The product's tax classification. */
    hsn_sac: string
    /** Unit of the quantity. */
    uom: string
    /** Invoiced quantity. */
    qty: D
    /** Price of one unit before tax. */
    rate: D
    /** Amount before tax. */
    taxable_value: D
    /** IGST rate in percent; `-` where it does not apply. */
    igst_rate: D | '-'
    /** IGST; `-` where it does not apply. */
    igst_amt: D | '-'
    /** SGST rate in percent; `-` where it does not apply. */
    sgst_rate: D | '-'
    /** SGST; `-` where it does not apply. */
    sgst_amt: D | '-'
    /** CGST rate in percent; `-` where it does not apply. */
    cgst_rate: D | '-'
    /** CGST; `-` where it does not apply. */
    cgst_amt: D | '-'
    /** Amount with tax. */
    total_value: D
    /** Free text of the line. */
    description: string
    /** Number of the order that the line is for. */
    order_no: string | null
    /** Unit that the document states; null for the item's stock unit. */
    document_uom: string | null
    /** `qty` as the document states it, in its unit; null if that is the stock unit. */
    document_qty: D | null
    /** `rate` as the document states it, in its currency and per its unit; null if both are the same. */
    document_rate: D | null
    /** `taxable_value` as the document states it, in its currency; null if that is the account's. */
    document_taxable_value: D | null
    /** `total_value` as the document states it, in its currency; null if that is the account's. */
    document_total_value: D | null
  }[]
  /** Currency of the document. */
  currency: string
  /** Price of one unit of `currency` in the account's currency. All amounts are in the account's currency. */
  exchange_rate: D
  /** `shipping` as the document states it, in its currency; null if that is the account's. */
  document_shipping: D | null
  /** `adjustment` as the document states it, in its currency; null if that is the account's. */
  document_adjustment: D | null
  /** `sub_total` as the document states it, in its currency; null if that is the account's. */
  document_sub_total: D | null
  /** `total_tax` as the document states it, in its currency; null if that is the account's. */
  document_total_tax: D | null
  /** `total_amt` as the document states it, in its currency; null if that is the account's. */
  document_total_amt: D | null
  /** `round_amt` as the document states it, in its currency; null if that is the account's. */
  document_round_amt: D | null
  /** `final_amt` as the document states it, in its currency; null if that is the account's. */
  document_final_amt: D | null
  /** The taxes of the lines; a tax on the whole document is distributed over its lines. */
  taxes: {
    /** Number of the line. */
    line_no: number
    /** Name of the tax. */
    name: string
    /** Rate in percent. */
    rate: D | null
    /** Tax, in the account's currency. */
    amount: D
  }[]
}

export type SalesInvoicesKey<D = string> = Required<Pick<SalesInvoicesRecord<D>, 'invoice_date' | 'invoice_no'>>

export type SalesInvoicesTotals<D = string> = Totals & Sums<SalesInvoicesRecord<D>, 'shipping' | 'adjustment' | 'sub_total' | 'total_tax' | 'total_amt' | 'round_amt' | 'final_amt', D> & Cancelled

export type SalesInvoicesFigures<D = string> = Figures<D, 'shipping' | 'adjustment' | 'sub_total' | 'total_tax' | 'total_amt' | 'round_amt' | 'final_amt' | 'exchange_rate' | 'document_shipping' | 'document_adjustment' | 'document_sub_total' | 'document_total_tax' | 'document_total_amt' | 'document_round_amt' | 'document_final_amt', 'shipping' | 'adjustment' | 'sub_total' | 'total_tax' | 'total_amt' | 'round_amt' | 'final_amt', object, 'invoice_date' | 'due_date' | 'order_date', '_cancelled'>

export interface SalesSalesOrdersParams {
  /** Accepted as in the sales report, without effect. */
  method?: 'month' | 'day' | 'week' | 'quarter' | 'year' | undefined
  /** First day of the range, inclusive, `YYYY-MM-DD`. */
  from_date: string
  /** Last day of the range, inclusive, `YYYY-MM-DD`. */
  to_date: string
}

export interface SalesSalesOrdersRecord<D = string> {
  /** Number of the order inside the service. */
  order_id: number
  /** How it was sold, such as `B2B/Retail` or `Online`. */
  order_type: string
  /** Identifier in the sales channel; empty where there is none. */
  channel_id: string
  /** Number of the sales channel; 0 for none. */
  channel: number
  /** The order's number. */
  order_no: string
  /** Order date. */
  order_date: string
  /** Number of the customer's purchase order; empty where there is none. */
  pono: string
  /** Date of the customer's purchase order; empty where there is none. */
  po_date: string | ''
  /** Person who entered the order. */
  created_by: string
  /** Warehouse that the order is dispatched from; empty where there is none. */
  warehouse: string
  /** Expected date of dispatch; empty where there is none. */
  exp_dispatch_date: string | ''
  /** Reference. */
  reference: string | null
  /** Date of the appointment for delivery; empty where there is none. */
  appointment_date: string | ''
  /** Last day on which it may be delivered; empty where there is none. */
  expiry_date: string | ''
  /** Status of the order. */
  order_status: 'CREATED' | 'PARTIAL ISSUED' | 'ISSUED' | 'CLOSED' | 'CANCELLED'
  /** `order_status` as a number from 1 to 5. */
  status_code: number
  /** Amount before tax. */
  taxable_amt: D
  /** Tax. */
  tax_amt: D
  /** Shipping charges. */
  shipping_amt: D
  /** Amount to pay, as the order states it. */
  total_amt: D
  /** A correction of the total. */
  adjustment: {
    /** Reason of the correction. */
    label: string
    /** Amount of the correction; may be negative. */
    amt: D
  }
  /** The customer. */
  customer: {
    /** The customer's name. */
    customer_name: string
    /** The customer's code. */
    customer_code: string
    /** Billing address. */
    billing: {
      /** Name of the buyer. */
      buyer: string
      /** First line of the address. */
      address1: string
      /** Second line of the address. */
      address2: string
      /** City. */
      city: string
      /** State. */
      state: string
      /** Country. */
      country: string
      /** Postal code. */
      pincode: string
      /** Tax registration. */
      gstn: string
      /** Phone number. An empty string for a client that must not see phone numbers and email addresses. */
      phone: string
      /** Email address. An empty string for a client that must not see phone numbers and email addresses. */
      email: string
    }
    /** Delivery address: the order's own, or the customer's. */
    shipping: {
      /** Name of the buyer. */
      buyer: string
      /** First line of the address. */
      address1: string
      /** Second line of the address. */
      address2: string
      /** City. */
      city: string
      /** State. */
      state: string
      /** Country. */
      country: string
      /** Postal code. */
      pincode: string
      /** Tax registration. */
      gstn: string
      /** Phone number. An empty string for a client that must not see phone numbers and email addresses. */
      phone: string
      /** Email address. An empty string for a client that must not see phone numbers and email addresses. */
      email: string
    }
  }
  /** The seller, which is the account. */
  seller: {
    /** Name of the account. */
    name: string
    /** First line of the address. */
    address1: string
    /** Second line of the address. */
    address2: string
    /** City. */
    city: string
    /** State. */
    state: string
    /** Country. */
    country: string
    /** Postal code. */
    pincode: string
    /** Tax registration. */
    gstn: string
    /** Phone number. An empty string for a client that must not see phone numbers and email addresses. */
    phone: string
    /** Email address. An empty string for a client that must not see phone numbers and email addresses. */
    email: string
  }
  /** The ordered lines, in their order. */
  items: {
    /** Type of the item: `FG`, `SFG`, `COMBO`, `MAT` or `SRV`; empty for a line without an item. */
    type: string
    /** The item's code; empty for a line without one. */
    itemcode: string
    /** The item's name. */
    itemname: string
    /** Free text of the line. */
    description: string
    /** The item's tax classification. */
    hsn: string
    /** Ordered quantity. */
    qty: D
    /** Its unit. */
    uom: string
    /** Maximum retail price. */
    mrp: D
    /** Price of one unit before discount and tax. */
    rate: D
    /** Discount in percent. */
    discount_per: D
    /** Discount on the line. */
    discount_amt: D
    /** Price of one unit after discount, before tax. */
    effetive_rate: D
    /** Tax rate in percent. */
    taxrate: D
    /** Amount after discount, before tax. */
    taxable_amt: D
    /** Tax. */
    tax_amt: D
    /** Amount with tax. */
    total_amt: D
    /** Agreed delivery date of the line; empty where there is none. */
    delivery_date: string | ''
    /** Warehouse that the line is dispatched from; empty where there is none. */
    warehouse: string
    /** Quantity that the line states as delivered without stock; null where there is none. */
    delivered_qty: D | null
    /** Unit that the document states; null for the item's stock unit. */
    document_uom: string | null
    /** `qty` as the document states it, in its unit; null if that is the stock unit. */
    document_qty: D | null
    /** `mrp` as the document states it, in its currency and per its unit; null if both are the same. */
    document_mrp: D | null
    /** `rate` as the document states it, in its currency and per its unit; null if both are the same. */
    document_rate: D | null
    /** `discount_amt` as the document states it, in its currency; null if that is the account's. */
    document_discount_amt: D | null
    /** `effective_rate` as the document states it, in its currency and per its unit; null if both are the same. */
    document_effective_rate: D | null
    /** `taxable_amt` as the document states it, in its currency; null if that is the account's. */
    document_taxable_amt: D | null
    /** `tax_amt` as the document states it, in its currency; null if that is the account's. */
    document_tax_amt: D | null
    /** `total_amt` as the document states it, in its currency; null if that is the account's. */
    document_total_amt: D | null
  }[]
  /** Currency of the document. */
  currency: string
  /** Price of one unit of `currency` in the account's currency. All amounts are in the account's currency. */
  exchange_rate: D
  /** `taxable_amt` as the document states it, in its currency; null if that is the account's. */
  document_taxable_amt: D | null
  /** `tax_amt` as the document states it, in its currency; null if that is the account's. */
  document_tax_amt: D | null
  /** `shipping_amt` as the document states it, in its currency; null if that is the account's. */
  document_shipping_amt: D | null
  /** `adjustment_amt` as the document states it, in its currency; null if that is the account's. */
  document_adjustment_amt: D | null
  /** `total_amt` as the document states it, in its currency; null if that is the account's. */
  document_total_amt: D | null
  /** The taxes of the lines; a tax on the whole document is distributed over its lines. */
  taxes: {
    /** Number of the line. */
    line_no: number
    /** Name of the tax. */
    name: string
    /** Rate in percent. */
    rate: D | null
    /** Tax, in the account's currency. */
    amount: D
  }[]
}

export type SalesSalesOrdersKey<D = string> = Required<Pick<SalesSalesOrdersRecord<D>, 'order_date' | 'order_no'>>

export type SalesSalesOrdersTotals<D = string> = PurchasePurchaseOrdersListTotals<D>

export type SalesSalesOrdersFigures<D = string> = Figures<D, 'order_id' | 'channel' | 'status_code' | 'taxable_amt' | 'tax_amt' | 'shipping_amt' | 'total_amt' | 'adjustment.amt' | 'exchange_rate' | 'document_taxable_amt' | 'document_tax_amt' | 'document_shipping_amt' | 'document_adjustment_amt' | 'document_total_amt', 'taxable_amt' | 'tax_amt' | 'shipping_amt' | 'total_amt' | 'adjustment.amt', object, 'order_date' | 'po_date' | 'exp_dispatch_date' | 'appointment_date' | 'expiry_date', '_cancelled'>

export interface SalesCustomersParams {
  /** Only the customer with this code. */
  code?: string | undefined
}

export interface SalesCustomersRecord<D = string> {
  /** The customer's name. */
  name: string
  /** The customer's code, unique. */
  code: string
  /** Contact person at the customer. */
  contact_person: string | null
  /** Billing address. */
  billing: {
    /** Name of the buyer. */
    buyer: string
    /** First line of the address. */
    address1: string
    /** Second line of the address. */
    address2: string
    /** City. */
    city: string
    /** State. */
    state: string
    /** Country. */
    country: string
    /** Postal code. */
    pincode: string
    /** Tax registration. */
    gstn: string
    /** Phone number. An empty string for a client that must not see phone numbers and email addresses. */
    phone: string
    /** Email address. An empty string for a client that must not see phone numbers and email addresses. */
    email: string
  }
  /** Delivery address, for orders without their own. */
  shipping: {
    /** Name of the buyer. */
    buyer: string
    /** First line of the address. */
    address1: string
    /** Second line of the address. */
    address2: string
    /** City. */
    city: string
    /** State. */
    state: string
    /** Country. */
    country: string
    /** Postal code. */
    pincode: string
    /** Tax registration. */
    gstn: string
    /** Phone number. An empty string for a client that must not see phone numbers and email addresses. */
    phone: string
    /** Email address. An empty string for a client that must not see phone numbers and email addresses. */
    email: string
  }
}

export type SalesCustomersKey<D = string> = Required<Pick<SalesCustomersRecord<D>, 'code'>>

export type SalesCustomersTotals<D = string> = Totals

export type SalesCustomersFigures<D = string> = Figures<D, never, never, object, never>

export interface InsightStockAgeingParams {
  /** The day, `YYYY-MM-DD`; its movements are included. Today by default. */
  as_on?: string | undefined
  /** `FG` finished goods and combos, `SFG` semi-finished goods, `RAW` raw materials, `PCK` packing materials, `ALL` every item that is not a service. */
  type?: 'ALL' | 'FG' | 'SFG' | 'RAW' | 'PCK' | undefined
  /** The last day of each band of ages, in days, separated by commas; one more band has everything older. A receipt of the day itself is 0 days old. */
  bands?: string | undefined
  /** Whether a record is an item or a batch of one. */
  by?: 'item' | 'batch' | undefined
}

export interface InsightStockAgeingItemRecord<D = string> {
  /** The item's code. */
  sku: string
  /** The item's name. */
  name: string
  /** Unit of the quantities. */
  unit: string
  /** The item's primary category. */
  primary_category: string
  /** The item's category. */
  category: string
  /** Stock over all warehouses, on hold or not. */
  stock_qty: D
  /** Quantity that left a warehouse for another one and has not arrived. */
  in_transit_qty: D
  /** Value of `stock_qty` without tax, as booked. */
  stock_value: D
  /** Mean age of the stock and of what is in transit, in days; null if there is none. */
  average_age_days: D | null
  /** Day of the oldest receipt of which something is left; null if nothing is. */
  oldest_on: string | null
  /** Day of the last receipt, transfers left out; null if there was none. */
  last_in_on: string | null
  /** Day on which something last left, transfers left out; null if nothing did. */
  last_out_on: string | null
  /** The stock and what is in transit by age, youngest first; all 0 if they are not above 0 together. */
  bands: {
    /** First age of the band, in days. */
    from_days: number
    /** Last age; null in the last band, which has no end. */
    to_days: number | null
    /** Quantity of this age, in the unit of the record. */
    qty: D
    /** Its part of `stock_value`. */
    value: D
  }[]
}

export type InsightStockAgeingItemKey<D = string> = Required<Pick<InsightStockAgeingItemRecord<D>, 'sku'>>

export type InsightStockAgeingItemTotals<D = string> = Totals & Sums<InsightStockAgeingItemRecord<D>, 'stock_value', D> & Quantities<InsightStockAgeingItemRecord<D>, 'stock_qty' | 'in_transit_qty', D>

export type InsightStockAgeingItemFigures<D = string> = Figures<D, 'stock_qty' | 'in_transit_qty' | 'stock_value' | 'average_age_days', 'stock_qty' | 'in_transit_qty' | 'stock_value', { 'stock_qty': 'unit'; 'in_transit_qty': 'unit' }, 'oldest_on' | 'last_in_on' | 'last_out_on'>

export interface InsightStockAgeingBatchRecord<D = string> {
  /** The item's code. */
  sku: string
  /** The item's name. */
  name: string
  /** Unit of the quantities. */
  unit: string
  /** The item's primary category. */
  primary_category: string
  /** The item's category. */
  category: string
  /** Number of the batch; null for stock that is not kept by batch. */
  batch_no: string | null
  /** Date of expiry. */
  expiry_date: string | null
  /** Stock over all warehouses, on hold or not. */
  stock_qty: D
  /** Quantity that left a warehouse for another one and has not arrived. */
  in_transit_qty: D
  /** Value of `stock_qty` without tax, as booked. */
  stock_value: D
  /** Mean age of the stock and of what is in transit, in days; null if there is none. */
  average_age_days: D | null
  /** Day of the oldest receipt of which something is left; null if nothing is. */
  oldest_on: string | null
  /** Day of the last receipt, transfers left out; null if there was none. */
  last_in_on: string | null
  /** Day on which something last left, transfers left out; null if nothing did. */
  last_out_on: string | null
  /** The stock and what is in transit by age, youngest first; all 0 if they are not above 0 together. */
  bands: {
    /** First age of the band, in days. */
    from_days: number
    /** Last age; null in the last band, which has no end. */
    to_days: number | null
    /** Quantity of this age, in the unit of the record. */
    qty: D
    /** Its part of `stock_value`. */
    value: D
  }[]
}

export type InsightStockAgeingBatchKey<D = string> = Required<Pick<InsightStockAgeingBatchRecord<D>, 'sku' | 'batch_no'>>

export type InsightStockAgeingBatchTotals<D = string> = Totals & Sums<InsightStockAgeingBatchRecord<D>, 'stock_value', D> & Quantities<InsightStockAgeingBatchRecord<D>, 'stock_qty' | 'in_transit_qty', D>

export type InsightStockAgeingBatchFigures<D = string> = Figures<D, 'stock_qty' | 'in_transit_qty' | 'stock_value' | 'average_age_days', 'stock_qty' | 'in_transit_qty' | 'stock_value', { 'stock_qty': 'unit'; 'in_transit_qty': 'unit' }, 'expiry_date' | 'oldest_on' | 'last_in_on' | 'last_out_on'>

export interface InsightExpiryParams {
  /** The day, `YYYY-MM-DD`; its movements are included. Today by default. */
  as_on?: string | undefined
  /** Number of days that end with `as_on`, from which the pace is measured. */
  window_days?: number | undefined
  /** Only batches that expire within this number of days, and the expired ones. */
  within_days?: number | undefined
}

export interface InsightExpiryRecord<D = string> {
  /** The item's code. */
  sku: string
  /** The item's name. */
  name: string
  /** Unit of the quantities. */
  unit: string
  /** Number of the batch. */
  batch_no: string
  /** Date of manufacture. */
  mfg_date: string | null
  /** Date of expiry. */
  expiry_date: string
  /** Days from `as_on` to the date of expiry; negative for an expired batch. */
  days_left: number
  /** Stock of the batch over all warehouses, on hold or not. */
  stock_qty: D
  /** Part of it that is on hold. */
  hold_qty: D
  /** Value of `stock_qty` without tax, as booked. */
  stock_value: D
  /** Quantity of the item that is used a day. */
  pace: D
  /** Quantity of the batch that will be used before it expires. */
  used_before_expiry_qty: D
  /** The rest of `stock_qty`. */
  at_risk_qty: D
  /** Its part of `stock_value`, by quantity. */
  at_risk_value: D
  /** `At risk` if any of it is. */
  status: 'Expired' | 'At risk' | 'Safe'
}

export type InsightExpiryKey<D = string> = Required<Pick<InsightExpiryRecord<D>, 'sku' | 'batch_no'>>

export type InsightExpiryTotals<D = string> = Totals & Sums<InsightExpiryRecord<D>, 'stock_value' | 'at_risk_value', D> & Quantities<InsightExpiryRecord<D>, 'stock_qty' | 'hold_qty' | 'used_before_expiry_qty' | 'at_risk_qty', D>

export type InsightExpiryFigures<D = string> = Figures<D, 'days_left' | 'stock_qty' | 'hold_qty' | 'stock_value' | 'pace' | 'used_before_expiry_qty' | 'at_risk_qty' | 'at_risk_value', 'stock_qty' | 'hold_qty' | 'stock_value' | 'used_before_expiry_qty' | 'at_risk_qty' | 'at_risk_value', { 'stock_qty': 'unit'; 'hold_qty': 'unit'; 'pace': 'unit'; 'used_before_expiry_qty': 'unit'; 'at_risk_qty': 'unit' }, 'mfg_date' | 'expiry_date'>

export interface InsightCoverParams {
  /** The day, `YYYY-MM-DD`; its movements are included. Today by default. */
  as_on?: string | undefined
  /** Number of days that end with `as_on`, from which the pace is measured. */
  window_days?: number | undefined
  /** Share of the orders in percent during whose lead time the stock does not run out; also as a number. */
  service_level?: '80' | '85' | '90' | '95' | '97.5' | '98' | '99' | '99.5' | undefined
  /** Lead time in days of the items for which none is known. */
  lead_days?: number | undefined
  /** `FG` finished goods and combos, `SFG` semi-finished goods, `RAW` raw materials, `PCK` packing materials, `ALL` every item that is not a service. */
  type?: 'ALL' | 'FG' | 'SFG' | 'RAW' | 'PCK' | undefined
}

export interface InsightCoverRecord<D = string> {
  /** The item's code. */
  sku: string
  /** The item's name. */
  name: string
  /** Unit of the quantities. */
  unit: string
  /** Type of the item, of a material its kind. */
  type: 'FG' | 'SFG' | 'COMBO' | 'RAW' | 'PCK' | 'CON' | 'TOOL'
  /** Stock over all warehouses, on hold or not. */
  stock_qty: D
  /** Stock that is neither on hold nor expired; may be negative. */
  usable_qty: D
  /** Ordered from vendors and not yet received. */
  on_order_qty: D
  /** Planned by open work orders that start by `as_on`, and not yet brought in. */
  in_production_qty: D
  /** Ordered by customers and not yet issued, and planned as a component of open work orders and not yet consumed. */
  demanded_qty: D
  /** `usable_qty` + `on_order_qty` + `in_production_qty` − `demanded_qty`. */
  projected_qty: D
  /** Quantity that is used a day. */
  pace: D
  /** Standard deviation of the quantity that is used a day. */
  deviation: D
  /** `usable_qty` ÷ `pace`; null without a pace. */
  cover_days: D | null
  /** Day on which `usable_qty` is used up at this pace; null without a pace, or if the year has no four digits. */
  runs_out_on: string | null
  /** Mean days from an order to its receipt; null if they are not known. */
  lead_days: D | null
  /** Standard deviation of these days; null without them. */
  lead_deviation: D | null
  /** `Measured` from receipts, stated by the `Vendor`, or `Given` with the request. */
  lead_source: 'Measured' | 'Vendor' | 'Given' | 'None'
  /** Safety stock; null without a lead time. */
  safety_qty: D | null
  /** Quantity below which to order; null without a lead time. */
  reorder_point: D | null
  /** Quantity to order. */
  order_qty: D
  /** Day by which to order; null without a pace or a lead time, or if the year has no four digits. */
  order_by: string | null
  /** Code of the vendor that asks the lowest price in `item_vendors`, else of the last receipt; null without both. */
  vendor: string | null
  /** `A`, `B` or `C`, by the value that was used; null if nothing was used in a year. */
  abc: string | null
  /** `X`, `Y` or `Z`, from steady to unsteady use; null if nothing was used in 26 weeks. */
  xyz: string | null
}

export type InsightCoverKey<D = string> = Required<Pick<InsightCoverRecord<D>, 'sku'>>

export type InsightCoverTotals<D = string> = Totals & Quantities<InsightCoverRecord<D>, 'stock_qty' | 'usable_qty' | 'on_order_qty' | 'in_production_qty' | 'demanded_qty' | 'projected_qty' | 'safety_qty' | 'order_qty', D>

export type InsightCoverFigures<D = string> = Figures<D, 'stock_qty' | 'usable_qty' | 'on_order_qty' | 'in_production_qty' | 'demanded_qty' | 'projected_qty' | 'pace' | 'deviation' | 'cover_days' | 'lead_days' | 'lead_deviation' | 'safety_qty' | 'reorder_point' | 'order_qty', 'stock_qty' | 'usable_qty' | 'on_order_qty' | 'in_production_qty' | 'demanded_qty' | 'projected_qty' | 'safety_qty' | 'order_qty', { 'stock_qty': 'unit'; 'usable_qty': 'unit'; 'on_order_qty': 'unit'; 'in_production_qty': 'unit'; 'demanded_qty': 'unit'; 'projected_qty': 'unit'; 'pace': 'unit'; 'deviation': 'unit'; 'safety_qty': 'unit'; 'reorder_point': 'unit'; 'order_qty': 'unit' }, 'runs_out_on' | 'order_by'>

export type InsightVendorPerformanceParams = ProductionBatchesParams

export interface InsightVendorPerformanceRecord<D = string> {
  /** The vendor's code. */
  code: string
  /** The vendor's name. */
  name: string
  /** Lines that were promised in the range. */
  lines: number
  /** Lines that are complete. */
  in_full: number
  /** Lines that were complete by the promised day. */
  on_time: number
  /** `on_time` in percent of `lines`. */
  on_time_in_full_percent: D
  /** Mean days after the promised day, over the lines that were completed late; null if none was. */
  days_late: D | null
  /** Amount of everything that the receipts of the lines brought, accepted or not, before tax. */
  received_amt: D
  /** Amount of what was rejected of it. */
  rejected_amt: D
  /** `rejected_amt` in percent of `received_amt`; null if nothing of value was received. */
  rejected_percent: D | null
  /** Mean days from the order to the first accepted receipt of a line; null without a receipt. */
  lead_days: D | null
  /** Accepted quantity times what a unit cost more than at the receipt of the item before it, from any vendor, added up; negative if less. */
  price_variance: D
}

export type InsightVendorPerformanceKey<D = string> = Required<Pick<InsightVendorPerformanceRecord<D>, 'code'>>

export type InsightVendorPerformanceTotals<D = string> = Totals & Sums<InsightVendorPerformanceRecord<D>, 'received_amt' | 'rejected_amt' | 'price_variance', D>

export type InsightVendorPerformanceFigures<D = string> = Figures<D, 'lines' | 'in_full' | 'on_time' | 'on_time_in_full_percent' | 'days_late' | 'received_amt' | 'rejected_amt' | 'rejected_percent' | 'lead_days' | 'price_variance', 'received_amt' | 'rejected_amt' | 'price_variance', object, never>

export type InsightCustomerPerformanceParams = ProductionBatchesParams

export interface InsightCustomerPerformanceRecord<D = string> {
  /** The customer's code; empty for orders without a customer. */
  code: string
  /** The customer's name. */
  name: string
  /** Lines that were promised in the range. */
  lines: number
  /** Lines that are complete. */
  in_full: number
  /** Lines that were complete by the promised day. */
  on_time: number
  /** `on_time` in percent of `lines`. */
  on_time_in_full_percent: D
  /** Mean days after the promised day, over the lines that were completed late; null if none was. */
  days_late: D | null
  /** Amount issued, at most ordered, in percent of the amount ordered before tax; null if that is 0. */
  fill_percent: D | null
  /** Amount returned, unusable goods too, in percent of the amount issued; null if that is 0. */
  returned_percent: D | null
  /** Mean days from the order to the first issue of a line; null without an issue. */
  days_to_dispatch: D | null
}

export type InsightCustomerPerformanceKey<D = string> = Required<Pick<InsightCustomerPerformanceRecord<D>, 'code'>>

export type InsightCustomerPerformanceTotals<D = string> = Totals

export type InsightCustomerPerformanceFigures<D = string> = Figures<D, 'lines' | 'in_full' | 'on_time' | 'on_time_in_full_percent' | 'days_late' | 'fill_percent' | 'returned_percent' | 'days_to_dispatch', never, object, never>

export interface InsightProducibleParams {
  /** The day, `YYYY-MM-DD`; its movements are included. Today by default. */
  as_on?: string | undefined
  /** Only the product with this code. */
  sku?: string | undefined
}

export interface InsightProducibleRecord<D = string> {
  /** The product's code. */
  sku: string
  /** The product's name. */
  name: string
  /** Unit of its quantities. */
  unit: string
  /** The product's own stock, on hold or not. */
  stock_qty: D
  /** Quantity that could be made, rounded down; null if nothing limits it. */
  producible_qty: D | null
  /** The same in whole units. */
  producible_whole: D | null
  /** Code of the bought part that runs out first; the first by code if several do. */
  limited_by: string | null
  /** Its name. */
  limited_by_name: string | null
  /** What is missing of bought parts for one more than `producible_whole`, ordered by code. */
  one_more_needs: {
    /** The part's code. */
    sku: string
    /** The part's name. */
    name: string
    /** Missing quantity, rounded up. */
    qty: D
    /** Its unit. */
    unit: string
  }[]
}

export type InsightProducibleKey<D = string> = Required<Pick<InsightProducibleRecord<D>, 'sku'>>

export type InsightProducibleTotals<D = string> = Totals & Quantities<InsightProducibleRecord<D>, 'stock_qty', D>

export type InsightProducibleFigures<D = string> = Figures<D, 'stock_qty' | 'producible_qty' | 'producible_whole', 'stock_qty', { 'stock_qty': 'unit'; 'producible_qty': 'unit' }, never>

export interface InsightShortageParams {
  /** The day, `YYYY-MM-DD`; its movements are included. Today by default. */
  as_on?: string | undefined
  /** The plan, such as `FG-0001=500, FG-0002=200`: codes with the quantities to have. A code that stands there twice counts twice. If it is left out, the plan is what customers ordered and did not get. */
  plan?: string | undefined
  /** Only purchase orders count that are due by this day; lines without a delivery date do not. All count if it is left out. */
  until?: string | undefined
}

export interface InsightShortageRecord<D = string> {
  /** 0 for an item of the plan, else the number of levels below the plan, on the longest path. */
  level: number
  /** The item's code. */
  sku: string
  /** The item's name. */
  name: string
  /** Unit of the quantities. */
  unit: string
  /** Quantity that the plan needs. */
  needed_qty: D
  /** Usable stock; may be negative. */
  usable_qty: D
  /** Part of `needed_qty` that stock covers. */
  used_from_stock_qty: D
  /** Ordered from vendors and not yet received. */
  on_order_qty: D
  /** Quantity to make. */
  to_make_qty: D
  /** Quantity to buy. */
  to_buy_qty: D
}

export type InsightShortageKey<D = string> = Required<Pick<InsightShortageRecord<D>, 'level' | 'sku'>>

export type InsightShortageTotals<D = string> = Totals & Quantities<InsightShortageRecord<D>, 'needed_qty' | 'used_from_stock_qty' | 'to_make_qty' | 'to_buy_qty', D>

export type InsightShortageFigures<D = string> = Figures<D, 'level' | 'needed_qty' | 'usable_qty' | 'used_from_stock_qty' | 'on_order_qty' | 'to_make_qty' | 'to_buy_qty', 'needed_qty' | 'used_from_stock_qty' | 'to_make_qty' | 'to_buy_qty', { 'needed_qty': 'unit'; 'usable_qty': 'unit'; 'used_from_stock_qty': 'unit'; 'on_order_qty': 'unit'; 'to_make_qty': 'unit'; 'to_buy_qty': 'unit' }, never>

export interface InsightTraceParams {
  /** Number of a batch. */
  batch_no?: string | undefined
  /** Number of a sales order, whose batches are followed. */
  order_no?: string | undefined
  /** Number of an invoice: the batches of the order lines that it invoices are followed. */
  invoice_no?: string | undefined
  /** Number of a goods receipt, whose batches are followed. */
  grn_no?: string | undefined
  /** Start with batches of this item only. Required if batches of several items have the number `batch_no`. */
  sku?: string | undefined
  /** `forward` to customers, `backward` to vendors, or `both`. */
  direction?: 'both' | 'forward' | 'backward' | undefined
  /** `links` between batches, `batches` with their balances, `parties` for a recall list, or `events` for authorities. */
  show?: 'links' | 'batches' | 'parties' | 'events' | undefined
}

export interface InsightTraceLinksRecord<D = string> {
  /** Direction in which the trace followed the batch. */
  direction: 'forward' | 'backward'
  /** Number of links from the start up to and with this one. */
  depth: number
  /** How it moved. */
  link: 'received' | 'consumed' | 'shipped' | 'returned' | 'vendor-returned'
  /** Code of the item that moved; null if it comes from a party. */
  from_sku: string | null
  /** Its batch; null for stock without a batch. */
  from_batch: string | null
  /** Name of the vendor, or of the customer who returned it. */
  from_party: string | null
  /** Number of the goods receipt; of the order for a return, or of its invoice without one. */
  from_document: string | null
  /** Code of the item that was made of it or came in; null if it went to a party, or nobody knows. */
  to_sku: string | null
  /** Its batch; null if there is none. */
  to_batch: string | null
  /** Name of the customer, or of the vendor who got it back. */
  to_party: string | null
  /** Number of the order, or of its invoice without one; of the goods receipt for a return to the vendor. */
  to_document: string | null
  /** Quantity that moved. */
  qty: D
  /** Unit of the item that moved. */
  unit: string
  /** Day of the first movement. */
  first_date: string
  /** Day of the last movement. */
  last_date: string
  /** Number of movements. */
  movements: number
}

export type InsightTraceLinksKey<D = string> = Required<Pick<InsightTraceLinksRecord<D>, 'direction' | 'depth' | 'link' | 'from_sku' | 'from_batch' | 'from_party' | 'from_document' | 'to_sku' | 'to_batch' | 'to_party' | 'to_document'>>

export type InsightTraceLinksTotals<D = string> = Totals & Quantities<InsightTraceLinksRecord<D>, 'qty', D>

export type InsightTraceLinksFigures<D = string> = Figures<D, 'depth' | 'qty' | 'movements', 'qty', { 'qty': 'unit' }, 'first_date' | 'last_date'>

export interface InsightTraceBatchesRecord<D = string> {
  /** `start`, or the direction in which the trace reached the batch. */
  direction: 'start' | 'forward' | 'backward'
  /** Smallest number of links from a start; 0 for a start. */
  depth: number
  /** The item's code. */
  sku: string
  /** The item's name. */
  name: string
  /** Unit of the quantities. */
  unit: string
  /** Number of the batch. */
  batch_no: string
  /** Its number at the vendor. */
  supplier_lot: string | null
  /** Where the batch comes from. */
  source: 'PRODUCED' | 'PROCURED' | 'MANUAL'
  /** Date of manufacture. */
  mfg_date: string | null
  /** Date of expiry. */
  expiry_date: string | null
  /** Quantity of the production record without the wastage; null for a batch that was not produced here. */
  made_qty: D | null
  /** Received from production. */
  produced_qty: D
  /** Received from vendors. */
  purchased_qty: D
  /** Returned by customers into the stock. */
  returned_qty: D
  /** Other receipts. */
  other_in_qty: D
  /** Arrived from other warehouses. */
  transferred_in_qty: D
  /** Consumed in production. */
  consumed_qty: D
  /** Issued to customers. */
  shipped_qty: D
  /** Returned to vendors. */
  vendor_returned_qty: D
  /** Issued without an order: samples, own use. */
  own_use_qty: D
  /** Taken apart. */
  unpacked_qty: D
  /** Trashed, rejected, missing, or moved to bad stock. */
  wasted_qty: D
  /** Left for other warehouses. */
  transferred_out_qty: D
  /** Stock, on hold or not. */
  stock_qty: D
  /** On hold. */
  hold_qty: D
  /** `transferred_out_qty` − `transferred_in_qty`. */
  in_transit_qty: D
  /** `made_qty` − `produced_qty`; 0 if it was not produced here. */
  unexplained_qty: D
  /** `produced_qty` in percent of `made_qty`; 100.00 if nothing was made or it was not produced here. */
  accounted_percent: D
}

export type InsightTraceBatchesKey<D = string> = Required<Pick<InsightTraceBatchesRecord<D>, 'direction' | 'depth' | 'sku' | 'batch_no'>>

export type InsightTraceBatchesTotals<D = string> = Totals & Quantities<InsightTraceBatchesRecord<D>, 'made_qty' | 'produced_qty' | 'purchased_qty' | 'returned_qty' | 'other_in_qty' | 'transferred_in_qty' | 'consumed_qty' | 'shipped_qty' | 'vendor_returned_qty' | 'own_use_qty' | 'unpacked_qty' | 'wasted_qty' | 'transferred_out_qty' | 'stock_qty' | 'hold_qty' | 'in_transit_qty' | 'unexplained_qty', D>

export type InsightTraceBatchesFigures<D = string> = Figures<D, 'depth' | 'made_qty' | 'produced_qty' | 'purchased_qty' | 'returned_qty' | 'other_in_qty' | 'transferred_in_qty' | 'consumed_qty' | 'shipped_qty' | 'vendor_returned_qty' | 'own_use_qty' | 'unpacked_qty' | 'wasted_qty' | 'transferred_out_qty' | 'stock_qty' | 'hold_qty' | 'in_transit_qty' | 'unexplained_qty' | 'accounted_percent', 'made_qty' | 'produced_qty' | 'purchased_qty' | 'returned_qty' | 'other_in_qty' | 'transferred_in_qty' | 'consumed_qty' | 'shipped_qty' | 'vendor_returned_qty' | 'own_use_qty' | 'unpacked_qty' | 'wasted_qty' | 'transferred_out_qty' | 'stock_qty' | 'hold_qty' | 'in_transit_qty' | 'unexplained_qty', { 'made_qty': 'unit'; 'produced_qty': 'unit'; 'purchased_qty': 'unit'; 'returned_qty': 'unit'; 'other_in_qty': 'unit'; 'transferred_in_qty': 'unit'; 'consumed_qty': 'unit'; 'shipped_qty': 'unit'; 'vendor_returned_qty': 'unit'; 'own_use_qty': 'unit'; 'unpacked_qty': 'unit'; 'wasted_qty': 'unit'; 'transferred_out_qty': 'unit'; 'stock_qty': 'unit'; 'hold_qty': 'unit'; 'in_transit_qty': 'unit'; 'unexplained_qty': 'unit' }, 'mfg_date' | 'expiry_date'>

export interface InsightTracePartiesRecord<D = string> {
  /** Customer in the direction forward, vendor in backward. */
  party_kind: 'Customer' | 'Vendor'
  /** Code of the customer or vendor; empty for a walk-in customer, and for a receipt without an order. */
  code: string
  /** Name; empty where there is no code. */
  name: string
  /** Person to call; empty if it is not known. An empty string for a client that must not see phone numbers and email addresses. */
  contact_person: string
  /** Phone number at the shipping address of a customer, else at the billing address. An empty string for a client that must not see phone numbers and email addresses. */
  phone: string
  /** Email address, in the same way. An empty string for a client that must not see phone numbers and email addresses. */
  email: string
  /** A customer's shipping address, or the billing address if there is none; a vendor's address. An empty string for a client that must not see phone numbers and email addresses. */
  address: string
  /** The item's code. */
  sku: string
  /** Number of the batch; null for stock without a batch. */
  batch_no: string | null
  /** Shipped to the customer, or received from the vendor. */
  shipped_qty: D
  /** Returned, usable or not. Unusable goods of an order line count in each of its batches by the part of the line that came back. */
  returned_qty: D
  /** `shipped_qty` − `returned_qty`. */
  net_qty: D
  /** Day of the first shipment or receipt; null if there are only returns. */
  first_date: string | null
  /** Day of the last one. */
  last_date: string | null
  /** Numbers of the orders, or of the invoices of sales without one; of the receipts from a vendor. */
  documents: string[]
  /** Unit of the quantities. */
  unit: string
}

export type InsightTracePartiesKey<D = string> = Required<Pick<InsightTracePartiesRecord<D>, 'party_kind' | 'code' | 'sku' | 'batch_no'>>

export type InsightTracePartiesTotals<D = string> = Totals & Quantities<InsightTracePartiesRecord<D>, 'shipped_qty' | 'returned_qty' | 'net_qty', D>

export type InsightTracePartiesFigures<D = string> = Figures<D, 'shipped_qty' | 'returned_qty' | 'net_qty', 'shipped_qty' | 'returned_qty' | 'net_qty', { 'shipped_qty': 'unit'; 'returned_qty': 'unit'; 'net_qty': 'unit' }, 'first_date' | 'last_date'>

export interface InsightTraceEventsRecord<D = string> {
  /** Kind of the event. */
  event: 'Receiving' | 'Transformation' | 'Shipping'
  /** Number of the batch; null for stock without a batch. */
  lot: string | null
  /** The item's code. */
  item: string
  /** The item's name. */
  description: string
  /** Quantity received, produced or shipped. */
  qty: D
  /** Its unit. */
  unit: string
  /** Day. */
  date: string
  /** The vendor, for Receiving; else the account. */
  from_name: string | null
  /** The vendor's address; else the warehouse, several separated by `; `. */
  from_address: string | null
  /** The customer, for Shipping; else the account. */
  to_name: string | null
  /** The address that the order goes to; else the warehouse, several separated by `; `. */
  to_address: string | null
  /** The vendor of a purchased batch, several separated by `; `, null for those without the group `purchase`; of any other batch the account. */
  lot_source: string | null
  /** `goods receipt`, `sales order`, `invoice`, and for Transformation `work order` or `batch`, the batch record; null for a receipt without a document. */
  document_kind: string | null
  /** Its number. */
  document_no: string | null
  /** Only for Transformation: everything that was consumed for the batch, as `sku lot qty unit`, separated by `; `, in order of code; `-` stands for stock without a batch. */
  input_lots: string | null
}

export type InsightTraceEventsKey<D = string> = Required<Pick<InsightTraceEventsRecord<D>, 'event' | 'lot' | 'item' | 'date' | 'document_kind' | 'document_no'>>

export type InsightTraceEventsTotals<D = string> = Totals & Quantities<InsightTraceEventsRecord<D>, 'qty', D>

export type InsightTraceEventsFigures<D = string> = Figures<D, 'qty', 'qty', { 'qty': 'unit' }, 'date'>

export interface HistoryChangesParams {
  /** Only changes after this version; the version before `to_version` by default. */
  from_version?: number | undefined
  /** Only changes up to this version, inclusive; the present one by default. */
  to_version?: number | undefined
  /** Only rows of this import file. */
  entity?: 'account' | 'warehouses' | 'items' | 'item_units' | 'bom' | 'combos' | 'vendors' | 'item_vendors' | 'customers' | 'purchase_orders' | 'purchase_order_items' | 'approvals' | 'purchase_order_taxes' | 'goods_receipts' | 'goods_receipt_items' | 'goods_receipt_taxes' | 'work_orders' | 'work_order_items' | 'batches' | 'consumption' | 'sales_orders' | 'sales_order_items' | 'sales_order_taxes' | 'returns' | 'invoices' | 'invoice_items' | 'invoice_taxes' | 'stock_movements' | undefined
  /** Only rows with this value in their key: the number of an invoice finds the invoice and its lines, the code of an item everything that has the code in its key. */
  key?: string | undefined
}

export interface HistoryChangesRecord<D = string> {
  /** The version of the data that the load made. */
  version: number
  /** When it was loaded, in the time zone of the account. */
  loaded_at: string | null
  /** Who loaded; null for a change by hand, or when the log of loads no longer has it. */
  actor: string | null
  /** The file or the system that it came from; null likewise. */
  source: string | null
  /** The import file that has the row. */
  entity: 'account' | 'warehouses' | 'items' | 'item_units' | 'bom' | 'combos' | 'vendors' | 'item_vendors' | 'customers' | 'purchase_orders' | 'purchase_order_items' | 'approvals' | 'purchase_order_taxes' | 'goods_receipts' | 'goods_receipt_items' | 'goods_receipt_taxes' | 'work_orders' | 'work_order_items' | 'batches' | 'consumption' | 'sales_orders' | 'sales_order_items' | 'sales_order_taxes' | 'returns' | 'invoices' | 'invoice_items' | 'invoice_taxes' | 'stock_movements'
  /** The key of the row, by the columns of the import file. */
  key: Record<string, string | number>
  /** `new`, `gone` or `changed`. */
  change: 'new' | 'gone' | 'changed'
  /** The fields that differ, each with `before` and `after`, as texts; of a row that is new or gone, all that have a value. */
  fields: Record<string, { before: string | null; after: string | null }>
}

export type HistoryChangesKey<D = string> = Required<Pick<HistoryChangesRecord<D>, 'version' | 'entity' | 'key'>>

export type HistoryChangesTotals<D = string> = Totals

export type HistoryChangesFigures<D = string> = Figures<D, 'version', never, object, 'loaded_at'>

export interface HistoryClosedPeriodsRecord<D = string> {
  /** A month, `2026-10`, or a range of days, `2026-04-01..2026-09-30`. */
  period: string
  /** The version of the data with which the period was closed. */
  version: number
  /** When it was closed, in the time zone of the account. */
  closed_at: string
  /** Who closed it. */
  closed_by: string
  /** Why. */
  reason: string
  /** Value of all stock at the end of the last day, without tax, with which the period was closed. */
  stock_value_then: D
  /** Value of all stock at the end of the last day, without tax, as it is now. */
  stock_value_now: D
  /** `stock_value_now` − `stock_value_then`. */
  stock_value_difference: D
  /** Invoices less credit notes, before tax, without cancelled ones, with which the period was closed. */
  sales_then: D
  /** Invoices less credit notes, before tax, without cancelled ones, as it is now. */
  sales_now: D
  /** `sales_now` − `sales_then`. */
  sales_difference: D
  /** Profit by invoices, without tax, with which the period was closed. */
  margin_then: D
  /** Profit by invoices, without tax, as it is now. */
  margin_now: D
  /** `margin_now` − `margin_then`. */
  margin_difference: D
  /** Accepted receipts, before tax, with which the period was closed. */
  purchases_then: D
  /** Accepted receipts, before tax, as it is now. */
  purchases_now: D
  /** `purchases_now` − `purchases_then`. */
  purchases_difference: D
}

export type HistoryClosedPeriodsKey<D = string> = Required<Pick<HistoryClosedPeriodsRecord<D>, 'period'>>

export type HistoryClosedPeriodsTotals<D = string> = Totals & Sums<HistoryClosedPeriodsRecord<D>, 'sales_then' | 'sales_now' | 'sales_difference' | 'margin_then' | 'margin_now' | 'margin_difference' | 'purchases_then' | 'purchases_now' | 'purchases_difference', D>

export type HistoryClosedPeriodsFigures<D = string> = Figures<D, 'version' | 'stock_value_then' | 'stock_value_now' | 'stock_value_difference' | 'sales_then' | 'sales_now' | 'sales_difference' | 'margin_then' | 'margin_now' | 'margin_difference' | 'purchases_then' | 'purchases_now' | 'purchases_difference', 'sales_then' | 'sales_now' | 'sales_difference' | 'margin_then' | 'margin_now' | 'margin_difference' | 'purchases_then' | 'purchases_now' | 'purchases_difference', object, 'closed_at'>

export interface PartnerInvetorySnapshotParams {
  /** The day of the snapshot; its movements are included. */
  date: string
}

export interface PartnerInvetorySnapshotRecord<D = string> {
  /** The product's primary category. */
  primary_category: string
  /** The product's category. */
  product_category: string
  /** The product's name. */
  product_name: string
  /** The product's code. */
  product_sku: string
  /** Number of the batch; may be empty. */
  batch_no: string
  /** The day of the snapshot. */
  inventory_date: string
  /** Date of expiry. */
  expiry_date: string | null
  /** Date of manufacture; `NA` if it is not known. */
  mfg_date: string | 'NA'
  /** Total quantity that came in up to the day. */
  Receipt_qty: D
  /** Total quantity that went out up to the day. */
  Debit_qty: D
  /** `Receipt_qty` − `Debit_qty`. */
  Available_qty: D
  /** Origin of the batch; `N/A` without a batch. */
  rec_source: 'Produced' | 'Procured' | 'Manually' | 'N/A'
  /** Unit of the quantities. */
  unit: string
}

export type PartnerInvetorySnapshotKey<D = string> = Required<Pick<PartnerInvetorySnapshotRecord<D>, 'product_sku' | 'batch_no'>>

export type PartnerInvetorySnapshotTotals<D = string> = Totals & Quantities<PartnerInvetorySnapshotRecord<D>, 'Receipt_qty' | 'Debit_qty' | 'Available_qty', D>

export type PartnerInvetorySnapshotFigures<D = string> = Figures<D, 'Receipt_qty' | 'Debit_qty' | 'Available_qty', 'Receipt_qty' | 'Debit_qty' | 'Available_qty', { 'Receipt_qty': 'unit'; 'Debit_qty': 'unit'; 'Available_qty': 'unit' }, 'inventory_date' | 'expiry_date' | 'mfg_date'>

export type PartnerPendingDeliveriesParams = ProductionBatchesParams

export interface PartnerPendingDeliveriesRecord<D = string> {
  /** The purchase order's number. */
  po_no: string
  /** Its date. */
  po_date: string
  /** Whether anything of the order has been received. */
  PO_Status: 'Raised' | 'Partial Received'
  /** The item's code. */
  item_code: string
  /** The item's name. */
  product_name: string
  /** Quantity still to be delivered. */
  pending_qty: D
  /** Its unit. */
  uom: string
  /** The vendor's name. */
  seller_name: string
  /** City, state and pincode of the vendor. */
  seller_location: string
  /** City, state and pincode of the warehouse. */
  buyer_shipping_location: string
  /** Agreed delivery date of the line, or of the order if the line has none; empty if neither has one. */
  delivery_date: string | ''
  /** Days from today to the delivery date; negative if the delivery is overdue, empty without a date. */
  days_no: D | ''
  /** The vendor's code. */
  vendor_code: string
  /** Number of the line in its purchase order. Only in `changesSince`. */
  _line_no?: number
}

export type PartnerPendingDeliveriesKey<D = string> = Required<Pick<PartnerPendingDeliveriesRecord<D>, 'po_date' | 'po_no' | '_line_no'>>

export type PartnerPendingDeliveriesTotals<D = string> = Totals & Quantities<PartnerPendingDeliveriesRecord<D>, 'pending_qty', D>

export type PartnerPendingDeliveriesFigures<D = string> = Figures<D, 'pending_qty' | 'days_no', 'pending_qty', { 'pending_qty': 'uom' }, 'po_date' | 'delivery_date'>

export interface PartnerMaterialMasterParams {
  /** Which items. */
  item_type: 'MAT' | 'FG' | 'SFG'
  /** Largest number of records; as a number or as a string. */
  limit?: number | undefined
}

export interface PartnerMaterialMasterRecord<D = string> {
  /** Name. */
  product_name: string
  /** Code. */
  product_sku: string
  /** Product category. */
  product_category: string
  /** Primary category. */
  primary_category: string
  /** Type of the item. */
  Item_Type: 'Finished Good' | 'Semi Finished Good' | 'Physical Combo' | 'Material'
  /** Whole units that the stock of its components would make. */
  maxProducibleQuantity: D
  /** Quantity in stock, on hold or not; null if the item never moved. */
  inStockQuantity: D | null
  /** Unit of the quantities. */
  uom: string
  /** Quantity below which to reorder. */
  reorder_level: D
}

export type PartnerMaterialMasterKey<D = string> = Required<Pick<PartnerMaterialMasterRecord<D>, 'product_sku'>>

export type PartnerMaterialMasterTotals<D = string> = Totals & Quantities<PartnerMaterialMasterRecord<D>, 'inStockQuantity', D>

export type PartnerMaterialMasterFigures<D = string> = Figures<D, 'maxProducibleQuantity' | 'inStockQuantity' | 'reorder_level', 'inStockQuantity', { 'inStockQuantity': 'uom'; 'reorder_level': 'uom' }, never>

export interface PartnerFgBomParams {
  /** The day of the bills; today by default. */
  date?: string | undefined
}

export interface PartnerFgBomRecord<D = string> {
  /** The product's name. */
  product_name: string
  /** The product's code. */
  product_sku: string
  /** The product's unit. */
  product_uom: string
  /** Direct components of the product, ordered by code. */
  materials: {
    /** The component's name. */
    material_name: string
    /** The component's code. */
    material_code: string
    /** Quantity of the component in one unit of the product. */
    req_qty: D
    /** The component's unit. */
    material_uom: string
  }[]
  /** By-products of the product, ordered by code. */
  by_products: {
    /** The by-product's name. */
    material_name: string
    /** The by-product's code. */
    material_code: string
    /** Quantity of the by-product that comes out with one unit of the product. */
    qty: D
    /** The by-product's unit. */
    material_uom: string
  }[]
}

export type PartnerFgBomKey<D = string> = Required<Pick<PartnerFgBomRecord<D>, 'product_sku'>>

export type PartnerFgBomTotals<D = string> = Totals

export type PartnerFgBomFigures<D = string> = Figures<D, never, never, object, never>

export interface PartnerFgItemMasterRecord<D = string> {
  /** Name. */
  product_name: string
  /** Code. */
  product_sku: string
  /** Product category. */
  product_category: string
  /** Primary category. */
  primary_category: string
  /** Type of the item. */
  Item_Type: 'Finished Good' | 'Physical Combo'
  /** How the account obtains the item, such as `Manufactured`. */
  business_nature: string
  /** Tax classification. */
  hsn: string
  /** Unit. */
  uom: string
  /** Maximum retail price. */
  mrp: D
  /** Tax rate in percent. */
  tax_rate: D
  /** Quantity below which to reorder. */
  reorder_level: D
}

export type PartnerFgItemMasterKey<D = string> = Required<Pick<PartnerFgItemMasterRecord<D>, 'product_sku'>>

export type PartnerFgItemMasterTotals<D = string> = Totals

export type PartnerFgItemMasterFigures<D = string> = Figures<D, 'mrp' | 'tax_rate' | 'reorder_level', never, { 'reorder_level': 'uom' }, never>

export type PartnerSalesOrderStatusParams = ProductionBatchesParams

export type PartnerSalesOrderStatusRecord<D = string> = SalesOrderStatusRecord<D>

export type PartnerSalesOrderStatusKey<D = string> = Required<Pick<PartnerSalesOrderStatusRecord<D>, 'order_date' | 'SO_order_id' | '_line_no'>>

export type PartnerSalesOrderStatusTotals<D = string> = Totals & Sums<PartnerSalesOrderStatusRecord<D>, 'Order_value' | 'gst' | 'total_amount', D> & Quantities<PartnerSalesOrderStatusRecord<D>, 'Order_qty' | 'issued_qty' | 'Remaining_qty' | 'return_qty' | 'usable_qty' | 'unusable_qty', D>

export type PartnerSalesOrderStatusFigures<D = string> = Figures<D, 'Order_qty' | 'rate' | 'Order_value' | 'gst' | 'total_amount' | 'issued_qty' | 'Remaining_qty' | 'return_qty' | 'usable_qty' | 'unusable_qty', 'Order_qty' | 'Order_value' | 'gst' | 'total_amount' | 'issued_qty' | 'Remaining_qty' | 'return_qty' | 'usable_qty' | 'unusable_qty', { 'Order_qty': 'UoM'; 'issued_qty': 'UoM'; 'Remaining_qty': 'UoM'; 'return_qty': 'UoM'; 'usable_qty': 'UoM'; 'unusable_qty': 'UoM' }, 'order_date' | 'po_date' | 'last_issue_date' | 'Return_date' | 'invoice_date'>

/** The reports by group; `D` is the type of decimals. */
export interface Reports<D = string> {
  readonly masters: {
    /** Warehouses */
    warehouseList(): Query<MastersWarehouseListRecord<D>, MastersWarehouseListKey<D>, MastersWarehouseListTotals<D>, FieldName<MastersWarehouseListRecord>, MastersWarehouseListFigures<D>>
    /** Active finished goods, combos and semi-finished goods */
    finishedGoods(): Query<MastersFinishedGoodsRecord<D>, MastersFinishedGoodsKey<D>, MastersFinishedGoodsTotals<D>, FieldName<MastersFinishedGoodsRecord>, MastersFinishedGoodsFigures<D>>
    /** Active materials, services and semi-finished goods */
    material(): Query<MastersMaterialRecord<D>, MastersMaterialKey<D>, MastersMaterialTotals<D>, FieldName<MastersMaterialRecord>, MastersMaterialFigures<D>>
    /** All items, active or not, with their prices and reorder levels */
    items(params?: MastersItemsParams): Query<MastersItemsRecord<D>, MastersItemsKey<D>, MastersItemsTotals<D>, FieldName<MastersItemsRecord>, MastersItemsFigures<D>>
  }
  readonly purchase: {
    /** Purchase orders with lines and approvals */
    purchaseOrdersList(params?: PurchasePurchaseOrdersListParams): Query<PurchasePurchaseOrdersListRecord<D>, PurchasePurchaseOrdersListKey<D>, PurchasePurchaseOrdersListTotals<D>, FieldName<PurchasePurchaseOrdersListRecord>, PurchasePurchaseOrdersListFigures<D>>
    /** Lines, receipts and returns of a purchase order */
    orderStory(params: PurchaseOrderStoryParams): Query<PurchaseOrderStoryRecord<D>, PurchaseOrderStoryKey<D>, PurchaseOrderStoryTotals<D>, FieldName<PurchaseOrderStoryRecord>, PurchaseOrderStoryFigures<D>>
    /** Vendors with their addresses, contacts and times to pay */
    vendors(params?: PurchaseVendorsParams): Query<PurchaseVendorsRecord<D>, PurchaseVendorsKey<D>, PurchaseVendorsTotals<D>, FieldName<PurchaseVendorsRecord>, PurchaseVendorsFigures<D>>
  }
  readonly grn: {
    /** Goods receipts with their lines */
    list(params: GrnListParams): Query<GrnListRecord<D>, GrnListKey<D>, GrnListTotals<D>, FieldName<GrnListRecord>, GrnListFigures<D>>
  }
  readonly inventory: {
    /** Stock of finished and semi-finished goods: opening, movements, closing and value */
    fgStockStatus(params: InventoryFgStockStatusParams): Query<InventoryFgStockStatusRecord<D>, InventoryFgStockStatusKey<D>, InventoryFgStockStatusTotals<D>, FieldName<InventoryFgStockStatusRecord>, InventoryFgStockStatusFigures<D>>
    /** Stock of one kind of materials: opening, movements, closing and value */
    matStockStatus(params: InventoryMatStockStatusParams): Query<InventoryMatStockStatusRecord<D>, InventoryMatStockStatusKey<D>, InventoryMatStockStatusTotals<D>, FieldName<InventoryMatStockStatusRecord>, InventoryMatStockStatusFigures<D>>
    /** Value of the stock at the end of each month */
    stockValue(params: InventoryStockValueParams): Query<InventoryStockValueRecord<D>, InventoryStockValueKey<D>, InventoryStockValueTotals<D>, FieldName<InventoryStockValueRecord>, InventoryStockValueFigures<D>>
    /** Stock of every item in each warehouse at the end of a day */
    itemStock(params: InventoryItemStockParams): Query<InventoryItemStockRecord<D>, InventoryItemStockKey<D>, InventoryItemStockTotals<D>, FieldName<InventoryItemStockRecord>, InventoryItemStockFigures<D>>
    /** Every batch, made, bought or entered, with its dates and its stock */
    batches(params: InventoryBatchesParams): Query<InventoryBatchesRecord<D>, InventoryBatchesKey<D>, InventoryBatchesTotals<D>, FieldName<InventoryBatchesRecord>, InventoryBatchesFigures<D>>
    /** The stock movements behind a figure */
    movements(params: InventoryMovementsParams): Query<InventoryMovementsRecord<D>, InventoryMovementsKey<D>, InventoryMovementsTotals<D>, FieldName<InventoryMovementsRecord>, InventoryMovementsFigures<D>>
  }
  readonly production: {
    /** Produced batches with their cost and quality check */
    batches(params: ProductionBatchesParams): Query<ProductionBatchesRecord<D>, ProductionBatchesKey<D>, ProductionBatchesTotals<D>, FieldName<ProductionBatchesRecord>, ProductionBatchesFigures<D>>
    /** Materials and other costs of produced batches */
    materialConsumption(params: ProductionMaterialConsumptionParams & { version: 'DETAILED' }): Query<ProductionMaterialConsumptionDetailedRecord<D>, ProductionMaterialConsumptionDetailedKey<D>, ProductionMaterialConsumptionDetailedTotals<D>, FieldName<ProductionMaterialConsumptionDetailedRecord>, ProductionMaterialConsumptionDetailedFigures<D>>
    /** Materials and other costs of produced batches */
    materialConsumption(params: ProductionMaterialConsumptionParams & { version: 'SUMMARY' }): Query<ProductionMaterialConsumptionSummaryRecord<D>, ProductionMaterialConsumptionSummaryKey<D>, ProductionMaterialConsumptionSummaryTotals<D>, FieldName<ProductionMaterialConsumptionSummaryRecord>, ProductionMaterialConsumptionSummaryFigures<D>>
    /** Materials and other costs of produced batches */
    materialConsumption(params: ProductionMaterialConsumptionParams): Query<ProductionMaterialConsumptionDetailedRecord<D>, ProductionMaterialConsumptionDetailedKey<D>, ProductionMaterialConsumptionDetailedTotals<D>, FieldName<ProductionMaterialConsumptionDetailedRecord>, ProductionMaterialConsumptionDetailedFigures<D>> | Query<ProductionMaterialConsumptionSummaryRecord<D>, ProductionMaterialConsumptionSummaryKey<D>, ProductionMaterialConsumptionSummaryTotals<D>, FieldName<ProductionMaterialConsumptionSummaryRecord>, ProductionMaterialConsumptionSummaryFigures<D>>
    /** Where a batch came from and where it went */
    batchStory(params: ProductionBatchStoryParams): Query<ProductionBatchStoryRecord<D>, ProductionBatchStoryKey<D>, ProductionBatchStoryTotals<D>, FieldName<ProductionBatchStoryRecord>, ProductionBatchStoryFigures<D>>
    /** Planned, open and closed work orders with their work in progress */
    workOrders(params?: ProductionWorkOrdersParams): Query<ProductionWorkOrdersRecord<D>, ProductionWorkOrdersKey<D>, ProductionWorkOrdersTotals<D>, FieldName<ProductionWorkOrdersRecord>, ProductionWorkOrdersFigures<D>>
    /** The components, by-products and combo parts of every product, and where each is used */
    bills(params?: ProductionBillsParams): Query<ProductionBillsRecord<D>, ProductionBillsKey<D>, ProductionBillsTotals<D>, FieldName<ProductionBillsRecord>, ProductionBillsFigures<D>>
  }
  readonly sales: {
    /** Quantities dispatched for sales orders, with batches */
    orderDispatch(params: SalesOrderDispatchParams): Query<SalesOrderDispatchRecord<D>, SalesOrderDispatchKey<D>, SalesOrderDispatchTotals<D>, FieldName<SalesOrderDispatchRecord>, SalesOrderDispatchFigures<D>>
    /** Ordered, issued and remaining of each order line */
    orderStatus(params: SalesOrderStatusParams): Query<SalesOrderStatusRecord<D>, SalesOrderStatusKey<D>, SalesOrderStatusTotals<D>, FieldName<SalesOrderStatusRecord>, SalesOrderStatusFigures<D>>
    /** Lines, dispatches, invoices and returns of a sales order */
    orderStory(params: SalesOrderStoryParams): Query<SalesOrderStoryRecord<D>, SalesOrderStoryKey<D>, SalesOrderStoryTotals<D>, FieldName<SalesOrderStoryRecord>, SalesOrderStoryFigures<D>>
    /** Turnover, cost and gross margin per product */
    grossMargin(params: SalesGrossMarginParams & { type: 'CUSTOMER' }): Query<SalesGrossMarginCustomerRecord<D>, SalesGrossMarginCustomerKey<D>, SalesGrossMarginCustomerTotals<D>, FieldName<SalesGrossMarginCustomerRecord>, SalesGrossMarginCustomerFigures<D>>
    /** Turnover, cost and gross margin per product */
    grossMargin(params: SalesGrossMarginParams & { type: 'CONSOLIDATED' }): Query<SalesGrossMarginConsolidatedRecord<D>, SalesGrossMarginConsolidatedKey<D>, SalesGrossMarginConsolidatedTotals<D>, FieldName<SalesGrossMarginConsolidatedRecord>, SalesGrossMarginConsolidatedFigures<D>>
    /** Turnover, cost and gross margin per product */
    grossMargin(params: SalesGrossMarginParams): Query<SalesGrossMarginCustomerRecord<D>, SalesGrossMarginCustomerKey<D>, SalesGrossMarginCustomerTotals<D>, FieldName<SalesGrossMarginCustomerRecord>, SalesGrossMarginCustomerFigures<D>> | Query<SalesGrossMarginConsolidatedRecord<D>, SalesGrossMarginConsolidatedKey<D>, SalesGrossMarginConsolidatedTotals<D>, FieldName<SalesGrossMarginConsolidatedRecord>, SalesGrossMarginConsolidatedFigures<D>>
    /** Sales, returns, cost and profit of each day */
    marginByDay(params: SalesMarginByDayParams): Query<SalesMarginByDayRecord<D>, SalesMarginByDayKey<D>, SalesMarginByDayTotals<D>, FieldName<SalesMarginByDayRecord>, SalesMarginByDayFigures<D>>
    /** Quantities that open orders still need */
    demandStatus(params: SalesDemandStatusParams & { type: 'CUSTOMER' }): Query<SalesDemandStatusCustomerRecord<D>, SalesDemandStatusCustomerKey<D>, SalesDemandStatusCustomerTotals<D>, FieldName<SalesDemandStatusCustomerRecord>, SalesDemandStatusCustomerFigures<D>>
    /** Quantities that open orders still need */
    demandStatus(params: SalesDemandStatusParams & { type: 'CONSOLIDATED' }): Query<SalesDemandStatusConsolidatedRecord<D>, SalesDemandStatusConsolidatedKey<D>, SalesDemandStatusConsolidatedTotals<D>, FieldName<SalesDemandStatusConsolidatedRecord>, SalesDemandStatusConsolidatedFigures<D>>
    /** Quantities that open orders still need */
    demandStatus(params: SalesDemandStatusParams): Query<SalesDemandStatusCustomerRecord<D>, SalesDemandStatusCustomerKey<D>, SalesDemandStatusCustomerTotals<D>, FieldName<SalesDemandStatusCustomerRecord>, SalesDemandStatusCustomerFigures<D>> | Query<SalesDemandStatusConsolidatedRecord<D>, SalesDemandStatusConsolidatedKey<D>, SalesDemandStatusConsolidatedTotals<D>, FieldName<SalesDemandStatusConsolidatedRecord>, SalesDemandStatusConsolidatedFigures<D>>
    /** Sales per order and product, labelled by period */
    sales(params: SalesSalesParams): Query<SalesSalesRecord<D>, SalesSalesKey<D>, SalesSalesTotals<D>, FieldName<SalesSalesRecord>, SalesSalesFigures<D>>
    /** Sales invoices with their lines */
    invoices(params: SalesInvoicesParams): Query<SalesInvoicesRecord<D>, SalesInvoicesKey<D>, SalesInvoicesTotals<D>, FieldName<SalesInvoicesRecord>, SalesInvoicesFigures<D>>
    /** Sales orders with their lines */
    salesOrders(params: SalesSalesOrdersParams): Query<SalesSalesOrdersRecord<D>, SalesSalesOrdersKey<D>, SalesSalesOrdersTotals<D>, FieldName<SalesSalesOrdersRecord>, SalesSalesOrdersFigures<D>>
    /** Customers with their addresses and contacts */
    customers(params?: SalesCustomersParams): Query<SalesCustomersRecord<D>, SalesCustomersKey<D>, SalesCustomersTotals<D>, FieldName<SalesCustomersRecord>, SalesCustomersFigures<D>>
  }
  readonly insight: {
    /** How long the stock of each item or batch has been there */
    stockAgeing(params?: InsightStockAgeingParams & { by?: 'item' | undefined }): Query<InsightStockAgeingItemRecord<D>, InsightStockAgeingItemKey<D>, InsightStockAgeingItemTotals<D>, FieldName<InsightStockAgeingItemRecord>, InsightStockAgeingItemFigures<D>>
    /** How long the stock of each item or batch has been there */
    stockAgeing(params: InsightStockAgeingParams & { by: 'batch' }): Query<InsightStockAgeingBatchRecord<D>, InsightStockAgeingBatchKey<D>, InsightStockAgeingBatchTotals<D>, FieldName<InsightStockAgeingBatchRecord>, InsightStockAgeingBatchFigures<D>>
    /** How long the stock of each item or batch has been there */
    stockAgeing(params: InsightStockAgeingParams): Query<InsightStockAgeingItemRecord<D>, InsightStockAgeingItemKey<D>, InsightStockAgeingItemTotals<D>, FieldName<InsightStockAgeingItemRecord>, InsightStockAgeingItemFigures<D>> | Query<InsightStockAgeingBatchRecord<D>, InsightStockAgeingBatchKey<D>, InsightStockAgeingBatchTotals<D>, FieldName<InsightStockAgeingBatchRecord>, InsightStockAgeingBatchFigures<D>>
    /** What of each batch will be used before it expires, and what is at risk */
    expiry(params?: InsightExpiryParams): Query<InsightExpiryRecord<D>, InsightExpiryKey<D>, InsightExpiryTotals<D>, FieldName<InsightExpiryRecord>, InsightExpiryFigures<D>>
    /** How long the stock lasts, and what to order when and how much */
    cover(params?: InsightCoverParams): Query<InsightCoverRecord<D>, InsightCoverKey<D>, InsightCoverTotals<D>, FieldName<InsightCoverRecord>, InsightCoverFigures<D>>
    /** Whether vendors deliver in full and on time, and how their prices move */
    vendorPerformance(params: InsightVendorPerformanceParams): Query<InsightVendorPerformanceRecord<D>, InsightVendorPerformanceKey<D>, InsightVendorPerformanceTotals<D>, FieldName<InsightVendorPerformanceRecord>, InsightVendorPerformanceFigures<D>>
    /** Whether the orders of customers are dispatched in full and on time */
    customerPerformance(params: InsightCustomerPerformanceParams): Query<InsightCustomerPerformanceRecord<D>, InsightCustomerPerformanceKey<D>, InsightCustomerPerformanceTotals<D>, FieldName<InsightCustomerPerformanceRecord>, InsightCustomerPerformanceFigures<D>>
    /** How much of each product the stock would make, and what is missing for one more */
    producible(params?: InsightProducibleParams): Query<InsightProducibleRecord<D>, InsightProducibleKey<D>, InsightProducibleTotals<D>, FieldName<InsightProducibleRecord>, InsightProducibleFigures<D>>
    /** What a plan needs at every level, and what to make and to buy for it */
    shortage(params?: InsightShortageParams): Query<InsightShortageRecord<D>, InsightShortageKey<D>, InsightShortageTotals<D>, FieldName<InsightShortageRecord>, InsightShortageFigures<D>>
    /** Where batches came from and where they went, through all levels */
    trace(params?: InsightTraceParams & { show?: 'links' | undefined }): Query<InsightTraceLinksRecord<D>, InsightTraceLinksKey<D>, InsightTraceLinksTotals<D>, FieldName<InsightTraceLinksRecord>, InsightTraceLinksFigures<D>>
    /** Where batches came from and where they went, through all levels */
    trace(params: InsightTraceParams & { show: 'batches' }): Query<InsightTraceBatchesRecord<D>, InsightTraceBatchesKey<D>, InsightTraceBatchesTotals<D>, FieldName<InsightTraceBatchesRecord>, InsightTraceBatchesFigures<D>>
    /** Where batches came from and where they went, through all levels */
    trace(params: InsightTraceParams & { show: 'parties' }): Query<InsightTracePartiesRecord<D>, InsightTracePartiesKey<D>, InsightTracePartiesTotals<D>, FieldName<InsightTracePartiesRecord>, InsightTracePartiesFigures<D>>
    /** Where batches came from and where they went, through all levels */
    trace(params: InsightTraceParams & { show: 'events' }): Query<InsightTraceEventsRecord<D>, InsightTraceEventsKey<D>, InsightTraceEventsTotals<D>, FieldName<InsightTraceEventsRecord>, InsightTraceEventsFigures<D>>
    /** Where batches came from and where they went, through all levels */
    trace(params: InsightTraceParams): Query<InsightTraceLinksRecord<D>, InsightTraceLinksKey<D>, InsightTraceLinksTotals<D>, FieldName<InsightTraceLinksRecord>, InsightTraceLinksFigures<D>> | Query<InsightTraceBatchesRecord<D>, InsightTraceBatchesKey<D>, InsightTraceBatchesTotals<D>, FieldName<InsightTraceBatchesRecord>, InsightTraceBatchesFigures<D>> | Query<InsightTracePartiesRecord<D>, InsightTracePartiesKey<D>, InsightTracePartiesTotals<D>, FieldName<InsightTracePartiesRecord>, InsightTracePartiesFigures<D>> | Query<InsightTraceEventsRecord<D>, InsightTraceEventsKey<D>, InsightTraceEventsTotals<D>, FieldName<InsightTraceEventsRecord>, InsightTraceEventsFigures<D>>
  }
  readonly history: {
    /** What loads changed, row by row */
    changes(params?: HistoryChangesParams): Query<HistoryChangesRecord<D>, HistoryChangesKey<D>, HistoryChangesTotals<D>, FieldName<HistoryChangesRecord>, HistoryChangesFigures<D>>
    /** The figures with which periods were closed, and what they are now */
    closedPeriods(): Query<HistoryClosedPeriodsRecord<D>, HistoryClosedPeriodsKey<D>, HistoryClosedPeriodsTotals<D>, FieldName<HistoryClosedPeriodsRecord>, HistoryClosedPeriodsFigures<D>>
  }
  readonly partner: {
    /** Available stock of finished goods per batch at the end of a day */
    invetorySnapshot(params: PartnerInvetorySnapshotParams): Query<PartnerInvetorySnapshotRecord<D>, PartnerInvetorySnapshotKey<D>, PartnerInvetorySnapshotTotals<D>, FieldName<PartnerInvetorySnapshotRecord>, PartnerInvetorySnapshotFigures<D>>
    /** Lines of purchase orders that are still to be delivered */
    pendingDeliveries(params: PartnerPendingDeliveriesParams): Query<PartnerPendingDeliveriesRecord<D>, PartnerPendingDeliveriesKey<D>, PartnerPendingDeliveriesTotals<D>, FieldName<PartnerPendingDeliveriesRecord>, PartnerPendingDeliveriesFigures<D>>
    /** Stock and producible quantity of every item */
    materialMaster(params: PartnerMaterialMasterParams): Query<PartnerMaterialMasterRecord<D>, PartnerMaterialMasterKey<D>, PartnerMaterialMasterTotals<D>, FieldName<PartnerMaterialMasterRecord>, PartnerMaterialMasterFigures<D>>
    /** Bills of materials of active finished goods */
    fgBom(params?: PartnerFgBomParams): Query<PartnerFgBomRecord<D>, PartnerFgBomKey<D>, PartnerFgBomTotals<D>, FieldName<PartnerFgBomRecord>, PartnerFgBomFigures<D>>
    /** Active finished goods and combos */
    fgItemMaster(): Query<PartnerFgItemMasterRecord<D>, PartnerFgItemMasterKey<D>, PartnerFgItemMasterTotals<D>, FieldName<PartnerFgItemMasterRecord>, PartnerFgItemMasterFigures<D>>
    /** Ordered, issued and remaining of each order line */
    salesOrderStatus(params: PartnerSalesOrderStatusParams): Query<PartnerSalesOrderStatusRecord<D>, PartnerSalesOrderStatusKey<D>, PartnerSalesOrderStatusTotals<D>, FieldName<PartnerSalesOrderStatusRecord>, PartnerSalesOrderStatusFigures<D>>
  }
}

export const reports: Readonly<Record<string, Readonly<Record<string, ReportInfo>>>> = {
  masters: {
    warehouseList: { id: 'masters.warehouse-list', method: 'GET', path: '/v1/warehouse/warehouse-list', decimals: [] },
    finishedGoods: { id: 'masters.finished-goods', method: 'POST', path: '/v1/inventory/finished-goods', decimals: [] },
    material: { id: 'masters.material', method: 'POST', path: '/v1/inventory/material', decimals: [] },
    items: { id: 'masters.items', method: 'POST', path: '/v1/masters/items', decimals: ['mrp', 'tax_rate', 'reorder_level'] },
  },
  purchase: {
    purchaseOrdersList: { id: 'purchase.purchase-orders-list', method: 'GET', path: '/v1/purchase-orders/list', decimals: ['taxable_amt', 'tax_amt', 'shipping_amt', 'total_amt', 'adjustment.amt', 'items.qty', 'items.rate', 'items.taxrate', 'items.taxable_amt', 'items.tax_amt', 'items.total_amt', 'items.document_qty', 'items.document_rate', 'items.document_taxable_amt', 'items.document_tax_amt', 'items.document_total_amt', 'approval.workflow.limit', 'exchange_rate', 'document_taxable_amt', 'document_tax_amt', 'document_shipping_amt', 'document_adjustment_amt', 'document_total_amt', 'taxes.rate', 'taxes.amount'] },
    orderStory: { id: 'purchase.order-story', method: 'POST', path: '/v1/purchase/order-story', decimals: ['qty', 'pending_qty', 'received_qty', 'rejected_qty', 'amount', 'total_amount', '_by_unit.qty', '_by_unit.pending_qty', '_by_unit.received_qty', '_by_unit.rejected_qty'] },
    vendors: { id: 'purchase.vendors', method: 'POST', path: '/v1/purchase/vendors', decimals: [] },
  },
  grn: {
    list: { id: 'grn.list', method: 'POST', path: '/v1/grn/list', decimals: ['taxable_amt', 'tax_amt', 'total_amt', 'items.ordered_qty', 'items.received_qty', 'items.accepted_qty', 'items.rejected_qty', 'items.rate', 'items.taxable_amt', 'items.tax_amt', 'items.total_amt', 'items.document_received_qty', 'items.document_accepted_qty', 'items.document_rejected_qty', 'items.document_rate', 'items.document_taxable_amt', 'items.document_tax_amt', 'items.document_total_amt', 'exchange_rate', 'document_taxable_amt', 'document_tax_amt', 'document_total_amt', 'taxes.rate', 'taxes.amount'] },
  },
  inventory: {
    fgStockStatus: { id: 'inventory.fg-stock-status', method: 'POST', path: '/v1/inventory/fg-stock-status', decimals: ['Opening_qty', 'Qty_Value', 'Receipts_qty', 'Receipts_PRD_qty', 'Receipts_PUR_qty', 'Receipts_TRF_qty', 'Receipts_OTH_qty', 'Returned_qty', 'Issued_qty', 'Trashed_qty', 'MovetoBad_qty', 'Transfered_qty', 'UnPacked_qty', 'ThatPeriod_CrValue', 'ThatPeriod_DrValue', 'Hold_qty', 'ThatPeriod_HoldValue', 'Closing_active_qty', 'Closing_active_value', 'Closing_qty', 'final_value', 'final_TrfChrg', '_by_unit.Opening_qty', '_by_unit.Receipts_qty', '_by_unit.Receipts_PRD_qty', '_by_unit.Receipts_PUR_qty', '_by_unit.Receipts_TRF_qty', '_by_unit.Receipts_OTH_qty', '_by_unit.Returned_qty', '_by_unit.Issued_qty', '_by_unit.Trashed_qty', '_by_unit.MovetoBad_qty', '_by_unit.Transfered_qty', '_by_unit.UnPacked_qty', '_by_unit.Hold_qty', '_by_unit.Closing_active_qty', '_by_unit.Closing_qty'] },
    matStockStatus: { id: 'inventory.mat-stock-status', method: 'POST', path: '/v1/inventory/mat-stock-status', decimals: ['Opening_qty', 'Opening_val', 'Opening_val_tax', 'Receipts_qty', 'Receipts_val', 'Receipts_val_tax', 'Consumption_qty', 'Consumption_val', 'Consumption_val_tax', 'Reject_qty', 'Reject_val', 'Reject_val_tax', 'Shortage_qty', 'Shortage_val', 'Shortage_val_tax', 'Transfer_qty', 'Transfer_val', 'Transfer_val_tax', 'MovetoBad_qty', 'MovetoBad_val', 'MovetoBad_val_tax', 'Trashed_qty', 'Trashed_val', 'Trashed_val_tax', 'Hold_qty', 'Hold_val', 'Hold_val_tax', 'Active_qty', 'Active_val', 'Active_val_tax', 'Closing_qty', 'Closing_val', 'Closing_val_tax', '_by_unit.Opening_qty', '_by_unit.Receipts_qty', '_by_unit.Consumption_qty', '_by_unit.Reject_qty', '_by_unit.Shortage_qty', '_by_unit.Transfer_qty', '_by_unit.MovetoBad_qty', '_by_unit.Trashed_qty', '_by_unit.Hold_qty', '_by_unit.Active_qty', '_by_unit.Closing_qty'] },
    stockValue: { id: 'inventory.stock-value', method: 'POST', path: '/v1/inventory/stock-value', decimals: ['total_value', 'finished_value', 'semi_finished_value', 'material_value', 'raw_value', 'packing_value', 'consumable_value', 'tool_value'] },
    itemStock: { id: 'inventory.item-stock', method: 'POST', path: '/v1/inventory/item-stock', decimals: ['stock_qty', 'hold_qty', 'available_qty', 'stock_value', 'hold_value', '_by_unit.stock_qty', '_by_unit.hold_qty', '_by_unit.available_qty'] },
    batches: { id: 'inventory.batches', method: 'POST', path: '/v1/inventory/batches', decimals: ['received_qty', 'issued_qty', 'stock_qty', '_by_unit.received_qty', '_by_unit.issued_qty', '_by_unit.stock_qty'] },
    movements: { id: 'inventory.movements', method: 'POST', path: '/v1/inventory/movements', decimals: ['qty', 'value', '_by_unit.qty'] },
  },
  production: {
    batches: { id: 'production.batches', method: 'POST', path: '/v1/production/batches', decimals: ['batch_qty', 'wastage', 'actual_qty', 'batch_cost_incTax', 'unit_cost_incTax', 'batch_cost_extax', 'unit_cost_extax', 'qty_pass', 'qty_failed', 'prod_id', 'OthCost_Inctax', '_by_unit.batch_qty', '_by_unit.wastage', '_by_unit.actual_qty', '_by_unit.qty_pass', '_by_unit.qty_failed'] },
    materialConsumption: { id: 'production.material-consumption', method: 'POST', path: '/v1/production/material-consumption', decimals: ['batch_qty', 'damaged_wastage', 'total_prd_qty', 'item_qty', 'item_Val', 'wastage_item_qty', 'wastage_item_Val', 'Item_qty_bom', 'item_qty_short', 'item_qty_rej', 'item_qty_ret', 'Total_consumption', 'Item_Val_bom', 'item_Val_short', 'item_Val_rej', 'item_Val_ret', 'Total_consumption_Val', '_by_unit.item_qty', '_by_unit.wastage_item_qty', '_by_unit.Item_qty_bom', '_by_unit.item_qty_short', '_by_unit.item_qty_rej', '_by_unit.item_qty_ret', '_by_unit.Total_consumption', 'batches'] },
    batchStory: { id: 'production.batch-story', method: 'POST', path: '/v1/production/batch-story', decimals: ['qty', '_by_unit.qty'] },
    workOrders: { id: 'production.work-orders', method: 'POST', path: '/v1/production/work-orders', decimals: ['planned_qty', 'produced_qty', 'open_qty', 'consumed_val', 'produced_val', 'wip_val', 'variance_val', 'items.planned_qty', 'items.moved_qty', '_by_unit.planned_qty', '_by_unit.produced_qty', '_by_unit.open_qty'] },
    bills: { id: 'production.bills', method: 'POST', path: '/v1/production/bills', decimals: ['qty'] },
  },
  sales: {
    orderDispatch: { id: 'sales.order-dispatch', method: 'POST', path: '/v1/sales/order-dispatch', decimals: ['order_qty', 'required_qty', 'dispatched_qty', '_by_unit.required_qty', '_by_unit.dispatched_qty'] },
    orderStatus: { id: 'sales.order-status', method: 'POST', path: '/v1/sales/order-status', decimals: ['Order_qty', 'rate', 'Order_value', 'gst', 'total_amount', 'issued_qty', 'Remaining_qty', 'return_qty', 'usable_qty', 'unusable_qty', '_by_unit.Order_qty', '_by_unit.issued_qty', '_by_unit.Remaining_qty', '_by_unit.return_qty', '_by_unit.usable_qty', '_by_unit.unusable_qty'] },
    orderStory: { id: 'sales.order-story', method: 'POST', path: '/v1/sales/order-story', decimals: ['qty', 'remaining_qty', 'usable_qty', 'amount', 'total_amount', '_by_unit.qty', '_by_unit.remaining_qty', '_by_unit.usable_qty'] },
    grossMargin: { id: 'sales.gross-margin', method: 'POST', path: '/v1/sales/gross-margin', decimals: ['MRP', 'per_unit_cogs', 'Total_sale_qty', 'total_sale', 'return_qty', 'return_amt', 'Total_cost_cogs', 'profit', 'profit_per', 'undelivered_qty', 'undelivered_amt', 'delivered_profit', 'delivered_profit_per', '_by_unit.Total_sale_qty', '_by_unit.return_qty', '_by_unit.undelivered_qty'] },
    marginByDay: { id: 'sales.margin-by-day', method: 'POST', path: '/v1/sales/margin-by-day', decimals: ['total_sale', 'return_amt', 'Total_cost_cogs', 'profit', 'profit_per', 'undelivered_amt', 'delivered_profit', 'delivered_profit_per'] },
    demandStatus: { id: 'sales.demand-status', method: 'POST', path: '/v1/sales/demand-status', decimals: ['req_qty', 'Issued_Qty', 'Remaining_qty', '_by_unit.req_qty', '_by_unit.Issued_Qty', '_by_unit.Remaining_qty', 'available_qty', 'short_qty', '_by_unit.available_qty', '_by_unit.short_qty'] },
    sales: { id: 'sales.sales', method: 'POST', path: '/v1/sales', decimals: ['total_sales', 'total_amount'] },
    invoices: { id: 'sales.invoices', method: 'POST', path: '/v1/sales/invoices', decimals: ['shipping', 'adjustment', 'sub_total', 'total_tax', 'total_amt', 'round_amt', 'final_amt', 'items.qty', 'items.rate', 'items.taxable_value', 'items.igst_rate', 'items.igst_amt', 'items.sgst_rate', 'items.sgst_amt', 'items.cgst_rate', 'items.cgst_amt', 'items.total_value', 'items.document_qty', 'items.document_rate', 'items.document_taxable_value', 'items.document_total_value', 'exchange_rate', 'document_shipping', 'document_adjustment', 'document_sub_total', 'document_total_tax', 'document_total_amt', 'document_round_amt', 'document_final_amt', 'taxes.rate', 'taxes.amount'] },
    salesOrders: { id: 'sales.sales-orders', method: 'GET', path: '/v1/sales-orders', decimals: ['taxable_amt', 'tax_amt', 'shipping_amt', 'total_amt', 'adjustment.amt', 'items.qty', 'items.mrp', 'items.rate', 'items.discount_per', 'items.discount_amt', 'items.effetive_rate', 'items.taxrate', 'items.taxable_amt', 'items.tax_amt', 'items.total_amt', 'items.delivered_qty', 'items.document_qty', 'items.document_mrp', 'items.document_rate', 'items.document_discount_amt', 'items.document_effective_rate', 'items.document_taxable_amt', 'items.document_tax_amt', 'items.document_total_amt', 'exchange_rate', 'document_taxable_amt', 'document_tax_amt', 'document_shipping_amt', 'document_adjustment_amt', 'document_total_amt', 'taxes.rate', 'taxes.amount'] },
    customers: { id: 'sales.customers', method: 'POST', path: '/v1/sales/customers', decimals: [] },
  },
  insight: {
    stockAgeing: { id: 'insight.stock-ageing', method: 'POST', path: '/v1/insight/stock-ageing', decimals: ['stock_qty', 'in_transit_qty', 'stock_value', 'average_age_days', 'bands.qty', 'bands.value', '_by_unit.stock_qty', '_by_unit.in_transit_qty'] },
    expiry: { id: 'insight.expiry', method: 'POST', path: '/v1/insight/expiry', decimals: ['stock_qty', 'hold_qty', 'stock_value', 'pace', 'used_before_expiry_qty', 'at_risk_qty', 'at_risk_value', '_by_unit.stock_qty', '_by_unit.hold_qty', '_by_unit.used_before_expiry_qty', '_by_unit.at_risk_qty'] },
    cover: { id: 'insight.cover', method: 'POST', path: '/v1/insight/cover', decimals: ['stock_qty', 'usable_qty', 'on_order_qty', 'in_production_qty', 'demanded_qty', 'projected_qty', 'pace', 'deviation', 'cover_days', 'lead_days', 'lead_deviation', 'safety_qty', 'reorder_point', 'order_qty', '_by_unit.stock_qty', '_by_unit.usable_qty', '_by_unit.on_order_qty', '_by_unit.in_production_qty', '_by_unit.demanded_qty', '_by_unit.projected_qty', '_by_unit.safety_qty', '_by_unit.order_qty'] },
    vendorPerformance: { id: 'insight.vendor-performance', method: 'POST', path: '/v1/insight/vendor-performance', decimals: ['on_time_in_full_percent', 'days_late', 'received_amt', 'rejected_amt', 'rejected_percent', 'lead_days', 'price_variance'] },
    customerPerformance: { id: 'insight.customer-performance', method: 'POST', path: '/v1/insight/customer-performance', decimals: ['on_time_in_full_percent', 'days_late', 'fill_percent', 'returned_percent', 'days_to_dispatch'] },
    producible: { id: 'insight.producible', method: 'POST', path: '/v1/insight/producible', decimals: ['stock_qty', 'producible_qty', 'producible_whole', 'one_more_needs.qty', '_by_unit.stock_qty'] },
    shortage: { id: 'insight.shortage', method: 'POST', path: '/v1/insight/shortage', decimals: ['needed_qty', 'usable_qty', 'used_from_stock_qty', 'on_order_qty', 'to_make_qty', 'to_buy_qty', '_by_unit.needed_qty', '_by_unit.used_from_stock_qty', '_by_unit.to_make_qty', '_by_unit.to_buy_qty'] },
    trace: { id: 'insight.trace', method: 'POST', path: '/v1/insight/trace', decimals: ['qty', '_by_unit.qty', 'made_qty', 'produced_qty', 'purchased_qty', 'returned_qty', 'other_in_qty', 'transferred_in_qty', 'consumed_qty', 'shipped_qty', 'vendor_returned_qty', 'own_use_qty', 'unpacked_qty', 'wasted_qty', 'transferred_out_qty', 'stock_qty', 'hold_qty', 'in_transit_qty', 'unexplained_qty', 'accounted_percent', '_by_unit.made_qty', '_by_unit.produced_qty', '_by_unit.purchased_qty', '_by_unit.returned_qty', '_by_unit.other_in_qty', '_by_unit.transferred_in_qty', '_by_unit.consumed_qty', '_by_unit.shipped_qty', '_by_unit.vendor_returned_qty', '_by_unit.own_use_qty', '_by_unit.unpacked_qty', '_by_unit.wasted_qty', '_by_unit.transferred_out_qty', '_by_unit.stock_qty', '_by_unit.hold_qty', '_by_unit.in_transit_qty', '_by_unit.unexplained_qty', 'net_qty', '_by_unit.net_qty'] },
  },
  history: {
    changes: { id: 'history.changes', method: 'POST', path: '/v1/history/changes', decimals: [] },
    closedPeriods: { id: 'history.closed-periods', method: 'POST', path: '/v1/history/closed-periods', decimals: ['stock_value_then', 'stock_value_now', 'stock_value_difference', 'sales_then', 'sales_now', 'sales_difference', 'margin_then', 'margin_now', 'margin_difference', 'purchases_then', 'purchases_now', 'purchases_difference'] },
  },
  partner: {
    invetorySnapshot: { id: 'partner.invetory-snapshot', method: 'POST', path: '/v1/partner/invetory-snapshot', decimals: ['Receipt_qty', 'Debit_qty', 'Available_qty', '_by_unit.Receipt_qty', '_by_unit.Debit_qty', '_by_unit.Available_qty'] },
    pendingDeliveries: { id: 'partner.pending-deliveries', method: 'POST', path: '/v1/partner/pending-deliveries', decimals: ['pending_qty', 'days_no', '_by_unit.pending_qty'] },
    materialMaster: { id: 'partner.material-master', method: 'POST', path: '/v1/partner/material-master', decimals: ['maxProducibleQuantity', 'inStockQuantity', 'reorder_level', '_by_unit.inStockQuantity'] },
    fgBom: { id: 'partner.fg-bom', method: 'POST', path: '/v1/partner/fg-bom', decimals: ['materials.req_qty', 'by_products.qty'] },
    fgItemMaster: { id: 'partner.fg-item-master', method: 'POST', path: '/v1/partner/fg-item-master', decimals: ['mrp', 'tax_rate', 'reorder_level'] },
    salesOrderStatus: { id: 'partner.sales-order-status', method: 'POST', path: '/v1/partner/sales-order-status', decimals: ['Order_qty', 'rate', 'Order_value', 'gst', 'total_amount', 'issued_qty', 'Remaining_qty', 'return_qty', 'usable_qty', 'unusable_qty', '_by_unit.Order_qty', '_by_unit.issued_qty', '_by_unit.Remaining_qty', '_by_unit.return_qty', '_by_unit.usable_qty', '_by_unit.unusable_qty'] },
  },
}
