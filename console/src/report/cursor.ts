/** The cell with the keyboard cursor, and the range that Shift selects from it. Row −1 is the header. */

export interface At {
  readonly row: number
  readonly column: number
}

export interface Cursor extends At {
  /** The other corner of a range. */
  readonly from?: At | undefined
}

export const HEADER = -1

export interface Size {
  readonly rows: number
  readonly columns: number
  /** Rows that PageUp and PageDown move by. */
  readonly page: number
}

const within = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value))

/** The cursor after a key; undefined if the key does not move it. */
export function moved(
  cursor: Cursor,
  { key, shiftKey: shift, ctrlKey, metaKey }: Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey'>,
  { rows, columns, page }: Size,
): Cursor | undefined {
  const { row, column } = cursor
  const far = ctrlKey || metaKey
  const moves: Record<string, readonly [number, number]> = {
    ArrowDown: [far ? rows - 1 : row + 1, column],
    ArrowUp: [far ? 0 : row - 1, column],
    ArrowRight: [row, far ? columns - 1 : column + 1],
    ArrowLeft: [row, far ? 0 : column - 1],
    PageDown: [Math.max(0, row) + page, column],
    PageUp: [Math.max(0, row - page), column],
    Home: far ? [0, 0] : [row, 0],
    End: far ? [rows - 1, column] : [row, columns - 1],
  }
  const to = moves[key]
  if (to === undefined) return undefined
  // A range does not include the header.
  const first = shift && row >= 0 ? 0 : HEADER
  const next = { row: within(to[0], first, rows - 1), column: within(to[1], 0, columns - 1) }
  return shift && row >= 0 ? { ...next, from: cursor.from ?? { row, column } } : next
}

/** The cells from one corner to the other, both included. */
export function rangeOf({ row, column, from = { row, column } }: Cursor): { readonly first: At; readonly last: At } {
  return {
    first: { row: Math.min(row, from.row), column: Math.min(column, from.column) },
    last: { row: Math.max(row, from.row), column: Math.max(column, from.column) },
  }
}

export function isInRange(cursor: Cursor, row: number, column: number): boolean {
  if (cursor.from === undefined) return false
  const { first, last } = rangeOf(cursor)
  return row >= first.row && row <= last.row && column >= first.column && column <= last.column
}
