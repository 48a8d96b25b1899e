/** The lists of items, customers and vendors. */
import type { Company } from '../setup/company.js'
import { ITEM_TYPES } from './books.js'
import { fixed, price } from './decimal.js'
import { byText } from './order.js'

const wanted = (param: string | undefined, value: string) => !param || param === value

export const items = (company: Company, { sku }: { sku?: string }) =>
  company.item
    .filter((item) => wanted(sku, item.sku))
    .sort((a, b) => byText(a.sku, b.sku))
    .map((item) => ({
      name: item.name,
      sku: item.sku,
      type: ITEM_TYPES[item.type],
      status: item.active ? 'Active' : 'Inactive',
      unit: item.unit,
      primary_category: item.primary_category,
      product_category: item.product_category,
      business_nature: item.business_nature,
      hsn: item.hsn,
      mrp: price(item.mrp, 2),
      tax_rate: fixed(item.tax_rate, 2),
      reorder_level: fixed(item.reorder_level, 4),
    }))

const PARTS = [
  ...(['buyer', 'address1', 'address2', 'city', 'state'] as const),
  ...(['country', 'pincode', 'gstn', 'phone', 'email'] as const),
]

export const customers = (company: Company, { code }: { code?: string }) =>
  company.customer
    .filter((customer) => wanted(code, customer.code))
    .sort((a, b) => byText(a.code, b.code))
    .map((customer) => ({
      name: customer.name,
      code: customer.code,
      contact_person: customer.contact_person,
      billing: Object.fromEntries(PARTS.map((part) => [part, customer[`billing_${part}`]])),
      shipping: Object.fromEntries(PARTS.map((part) => [part, customer[`shipping_${part}`]])),
    }))

export const vendors = (company: Company, { code }: { code?: string }) =>
  company.vendor
    .filter((vendor) => wanted(code, vendor.code))
    .sort((a, b) => byText(a.code, b.code))
    .map((vendor) => ({
      name: vendor.name,
      code: vendor.code,
      credit_days: vendor.credit_days,
      address1: vendor.address1,
      address2: vendor.address2,
      city: vendor.city,
      state: vendor.state,
      country: vendor.country,
      pincode: vendor.pincode,
      gstn: vendor.gstn,
      phone: vendor.phone,
      email: vendor.email,
    }))
