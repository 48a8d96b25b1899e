/** The things that fields name: their codes stand in the same record or line. */
import { expect, it } from 'vitest'
import { type Fields, type Scalar, type Thing, thingKinds } from '../../src/kernel/report/fields.js'
import { reports } from '../../src/reports/index.js'

interface Naming {
  readonly at: string
  readonly thing: Thing
  readonly fields: readonly string[]
}

/** The names of single values, with those of the objects around them. */
const namesIn = (fields: Fields, around = ''): string[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.kind === 'nested' ? namesIn(field.fields, `${around}${name}.`) : [`${around}${name}`],
  )

function namings(fields: Fields, at: string, known = namesIn(fields)): Naming[] {
  return Object.entries(fields).flatMap(([name, field]): Naming[] => {
    const here = `${at} ${name}`
    if (field.kind === 'lines') return namings(field.fields, here)
    if (field.kind === 'nested') return namings(field.fields, here, known)
    return ((field as Scalar<unknown>).things ?? []).map((thing) => ({ at: here, thing, fields: known }))
  })
}

const all = reports.flatMap((report) =>
  [...report.shapes].flatMap(([shape, { record }]) => namings(record, `${report.id} ${shape}`)),
)

it('every code and condition is a field of the same record', () => {
  const wrong = all.flatMap(({ at, thing: { by, when, unless }, fields }) =>
    [...by, ...[when, unless].flatMap((one) => one?.field ?? [])]
      .filter((name) => !fields.includes(name))
      .map((name) => `${at}: ${name}`),
  )
  expect(wrong).toEqual([])
})

it('a batch is named by two codes, any other thing by one', () => {
  for (const { at, thing } of all) expect([at, thing.by.length]).toEqual([at, thing.kind === 'batch' ? 2 : 1])
})

it('reports name every kind of thing', () => {
  expect(new Set(all.map(({ thing }) => thing.kind))).toEqual(new Set(thingKinds))
})

/** Fields of the contract that look like codes of things. */
const CODES = /^(sku|.*_sku|order_no|invoice_no|batch_no|pono|po_no|itemcode|item_code|customer_code|vendor_code)$/
/** Codes of another company, and codes beside a name that is the link. */
const PLAIN: readonly string[] = [
  ...['sales.sales po_no', 'sales.invoices po_no', 'sales.order-status po_no', 'sales.order-dispatch po_no'],
  ...['sales.sales-orders pono', 'partner.sales-order-status po_no'],
]

it('every code of a thing, or the name beside it, is a link', () => {
  const linked = new Set(all.flatMap(({ at, thing }) => [at, ...thing.by.map((name) => at.replace(/\S+$/, name))]))
  const missing = reports.flatMap((report) =>
    [...report.shapes].flatMap(([shape, { record }]) =>
      Object.keys(record)
        .filter((name) => CODES.test(name) && !PLAIN.includes(`${report.id} ${name}`))
        .filter((name) => !linked.has(`${report.id} ${shape} ${name}`))
        .map((name) => `${report.id} ${name}`),
    ),
  )
  expect(missing).toEqual([])
})
