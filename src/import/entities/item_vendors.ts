import { Code, Integer, ItemCode, Optional, Price, Quantity } from '../columns.js'
import { businessData, defineEntity } from '../entity.js'

export default defineEntity({
  name: 'item_vendors',
  table: 'item_vendor',
  about: 'One row per item and vendor that sells it, with its terms.',
  order: 65,
  key: ['sku', 'vendor_code'],
  columns: {
    sku: ItemCode('item_id', 'Code of the item.'),
    vendor_code: Code('Code of the vendor.', { example: 'V001' }),
    lead_days: Optional(Integer(0, 'Days from the order to the receipt.', { example: '14' })),
    min_qty: Optional(Quantity('Least quantity of an order, in the stock unit.', { example: '100' })),
    multiple: Optional(
      Quantity('An order is for a whole number of this quantity, in the stock unit.', {
        smallest: 'above zero',
        example: '25',
      }),
    ),
    price: Optional(Price('Price of one stock unit before tax, in the currency of the account.')),
  },
  references: [{ columns: ['vendor_code'], table: 'vendor', to: ['code'], entity: 'vendors' }],
  grants: businessData,
})
