/** Columns, rules and checks of documents in other currencies and units, and of their taxes. */
import { raw, type Sql, sql } from '../db/sql.js'
import { type Cause, type Contradiction, stagedRows } from './checks.js'
import { Amount, Code, type Column, Currency, Factor, Integer, Optional, Percent, Text } from './columns.js'
import { type Conversion, given } from './conversion.js'
import type { Rule } from './entity.js'

/** The columns of a document in another currency. */
export const currencyColumns = {
  currency: Optional(Currency("Currency of the document; empty for the account's.")),
  exchange_rate: Optional(
    Factor("Price of one unit of that currency in the account's; required if the two differ.", { example: '83.25' }),
  ),
}

export const currencyRules: readonly Rule[] = [
  {
    column: 'exchange_rate',
    holds: sql`case when coalesce(s.currency = (select currency from account), true) then coalesce(s.exchange_rate, 1) = 1
                    else s.exchange_rate is not null end`,
    expects: "a rate if the currency is not the account's, and nothing otherwise",
  },
]

/** A document whose rate contradicts the account's currency, which a load may have changed. */
export const rateOfCurrency = (document: string, table: string, no: string): Contradiction => ({
  check: `${/^[aeiou]/.test(document) ? 'an' : 'a'} ${document} has a rate though it is in the account’s currency, or none though it is in another`,
  column: 'exchange_rate',
  causes: [
    {
      ...{ entity: 'account', column: 'currency' },
      through: sql`join ${raw(table)} m on m.currency is not null or m.exchange_rate is not null`,
    },
  ],
  join: sql`cross join account a`,
  wrong: sql`case when coalesce(m.currency = a.currency, true) then m.exchange_rate <> 1 else m.exchange_rate is null end`,
  message: sql`${raw(`'${document} ' || m.${no}`)} || ' is in ' || coalesce(m.currency, a.currency)
               || case when m.exchange_rate is null then ', which is not the account’s currency, and has no exchange_rate'
                       else ', the account’s currency, and has the exchange_rate ' || trim_scale(m.exchange_rate) end`,
})

/** Descriptions of the columns for a line's tax and total. */
export const TAX =
  "Tax. If empty: the sum of the line's tax rows, else total minus amount, else the line's share of the document's tax."
export const TOTAL = 'Amount with tax. If empty: amount plus tax.'

export const unitColumn = {
  unit: Optional(
    Text("Unit of the line's quantities and prices, from item_units; empty for the stock unit.", { example: 'CASE' }),
  ),
}

/**
 * Refuses a `row`, called `named` in messages, in a unit that its item does not have. `through` joins a changed item `c` with rows
 * `m`; `orderLine` is the cause for lines that take their item from an order's line.
 */
export const unitOfItem = (
  row: string,
  item: Sql,
  named: Sql,
  through: Sql,
  orderLine?: Pick<Cause, 'entity' | 'through'>,
): Contradiction => ({
  check: `${row} has a unit that its item does not have`,
  column: 'unit',
  causes: [
    { entity: 'items', column: 'unit', through },
    { entity: 'item_units', column: 'unit', through },
    ...(orderLine === undefined ? [] : [{ ...orderLine, column: 'sku' }]),
  ],
  wrong: sql`m.unit is not null and ${item} is not null
             and not exists (select from item i where i.id = ${item} and i.unit = m.unit)
             and not exists (select from item_unit u where u.item_id = ${item} and u.unit = m.unit)`,
  message: sql`${named} || ' is in ' || m.unit || ', which is no unit of item ' || (select i.sku from item i where i.id = ${item})`,
})

/** Converts documents that state their currency; `no` is the column of their number, in the table and in the entity's file. */
export const documentConversion = (entity: string, table: string, no: string): Conversion => ({
  document: [no],
  exchangeRate: sql`t.exchange_rate`,
  needs: raw(`select ${no} from ${table} where exchange_rate is not null or given is not null`),
  touched: { [entity]: sql`select ${raw(no)} from ${stagedRows(entity)}` },
})

/** Converts the lines of an order, which name their item. */
export const orderLineConversion = (
  orders: string,
  lines: string,
  taxes: string,
  table: string,
  no: string,
): Conversion => {
  const staged = (entity: string) => sql`select ${raw(no)} from ${stagedRows(entity)}`
  const ofItems = (items: Sql) => sql`
    select ${raw(no)} from ${raw(table)}_line where unit is not null and item_id in (${items})`
  return {
    document: [no],
    joins: raw(`join ${table} d on d.${no} = t.${no}`),
    exchangeRate: sql`d.exchange_rate`,
    item: sql`t.item_id`,
    taxes: {
      ...{ table: `${table}_tax`, taxable: 'taxable_amt', tax: 'tax_amt', total: 'total_amt' },
      ofDocument: raw(given('d', 'tax_amt')),
    },
    needs: raw(`
      select ${no} from ${table} where exchange_rate is not null or given is not null
      union all select ${no} from ${table}_line where unit is not null or given is not null or taxes is not null
      union all select ${no} from ${table}_tax`),
    touched: {
      ...{ [orders]: staged(orders), [lines]: staged(lines), [taxes]: staged(taxes) },
      items: ofItems(sql`select i.id from ${stagedRows('items')} s join item i on i.sku = s.sku`),
      item_units: ofItems(sql`select i.id from ${stagedRows('item_units')} s join item i on i.sku = s.sku`),
    },
  }
}

/** The columns of a tax file, after the columns that name the document. */
export const taxColumns = {
  line_no: Optional(Integer(0, 'Number of the line that the tax is on; empty or 0 for the whole document.'), '0'),
  name: Code('Name of the tax.', { example: 'GST' }),
  rate: Optional(Percent('Rate in percent.', { example: '8.875' })),
  amount: Amount("Tax, in the document's currency.", { smallest: 'any' }),
} satisfies Record<string, Column>
