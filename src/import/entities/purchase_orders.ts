import { Amount, Code, Day, Decimal, Optional, Text, WarehouseName, Word, YesNo } from '../columns.js'
import { currencyColumns, currencyRules, documentConversion, rateOfCurrency } from '../document-columns.js'
import { businessData, defineEntity } from '../entity.js'
import { ORDER_PARTS, partsAddUp } from '../totals.js'

export default defineEntity({
  name: 'purchase_orders',
  table: 'purchase_order',
  about: 'One row per purchase order. How much of it was received follows from the goods receipts.',
  order: 80,
  document: true,
  key: ['po_no'],
  columns: {
    po_no: Code('Number of the order, unique.', { example: 'PO-0001' }),
    po_date: Day('Date of the order.'),
    delivery_date: Optional(Day('Agreed delivery date.')),
    reference: Optional(Text("The buyer's reference.")),
    shipment_reference: Optional(Text('Reference of the shipment.')),
    vendor_code: Code('Code of the vendor.', { example: 'V001' }),
    warehouse: Optional(WarehouseName('Where the goods are to be delivered.')),
    state: Optional(Word(['OPEN', 'CLOSED', 'CANCELLED'], 'State that people set.'), 'OPEN'),
    approval_required: Optional(YesNo('Whether it needs an approval.'), 'false'),
    approval_limit: Optional(
      Decimal(20, 2, "Amount above which an approval is needed, in the account's currency."),
      '0',
    ),
    taxable_amt: Amount('Amount before tax.', { smallest: 'any' }),
    tax_amt: Amount('Tax.', { smallest: 'any' }),
    shipping_amt: Optional(Amount('Shipping charges.'), '0'),
    adjustment_label: Optional(Text('Reason for the adjustment.'), ''),
    adjustment_amt: Optional(Amount('Adjustment of the total.', { smallest: 'any' }), '0'),
    total_amt: Amount('Amount to pay.', { smallest: 'any' }),
    ...currencyColumns,
  },
  rules: currencyRules,
  references: [{ columns: ['vendor_code'], table: 'vendor', to: ['code'], entity: 'vendors' }],
  contradictions: [rateOfCurrency('purchase order', 'purchase_order', 'po_no')],
  doubts: [partsAddUp('purchase_orders', 'purchase_order', 'po_no', 'total_amt', ORDER_PARTS)],
  conversion: documentConversion('purchase_orders', 'purchase_order', 'po_no'),
  grants: { ...businessData, sequences: ['purchase_order_id'] },
})
