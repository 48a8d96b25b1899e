/**
 * Fields of documents in their own currency and unit, beside the account's currency and the item's stock unit; and taxes. The
 * contract's records have none of them.
 */
import { raw, type Sql, sql } from '../../db/sql.js'
import {
  Amount,
  extra,
  InOwnCurrency,
  Integer,
  Lines,
  NotAdditive,
  OrNull,
  Percent,
  Price,
  Quantity,
  Rate,
  Text,
} from '../../kernel/report/fields.js'

export const currencyFields = extra({
  currency: Text('Currency of the document.'),
  exchange_rate: Rate(
    "Price of one unit of `currency` in the account's currency. All amounts are in the account's currency.",
  ),
})

/** Of the document `alias`, beside the account `a`. */
export const currencyColumns = (alias: string): Sql =>
  raw(`coalesce(${alias}.currency, a.currency) as currency, coalesce(${alias}.exchange_rate, 1) as exchange_rate`)

const field = {
  amount: (of: string) =>
    InOwnCurrency(
      NotAdditive(Amount(2, `\`${of}\` as the document states it, in its currency; null if that is the account's.`)),
    ),
  quantity: (of: string) =>
    NotAdditive(
      Quantity(4, 'document_uom', `\`${of}\` as the document states it, in its unit; null if that is the stock unit.`),
    ),
  price: (of: string) =>
    InOwnCurrency(
      Price(4, `\`${of}\` as the document states it, in its currency and per its unit; null if both are the same.`),
    ),
}
type Measure = keyof typeof field

/** A field `document_…` for each of these fields, from a stored column. */
export const statedFields = <Name extends string>(measures: Readonly<Record<Name, Measure>>) =>
  extra(
    Object.fromEntries(
      Object.entries<Measure>(measures).map(([name, measure]) => [`document_${name}`, OrNull(field[measure](name))]),
    ) as { [K in Name as `document_${K}`]: ReturnType<typeof OrNull<string>> },
  )

/** The columns for these fields of the row `alias`. */
export const stated = (alias: string, names: readonly string[]): Sql =>
  raw(names.map((name) => `(${alias}.given ->> '${name}')::numeric as document_${name}`).join(', '))

/** The amounts that an order can state in another currency. */
export const orderAmounts = {
  taxable_amt: 'amount',
  tax_amt: 'amount',
  shipping_amt: 'amount',
  adjustment_amt: 'amount',
  total_amt: 'amount',
} as const

export const unitField = extra({
  document_uom: OrNull(Text("Unit that the document states; null for the item's stock unit.")),
})

/** The field `taxes`: the taxes of a document's lines, from a table with `taxes` and `line_no`. */
export const taxesField = (query: Sql) =>
  extra({
    taxes: Lines('The taxes of the lines; a tax on the whole document is distributed over its lines.', {
      fields: {
        line_no: Integer('Number of the line.'),
        name: Text('Name of the tax.'),
        rate: OrNull(Percent('Rate in percent.')),
        amount: Amount(2, "Tax, in the account's currency."),
      },
      query,
      orderBy: ['line_no', 'name', 'rate', 'amount'],
    }),
  })

/** Selects the tax rows of lines `l`. */
export const taxesOf = (lines: Sql, ofDocument: Sql): Sql => sql`
  select l.line_no, (x ->> 'name') collate "C" as name, (x ->> 'rate')::numeric as rate, (x ->> 'amount')::numeric as amount
    from ${lines} cross join lateral jsonb_array_elements(l.taxes) x
   where ${ofDocument}`

/** The tax rate of the line `l`: its own, or the rate of all its taxes together. */
export const taxRate: Sql = raw(
  `case when l.tax_rate = 0 and l.taxes is not null
        then coalesce((select sum((x ->> 'rate')::numeric) from jsonb_array_elements(l.taxes) x), 0) else l.tax_rate end`,
)
