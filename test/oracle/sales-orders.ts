/** Sales orders with their parties and lines, cancelled ones too. */
import type { Company, SalesOrder } from '../setup/company.js'
import { books, currencyOf, customerOf, placeOf, statedOf, taxesOf, taxRateOf } from './books.js'
import { fixed, parse, price } from './decimal.js'
import { issuedQty, linesOf, ordersIn, type Range, shippingOf } from './order-lines.js'

const codes = { CREATED: 1, 'PARTIAL ISSUED': 2, ISSUED: 3, CLOSED: 4, CANCELLED: 5 }

export function salesOrders(company: Company, range: Range) {
  const of = books(company)
  const { time_zone: _, currency: __, year_begins: ___, ...seller } = company.account
  return ordersIn(company, range).map((order) => {
    const customer = customerOf(company, order.customer_code)
    const status = statusOf(company, order)
    return {
      order_id: order.order_id,
      order_type: order.order_type,
      channel_id: order.channel_id ?? '',
      channel: order.channel,
      order_no: order.order_no,
      order_date: order.order_date,
      pono: order.po_no ?? '',
      po_date: order.po_date ?? '',
      created_by: order.created_by,
      warehouse: placeOf(company, order.warehouse_id).location,
      exp_dispatch_date: order.exp_dispatch_date ?? '',
      reference: order.reference,
      appointment_date: order.appointment_date ?? '',
      expiry_date: order.expiry_date ?? '',
      order_status: status,
      status_code: codes[status],
      taxable_amt: fixed(order.taxable_amt, 2),
      tax_amt: fixed(order.tax_amt, 2),
      shipping_amt: fixed(order.shipping_amt, 2),
      total_amt: fixed(order.total_amt, 2),
      adjustment: { label: order.adjustment_label, amt: fixed(order.adjustment_amt, 2) },
      customer: {
        customer_name: customer.name,
        customer_code: customer.code,
        billing: {
          buyer: customer.billing_buyer,
          address1: customer.billing_address1,
          address2: customer.billing_address2,
          city: customer.billing_city,
          state: customer.billing_state,
          country: customer.billing_country,
          pincode: customer.billing_pincode,
          gstn: customer.billing_gstn,
          phone: customer.billing_phone,
          email: customer.billing_email,
        },
        shipping: shippingOf(order, customer),
      },
      seller,
      items: linesOf(company, order).map(({ line, item, warehouse }) => ({
        type: item.type,
        itemcode: item.sku,
        itemname: line.item_id === null ? '' : item.name,
        description: line.description,
        hsn: item.hsn,
        qty: fixed(line.qty, 4),
        uom: item.unit,
        mrp: price(line.mrp, 2),
        rate: price(line.rate, 4),
        discount_per: fixed(line.discount_per, 4),
        discount_amt: fixed(line.discount_amt, 2),
        effetive_rate: price(line.effective_rate, 4),
        taxrate: taxRateOf(line),
        taxable_amt: fixed(line.taxable_amt, 2),
        tax_amt: fixed(line.tax_amt, 2),
        total_amt: fixed(line.total_amt, 2),
        delivery_date: line.delivery_date ?? '',
        warehouse: warehouse.location,
        delivered_qty: line.delivered_qty == null ? null : fixed(line.delivered_qty, 4),
        document_uom: line.unit ?? null,
        ...statedOf(line, {
          ...{ qty: 4, mrp: 6, rate: 6, discount_amt: 2, effective_rate: 6, taxable_amt: 2, tax_amt: 2, total_amt: 2 },
        }),
      })),
      ...currencyOf(company, order),
      ...statedOf(order, { taxable_amt: 2, tax_amt: 2, shipping_amt: 2, adjustment_amt: 2, total_amt: 2 }),
      taxes: taxesOf(of.salesLines.of(order.order_no)),
    }
  })
}

function statusOf(company: Company, order: SalesOrder): keyof typeof codes {
  if (order.state !== 'OPEN') return order.state
  const lines = books(company)
    .salesLines.of(order.order_no)
    .filter((line) => line.item_id !== null)
  if (lines.every((line) => issuedQty(company, line) === 0n)) return 'CREATED'
  return lines.every((line) => issuedQty(company, line) >= parse(line.qty, 4)) ? 'ISSUED' : 'PARTIAL ISSUED'
}
