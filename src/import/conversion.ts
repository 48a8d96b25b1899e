/** An entity's declaration of how the loader converts its rows into the account's currency and the items' stock units. */
import type { Sql } from '../db/sql.js'

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
