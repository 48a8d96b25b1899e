/** Words for entities and columns of an import. */
import { labelOf } from '../../labels.js'
import { entities } from './store.js'

/** Entities in words that their name does not give. */
const ENTITIES: Readonly<Record<string, string>> = {
  bom: 'Bills of material',
  account: 'The account',
  item_units: 'Units of items',
  item_vendors: 'Vendors of items',
  sales_order_items: 'Lines of sales orders',
  sales_order_taxes: 'Taxes of sales orders',
  purchase_order_items: 'Lines of purchase orders',
  purchase_order_taxes: 'Taxes of purchase orders',
  goods_receipt_items: 'Lines of goods receipts',
  goods_receipt_taxes: 'Taxes of goods receipts',
  invoice_items: 'Lines of invoices',
  invoice_taxes: 'Taxes of invoices',
  work_order_items: 'Lines of work orders',
  approvals: 'Approvals of purchase orders',
}

export const entityWords = (entity: string): string => ENTITIES[entity] ?? labelOf(entity)

/** Columns whose name alone does not tell people what they are. */
const COLUMNS: Readonly<Record<string, string>> = {
  sku: 'Item',
  for_sku: 'Produced item',
  qty: 'Quantity',
  val: 'Value without tax',
  val_tax: 'Value with tax',
  taxable_amt: 'Amount before tax',
  tax_amt: 'Tax',
  total_amt: 'Amount with tax',
  line_no: 'Line number',
}

const OWN_CODE: Readonly<Record<string, string>> = {
  'items sku': 'Code of the item',
  'items name': 'Name of the item',
  'customers code': 'Code of the customer',
  'customers name': 'Name of the customer',
  'vendors code': 'Code of the vendor',
  'vendors name': 'Name of the vendor',
}

export const columnWords = (entity: string, column: string): string =>
  OWN_CODE[`${entity} ${column}`] ?? COLUMNS[column] ?? labelOf(column)

export const aboutColumn = (entity: string, column: string) =>
  entities.value.get(entity)?.columns.find(({ name }) => name === column)

/** Columns that a person must decide about: without a value in every row the load is refused. */
export const requiredOf = (entity: string): string[] =>
  entities.value.get(entity)?.columns.flatMap(({ name, required }) => (required ? name : [])) ?? []
