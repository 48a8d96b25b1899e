/** What an entity declares so that its rows, as documents have them, become amounts of the account and quantities in stock units. */
import { type Sql, sql } from '../db/sql.js'
import { type Contradiction, stagedRows } from './checks.js'
import { Amount, Code, type Column, Currency, Factor, Integer, Optional, Percent, Text } from './columns.js'
import type { Rule } from './entity.js'

/** `t` is a row of the entity's table. */
export interface Conversion {
  /** The columns that tell the documents apart; roundings add up inside one. */
  readonly document: readonly string[]
  /** Joins what the expressions below use. */
  readonly joins?: Sql
  /** The price of the document's currency; null for the account's own. */
  readonly exchangeRate: Sql
  /** The id of the item whose unit a row can have. */
  readonly item?: Sql
  readonly taxes?: LineTaxes
  /** Selects the documents that may have something to convert, by their columns. */
  readonly needs: Sql
  /** By entity: the documents that its rows touch, possibly repeated. */
  readonly touched: Readonly<Record<string, Sql>>
  /** A quantity that is no less than these together, however they are rounded. */
  readonly atLeast?: Readonly<Record<string, readonly string[]>>
}

/** The tax of a document's lines, from rows of taxes or from the tax of the whole document. */
export interface LineTaxes {
  /** The table of tax rows, by the columns of the document and `line_no`. */
  readonly table: string
  /** The line's columns for the amount before tax, and with it. */
  readonly taxable: string
  readonly total: string
  /** The column of all tax of a line, or those of some taxes, beside which there may be rows of others. */
  readonly tax: string | readonly string[]
  /** The tax that the document tells for itself. */
  readonly ofDocument?: Sql
}

/** A value as the document has it. */
export const given = (alias: string, column: string): string =>
  `as_given(${alias}.given, '${column}', ${alias}.${column})`

/** The columns of a document in another currency. */
export const currencyColumns = {
  currency: Optional(Currency("Currency of the document; empty for the account's.")),
  exchange_rate: Optional(
    Factor("Price of one unit of that currency in the account's; required with another one.", { example: '83.25' }),
  ),
}

export const currencyRules: readonly Rule[] = [
  {
    column: 'exchange_rate',
    holds: sql`case when coalesce(s.currency = (select currency from account), true) then coalesce(s.exchange_rate, 1) = 1
                    else s.exchange_rate is not null end`,
    expects: "the rate of a currency that is not the account's, and none otherwise",
  },
]

/** What the tax and the total of a line mean. */
export const TAX = "Tax. If empty: what the tax rows say, else the line's part of the document's tax."
export const TOTAL = 'Amount with tax. If empty: the sum of both.'

export const unitColumn = {
  unit: Optional(
    Text("Unit of the line's quantities and prices, of item_units; empty for the stock unit.", { example: 'CASE' }),
  ),
}

/** A line, called so in messages, whose item does not have its unit. `through` joins a changed item `c` with lines `m`. */
export const unitOfItem = (item: Sql, line: Sql, through: Sql): Contradiction => ({
  check: 'a line of a document has a unit that its item does not have',
  column: 'unit',
  causes: [
    { entity: 'items', column: 'unit', through },
    { entity: 'item_units', column: 'unit', through },
  ],
  wrong: sql`m.unit is not null and ${item} is not null
             and not exists (select from item i where i.id = ${item} and i.unit = m.unit)
             and not exists (select from item_unit u where u.item_id = ${item} and u.unit = m.unit)`,
  message: sql`${line} || ' is in ' || m.unit || ', which is no unit of item ' || (select i.sku from item i where i.id = ${item})`,
})

/** The items whose units a load brings. */
export const itemsOfUnits: Sql = sql`
  select i.id from ${stagedRows('item_units')} s join item i on i.sku = s.sku`
export const itemsStaged: Sql = sql`select i.id from ${stagedRows('items')} s join item i on i.sku = s.sku`

/** The columns of a file of taxes, after those that name the document. */
export const taxColumns = {
  line_no: Optional(Integer(0, 'Number of the line that the tax is on; empty or 0 for the whole document.'), '0'),
  name: Code('Name of the tax.', { example: 'GST' }),
  rate: Optional(Percent('Rate in percent.', { example: '8.875' })),
  amount: Amount("Tax, in the document's currency.", { smallest: 'any' }),
} satisfies Record<string, Column>
