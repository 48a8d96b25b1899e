/** Purchase orders with their parties, lines and approvals. */
import type { Company, PurchaseOrder } from '../setup/company.js'
import { books, currencyOf, itemOf, statedOf, taxesOf, taxRateOf } from './books.js'
import { fixed, price } from './decimal.js'
import { byText } from './order.js'
import { codes, purchaseStatus } from './purchase-status.js'

interface Params {
  status?: string
  from_date?: string
  to_date?: string
  vendor_code?: string
}

const amount = (text: string, digits = 2) => fixed(text, digits)

export function purchaseOrdersList(company: Company, { status, from_date, to_date, vendor_code }: Params) {
  return company.purchase_order
    .filter((po) => !from_date || po.po_date >= from_date)
    .filter((po) => !to_date || po.po_date <= to_date)
    .filter((po) => !vendor_code || po.vendor_code === vendor_code)
    .filter((po) => !status || purchaseStatus(company, po) === status)
    .sort((a, b) => byText(a.po_date, b.po_date) || byText(a.po_no, b.po_no))
    .map((po) => record(company, po))
}

function record(company: Company, po: PurchaseOrder) {
  const of = books(company)
  const vendor = of.vendor.of(po.vendor_code)
  const warehouse = po.warehouse_id === null ? undefined : of.warehouse.of(po.warehouse_id)
  const approvals = of.approvals.of(po.po_no).toSorted((a, b) => a.step - b.step)
  const approval_status = !po.approval_required
    ? 'Not Required'
    : approvals.some((a) => a.status === 'Rejected')
      ? 'Rejected'
      : approvals.length > 0 && approvals.every((a) => a.status === 'Approved')
        ? 'Approved'
        : 'Under Approval'
  const { time_zone: _, currency: __, year_begins: ___, name: buyer, ...billing } = company.account
  return {
    poid: po.poid,
    pono: po.po_no,
    podate: po.po_date,
    delivery: po.delivery_date ?? '',
    reference: po.reference,
    shipment_reference: po.shipment_reference,
    po_status: purchaseStatus(company, po),
    approval_status,
    status_code: codes[purchaseStatus(company, po)],
    taxable_amt: amount(po.taxable_amt),
    tax_amt: amount(po.tax_amt),
    shipping_amt: amount(po.shipping_amt),
    total_amt: amount(po.total_amt),
    adjustment: { label: po.adjustment_label, amt: amount(po.adjustment_amt) },
    billing: { buyer, ...billing },
    shipping: {
      buyer,
      address1: warehouse?.address ?? '',
      address2: warehouse?.address2 ?? '',
      city: warehouse?.city ?? '',
      state: warehouse?.state ?? '',
      country: warehouse?.country ?? '',
      pincode: warehouse?.pincode ?? '',
      gstn: warehouse?.gstn ?? '',
      phone: warehouse?.phone ?? '',
      email: warehouse?.email ?? '',
    },
    vendor: {
      vendor: vendor.name,
      vendor_code: vendor.code,
      credit_period: `${vendor.credit_days} Days`,
      address1: vendor.address1,
      address2: vendor.address2,
      city: vendor.city,
      state: vendor.state,
      country: vendor.country,
      pincode: vendor.pincode,
      gstn: vendor.gstn,
      phone: vendor.phone,
      email: vendor.email,
    },
    items: of.purchaseLines
      .of(po.po_no)
      .toSorted((a, b) => a.line_no - b.line_no)
      .map((line) => {
        const item = itemOf(company, line.item_id, '')
        return {
          type: item.type,
          itemcode: item.sku,
          itemname: item.name,
          description: line.description,
          hsn: item.hsn,
          qty: amount(line.qty, 4),
          uom: item.unit,
          rate: price(line.rate, 4),
          taxrate: taxRateOf(line),
          taxable_amt: amount(line.taxable_amt),
          tax_amt: amount(line.tax_amt),
          total_amt: amount(line.total_amt),
          delivery: line.delivery_date ?? '',
          document_uom: line.unit ?? null,
          ...statedOf(line, { qty: 4, rate: 6, taxable_amt: 2, tax_amt: 2, total_amt: 2 }),
        }
      }),
    approval: {
      required: String(po.approval_required),
      workflow: {
        limit: amount(po.approval_limit),
        groups: approvals.map(({ group_name, status, approver, action_at, approvers }) => ({
          group_name,
          status,
          approver,
          action_at: action_at && clock12(action_at),
          approvers,
        })),
      },
    },
    ...currencyOf(company, po),
    ...statedOf(po, { taxable_amt: 2, tax_amt: 2, shipping_amt: 2, adjustment_amt: 2, total_amt: 2 }),
    taxes: taxesOf(of.purchaseLines.of(po.po_no)),
  }
}

/** `2026-04-01 14:05:09` as `2026-04-01 02:05:09PM`. */
function clock12(at: string): string {
  const [day = '', time = ''] = at.split(/[ T]/)
  const [h = '', ...rest] = time.split(':')
  const hour = Number(h)
  return `${day} ${String(hour % 12 || 12).padStart(2, '0')}:${rest.join(':')}${hour < 12 ? 'AM' : 'PM'}`
}
