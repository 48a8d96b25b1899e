/** Sales invoices with their lines, cancelled ones too. */
import type { Company, InvoiceLine } from '../setup/company.js'
import { books, currencyOf, customerOf, itemOf, key, statedOf } from './books.js'
import { fixed, format, parse, price, sum, upTo } from './decimal.js'
import { byText } from './order.js'

const GST = ['igst', 'sgst', 'cgst'] as const

interface Tax {
  name: string
  rate: string | null
  amount: string
}

const named = (line: InvoiceLine, isNamed: (name: string) => boolean): Tax[] =>
  [
    ...GST.flatMap((name) => {
      const amount = line[`${name}_amt`]
      return amount === null ? [] : { name: name.toUpperCase(), rate: line[`${name}_rate`], amount }
    }),
    ...(line.taxes ?? []),
  ].filter(({ name }) => isNamed(name))

/** The highest rate and the sum of several taxes. */
const together = (taxes: readonly Tax[]) => ({
  rate: taxes.flatMap(({ rate }) => rate ?? []).sort((a, b) => Number(parse(b, 4) - parse(a, 4)))[0] ?? null,
  amount: format(sum(taxes.map(({ amount }) => parse(amount, 2))), 2),
})

/** Rates and amounts of the taxes that have separate columns. */
const gstOf = (line: InvoiceLine) =>
  Object.fromEntries(
    GST.flatMap((name) => {
      const taxes = named(line, (other) => other === name.toUpperCase())
      const { rate, amount } = together(taxes)
      const shown = line[`${name}_rate`] ?? rate
      return [
        [`${name}_rate`, shown === null ? '-' : upTo(shown, 2, 4)],
        [`${name}_amt`, taxes.length === 0 ? '-' : amount],
      ]
    }),
  )

/** The taxes of lines, from their columns and from tax rows. */
const allTaxes = (lines: readonly InvoiceLine[]) =>
  lines
    .flatMap((line) =>
      named(line, () => true).map(({ name, rate, amount }) => ({
        ...{ line_no: line.line_no, name, rate: rate === null ? null : upTo(rate, 2, 4), amount },
      })),
    )
    .sort(
      (a, b) =>
        a.line_no - b.line_no ||
        byText(a.name, b.name) ||
        Number(a.rate === null) - Number(b.rate === null) ||
        Number(parse(a.rate ?? '0', 4) - parse(b.rate ?? '0', 4)) ||
        Number(parse(a.amount, 2) - parse(b.amount, 2)),
    )

export function invoices(company: Company, { from_date, to_date }: { from_date: string; to_date: string }) {
  const of = books(company)
  return company.invoice
    .filter(({ invoice_at }) => invoice_at.slice(0, 10) >= from_date && invoice_at.slice(0, 10) <= to_date)
    .sort((a, b) => byText(a.invoice_at, b.invoice_at) || byText(a.invoice_no, b.invoice_no))
    .map((invoice) => {
      const lines = of.invoiceLines.of(invoice.invoice_no)
      const orders =
        invoice.order_no === null
          ? [...new Set(lines.flatMap((line) => line.order_no ?? []))].sort(byText)
          : [invoice.order_no]
      const order = orders[0] === undefined ? undefined : of.salesOrder.of(orders[0])
      const customer = customerOf(company, invoice.customer_code ?? order?.customer_code ?? null)
      return {
        invoice_no: invoice.invoice_no,
        invoice_date: invoice.invoice_at,
        due_date: invoice.due_date,
        order_no: orders.join(', '),
        order_date: order?.order_date ?? '',
        gstn: invoice.gstn,
        reference: invoice.reference,
        po_no: order?.po_no ?? null,
        customer_name: customer.name,
        contact_person: customer.contact_person,
        customer_gstn: invoice.customer_gstn,
        place_of_supply: invoice.place_of_supply,
        shipping: fixed(invoice.shipping, 2),
        adjustment: fixed(invoice.adjustment, 2),
        sub_total: fixed(invoice.sub_total, 2),
        total_tax: fixed(invoice.total_tax, 2),
        total_amt: fixed(invoice.total_amt, 2),
        round_amt: fixed(invoice.round_amt, 2),
        final_amt: Number(invoice.final_amt) + 0, // JSON has no minus zero
        invoice_status: invoice.status,
        invoice_type: invoice.kind === 'INVOICE' ? 'Invoice' : 'Credit Note',
        credit_for: invoice.credit_for,
        customer_code: customer.code,
        items: lines
          .toSorted((a, b) => a.line_no - b.line_no)
          .map((line) => {
            const sold = line.order_no === null ? undefined : of.salesLine.of(key(line.order_no, line.order_line_no))
            const text = line.description || (sold?.description ?? '')
            const item = itemOf(company, line.item_id ?? sold?.item_id ?? null, text)
            return {
              product_sku: item.sku,
              product_name: item.name,
              hsn_sac: item.hsn,
              uom: item.unit,
              qty: fixed(line.qty, 4),
              rate: price(line.rate, 4),
              taxable_value: fixed(line.taxable_value, 2),
              ...gstOf(line),
              total_value: fixed(line.total_value, 2),
              description: line.description,
              order_no: line.order_no,
              document_uom: line.unit ?? null,
              ...statedOf(line, { qty: 4, rate: 6, taxable_value: 2, total_value: 2 }),
            }
          }),
        ...currencyOf(company, invoice),
        ...statedOf(invoice, {
          shipping: 2,
          adjustment: 2,
          sub_total: 2,
          total_tax: 2,
          total_amt: 2,
          round_amt: 2,
          final_amt: 2,
        }),
        taxes: allTaxes(lines),
      }
    })
}
