/** A sheet as a mapping sees it: rows of cells, in any file format. */

/**
 * A text as people typed it, or a value that the file knows: a number, or a date as in an import. A number that the sheet shows
 * in percent (0.18 as 18 %) also has its number of percent.
 */
export type SheetCell = string | Known | Fault | null

export interface Known {
  readonly value: string
  readonly percent?: string
  /** The unit or currency that the sheet shows with the number. */
  readonly unit?: string
  readonly currency?: string
  /** The text that the sheet shows, if it is another than the value: 0012. */
  readonly shown?: string
  /** The sheet shows words with the number that may change its meaning: 12 Cr. */
  readonly isOdd?: boolean
}

/** A cell without a value that could be read, and why. */
export interface Fault {
  readonly fault: string
}

export interface SheetRow {
  /** From 1, as spreadsheet programs show it. */
  readonly line: number
  readonly cells: readonly SheetCell[]
  /** A filter or a person hid the row; its cells are read like those of other rows. */
  readonly hidden?: true
  /** By place: columns whose cell is merged with the one above it, and therefore empty. */
  readonly merged?: ReadonlySet<number>
}

/** The text that a person sees in a cell. */
export const textOf = (cell: SheetCell | undefined): string =>
  cell === null || cell === undefined
    ? ''
    : typeof cell === 'string'
      ? cell.trim()
      : 'fault' in cell
        ? cell.fault
        : (cell.shown ?? cell.value).trim()

/**
 * Names a column of a sheet: by its heading (`Qty`), by the heading above and its own (`Inwards / Qty`), by its place among
 * columns of one name (`Qty #2`), or by its letter (`[F]`).
 */
export type ColumnName = string
