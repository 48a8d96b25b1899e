import type { Company, PurchaseOrder } from '../setup/company.js'
import { format, parse, sum } from './decimal.js'
import { byText } from './order.js'

interface Params {
  status?: string
  from_date?: string
  to_date?: string
  vendor_code?: string
}

const amount = (text: string, digits = 2) => format(parse(text, digits), digits)
const statuses = { CREATED: 1, 'PARTIAL RECEIVED': 2, RECEIVED: 3, CLOSED: 4, CANCELLED: 5 }

export function purchaseOrdersList(company: Company, { status, from_date, to_date, vendor_code }: Params) {
  return company.purchase_order
    .filter((po) => !from_date || po.po_date >= from_date)
    .filter((po) => !to_date || po.po_date <= to_date)
    .filter((po) => !vendor_code || po.vendor_code === vendor_code)
    .filter((po) => !status || statusOf(company, po) === status)
    .sort((a, b) => byText(a.po_date, b.po_date) || byText(a.po_no, b.po_no))
    .map((po) => record(company, po))
}

function statusOf(company: Company, po: PurchaseOrder): keyof typeof statuses {
  if (po.state !== 'OPEN') return po.state
  const lines = company.purchase_order_line
    .filter((line) => line.po_no === po.po_no)
    .map((line) => ({
      ordered: parse(line.qty, 4),
      received: sum(
        company.goods_receipt_line
          .filter((r) => r.po_no === po.po_no && r.po_line_no === line.line_no)
          .map((r) => parse(r.accepted_qty, 4)),
      ),
    }))
  if (lines.every((line) => line.received === 0n)) return 'CREATED'
  return lines.every((line) => line.received >= line.ordered) ? 'RECEIVED' : 'PARTIAL RECEIVED'
}

function record(company: Company, po: PurchaseOrder) {
  const vendor = company.vendor.find((v) => v.code === po.vendor_code)
  const warehouse = company.warehouse.find((w) => w.id === po.warehouse_id)
  if (vendor === undefined || warehouse === undefined) throw new Error('a reference leads nowhere')
  const approvals = company.purchase_order_approval.filter((a) => a.po_no === po.po_no).sort((a, b) => a.step - b.step)
  const approval_status = !po.approval_required
    ? 'Not Required'
    : approvals.some((a) => a.status === 'Rejected')
      ? 'Rejected'
      : approvals.length > 0 && approvals.every((a) => a.status === 'Approved')
        ? 'Approved'
        : 'Under Approval'
  const { time_zone: _, name: buyer, ...billing } = company.account
  return {
    poid: po.poid,
    pono: po.po_no,
    podate: po.po_date,
    delivery: po.delivery_date,
    reference: po.reference,
    shipment_reference: po.shipment_reference,
    po_status: statusOf(company, po),
    approval_status,
    status_code: statuses[statusOf(company, po)],
    taxable_amt: amount(po.taxable_amt),
    tax_amt: amount(po.tax_amt),
    shipping_amt: amount(po.shipping_amt),
    total_amt: amount(po.total_amt),
    adjustment: { label: po.adjustment_label, amt: amount(po.adjustment_amt) },
    billing: { buyer, ...billing },
    shipping: {
      buyer,
      address1: warehouse.address,
      address2: warehouse.address2,
      city: warehouse.city ?? '',
      state: warehouse.state,
      country: warehouse.country,
      pincode: warehouse.pincode ?? '',
      gstn: warehouse.gstn ?? '',
      phone: warehouse.phone,
      email: warehouse.email,
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
    items: company.purchase_order_line
      .filter((line) => line.po_no === po.po_no)
      .sort((a, b) => a.line_no - b.line_no)
      .map((line) => {
        const item = company.item.find((i) => i.id === line.item_id)
        return {
          type: item?.type,
          itemcode: item?.sku,
          itemname: item?.name,
          description: line.description,
          hsn: item?.hsn,
          qty: amount(line.qty, 4),
          uom: item?.unit,
          rate: amount(line.rate, 4),
          taxrate: amount(line.tax_rate),
          taxable_amt: amount(line.taxable_amt),
          tax_amt: amount(line.tax_amt),
          total_amt: amount(line.total_amt),
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
  }
}

/** `2026-04-01 14:05:09` as `2026-04-01 02:05:09PM`. */
function clock12(at: string): string {
  const [day = '', time = ''] = at.split(/[ T]/)
  const [h = '', ...rest] = time.split(':')
  const hour = Number(h)
  return `${day} ${String(hour % 12 || 12).padStart(2, '0')}:${rest.join(':')}${hour < 12 ? 'AM' : 'PM'}`
}
