/** What no sheet of a real firm exceeds: past these limits a file is damaged, or made to fill the memory. */

/** The last row and the number of columns of Excel and LibreOffice. */
export const MOST_ROWS = 1_048_576
export const MOST_COLUMNS = 16_384
/** Of one sheet, empty ones between others included. */
const MOST_CELLS = 100_000_000
/** In characters; a cell of Excel holds 32,767. */
const LONGEST_CELL = 1 << 20
/** Characters of one row. */
export const LONGEST_ROW = 1 << 24

/** Thrown for such a file. */
export class OverLimit extends Error {
  constructor(what: string) {
    super(`${what}: the file is damaged, or made to fill the memory`)
  }
}

const many = (count: number): string => count.toLocaleString('en')

export function checkColumns(columns: number, line: number): void {
  if (columns > MOST_COLUMNS) throw new OverLimit(`row ${line} has more than ${many(MOST_COLUMNS)} columns`)
}

/** Counts the rows and cells of one sheet. */
export class Bounds {
  #cells = 0

  row(line: number, columns: number): void {
    if (!(line <= MOST_ROWS)) throw new OverLimit(`it has a row ${line}, and sheets end at row ${many(MOST_ROWS)}`)
    checkColumns(columns, line)
    this.#cells += columns
    if (this.#cells > MOST_CELLS) throw new OverLimit(`a sheet has more than ${many(MOST_CELLS)} cells`)
  }
}

/** Collects the text of cells, and refuses what is too long. */
export class Text {
  #text = ''
  #ofRow = 0

  get value(): string {
    return this.#text
  }

  add(text: string): void {
    this.#text += text
    this.#ofRow += text.length
    if (this.#text.length > LONGEST_CELL) throw new OverLimit(`a cell has more than ${many(LONGEST_CELL)} characters`)
    if (this.#ofRow > LONGEST_ROW) throw new OverLimit(`a row has more than ${many(LONGEST_ROW)} characters`)
  }

  clear(): void {
    this.#text = ''
  }

  /** The next row begins. */
  nextRow(): void {
    this.#ofRow = 0
  }
}
