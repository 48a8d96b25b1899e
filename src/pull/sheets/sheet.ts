/** A sheet as a mapping sees it: rows of cells, in any file format. */

/**
 * A text as people typed it, or a value that the file knows: a number, or a date as in an import. A number that the sheet shows
 * in percent (0.18 as 18 %) also has its number of percent.
 */
export type SheetCell = string | { readonly value: string; readonly percent?: string } | Fault | null

/** A cell without a value that could be read, and why. */
export interface Fault {
  readonly fault: string
}

export interface SheetRow {
  /** From 1, as spreadsheet programs show it. */
  readonly line: number
  readonly cells: readonly SheetCell[]
}
