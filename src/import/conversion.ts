/** An entity's declaration of how the loader converts its rows into the account's currency and the items' stock units. */
import type { Sql } from '../db/sql.js'

/** `t` is a row of the entity's table. */
export interface Conversion {
  /** The columns that identify a document; its converted rows add up to its converted sum. */
  readonly document: readonly string[]
  /** Joins the tables that the expressions below use. */
  readonly joins?: Sql
  /** The price of one unit of the document's currency; null, or left out, for the account's currency. */
  readonly exchangeRate?: Sql
  /** The id of the item whose unit a row can have. */
  readonly item?: Sql
  readonly taxes?: LineTaxes
  /** Selects the documents that may have something to convert, by their columns. */
  readonly needs: Sql
  /** By entity: the documents that its rows touch, possibly repeated. */
  readonly touched: Readonly<Record<string, Sql>>
  /** By quantity: the quantities whose sum it must reach, also after rounding. */
  readonly atLeast?: Readonly<Record<string, readonly string[]>>
}

/** The tax of a document's lines, from rows of taxes or from the tax of the whole document. */
export interface LineTaxes {
  /** The table of tax rows, by the columns of the document and `line_no`. */
  readonly table: string
  /** The line's columns for the amount before tax, and with it. */
  readonly taxable: string
  readonly total: string
  /** The column with all tax of a line, or one column per tax; tax rows may then add other taxes. */
  readonly tax: string | readonly string[]
  /** The tax that the document states as a whole. */
  readonly ofDocument?: Sql
}

/** A value as the document states it, before its conversion. */
export const given = (alias: string, column: string): string =>
  `as_given(${alias}.given, '${column}', ${alias}.${column})`
