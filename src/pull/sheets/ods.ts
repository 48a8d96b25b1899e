/** Reads the sheets of an OpenDocument spreadsheet (ODF 1.3, part 3) and their rows, one after the other. */
import { errorCell, formulaFault, isoDayCell, isoTimeCell, numberCell, UNCALCULATED } from './cells.js'
import { Bounds, checkColumns, MOST_ROWS, OverLimit, Text } from './limits.js'
import { Merged } from './merged.js'
import { noStyles, type OdsStyles, StyleReader } from './ods-styles.js'
import type { SheetCell, SheetRow } from './sheet.js'
import { type Attributes, readXml, scanXml, type XmlHandler } from './xml.js'
import { openZip, type Zip } from './zip.js'

const CONTENT = 'content.xml'

/** The parts of a file that all of its sheets need. */
export interface OdsBook {
  readonly sheets: readonly { readonly name: string; readonly hidden: boolean }[]
  readonly styles: OdsStyles
}

export async function openOds(file: string): Promise<OdsBook> {
  return await withZip(file, async (zip) => {
    await checkPassword(zip)
    if (!zip.has(CONTENT)) throw new Error(`it is not an ODS file: it has no ${CONTENT}`)
    const styles = noStyles()
    if (zip.has('styles.xml')) await scanXml(zip.text('styles.xml'), 'styles.xml', new StyleReader(styles))
    const tables: { name: string; style: string }[] = []
    const reader = new StyleReader(styles)
    let [isSpreadsheet, depth] = [false, 0]
    await scanXml(zip.text(CONTENT), CONTENT, {
      open(name, attributes) {
        reader.open(name, attributes)
        if (name === 'office:spreadsheet') isSpreadsheet = true
        if (name === 'table:table' && depth++ === 0)
          tables.push({ name: attributes['table:name'] ?? '', style: attributes['table:style-name'] ?? '' })
      },
      text: (text) => reader.text(text),
      close(name) {
        reader.close(name)
        if (name === 'table:table') depth--
      },
    })
    if (!isSpreadsheet) throw new Error('it is not an ODS file: it is another kind of document')
    return { sheets: tables.map(({ name, style }) => ({ name, hidden: styles.hidden.has(style) })), styles }
  })
}

export async function* readOds(file: string, { styles }: OdsBook, sheet: string): AsyncGenerator<SheetRow> {
  const zip = await openZip(file, 'ODS')
  try {
    for await (const row of readXml<SheetRow | 'end'>(
      zip.text(CONTENT),
      CONTENT,
      (emit) => new TableReader(sheet, styles, emit),
    )) {
      if (row === 'end') return
      yield row
    }
  } finally {
    zip.close()
  }
}

async function withZip<Result>(file: string, read: (zip: Zip) => Promise<Result>): Promise<Result> {
  const zip = await openZip(file, 'ODS')
  try {
    return await read(zip)
  } finally {
    zip.close()
  }
}

async function checkPassword(zip: Zip): Promise<void> {
  await scanXml(zip.text('META-INF/manifest.xml'), 'META-INF/manifest.xml', {
    open(name) {
      if (name === 'manifest:encryption-data')
        throw new Error('it is protected by a password: open it in a spreadsheet program, and save it without one')
    },
  }).catch((error: Error) => {
    // Some programs write the document type of the manifest, which names a file and declares nothing.
    if (!/document type/.test(error.message)) throw error
  })
}

const times = (text: string | undefined): number => {
  const number = Number(text ?? 1)
  if (!Number.isInteger(number) || number < 1) throw new Error(`the file is damaged: it repeats a cell ${text} times`)
  return number
}

/** Text in these elements is not a part of the cell's text. */
const BESIDE = new Set([
  'office:annotation',
  'text:note',
  'text:ruby-text',
  'draw:frame',
  'table:table',
  'office:dde-source',
])

class TableReader implements XmlHandler {
  readonly #sheet: string
  readonly #styles: OdsStyles
  readonly #emit: (row: SheetRow | 'end') => void
  readonly #bounds = new Bounds()
  readonly #text = new Text()
  #isOpen = false
  /** Elements inside the table that are no part of its cells: their depth. */
  #beside = 0
  #line = 0
  #rows = 1
  #isHidden = false
  readonly #merged = new Merged()
  #row: SheetCell[] = []
  /** Empty cells that are written only before a full one. */
  #gap = 0
  #cell: { attributes: Attributes; isCovered: boolean; paragraphs: number } | undefined
  #inParagraph = 0
  /** Default styles of columns, each with the column that it ends before. */
  readonly #columns: { end: number; style: string | undefined }[] = []
  #rowStyle: string | undefined

  constructor(sheet: string, styles: OdsStyles, emit: (row: SheetRow | 'end') => void) {
    this.#sheet = sheet
    this.#styles = styles
    this.#emit = emit
  }

  open(name: string, attributes: Attributes): void {
    if (!this.#isOpen) {
      if (name === 'table:table' && attributes['table:name'] === this.#sheet) this.#isOpen = true
      return
    }
    if (this.#beside > 0 || BESIDE.has(name)) {
      this.#beside++
      return
    }
    switch (name) {
      case 'table:table-column': {
        const before = this.#columns.at(-1)?.end ?? 0
        const end = before + times(attributes['table:number-columns-repeated'])
        checkColumns(this.#columns.length, 0)
        this.#columns.push({ end, style: attributes['table:default-cell-style-name'] })
        break
      }
      case 'table:table-row':
        this.#rows = times(attributes['table:number-rows-repeated'])
        this.#isHidden = /^(collapse|filter)$/.test(attributes['table:visibility'] ?? '')
        this.#row = []
        this.#gap = 0
        this.#rowStyle = attributes['table:default-cell-style-name']
        this.#text.nextRow()
        break
      case 'table:table-cell':
      case 'table:covered-table-cell':
        this.#cell = { attributes, isCovered: name !== 'table:table-cell', paragraphs: 0 }
        this.#text.clear()
        break
      case 'text:p':
        if (this.#cell !== undefined && this.#inParagraph++ === 0 && this.#cell.paragraphs++ > 0) this.#text.add('\n')
        break
      case 'text:s':
        if (this.#inParagraph > 0) this.#text.add(' '.repeat(Math.min(times(attributes['text:c']), 1 << 20)))
        break
      case 'text:tab':
        if (this.#inParagraph > 0) this.#text.add('\t')
        break
      case 'text:line-break':
        if (this.#inParagraph > 0) this.#text.add('\n')
        break
    }
  }

  text(text: string): void {
    if (this.#inParagraph > 0 && this.#beside === 0) this.#text.add(text)
  }

  close(name: string): void {
    if (!this.#isOpen) return
    if (this.#beside > 0) {
      this.#beside--
      return
    }
    switch (name) {
      case 'table:table':
        this.#isOpen = false
        this.#emit('end')
        break
      case 'table:table-row':
        this.#endRow()
        break
      case 'table:table-cell':
      case 'table:covered-table-cell':
        this.#endCell()
        break
      case 'text:p':
        if (this.#inParagraph > 0) this.#inParagraph--
        break
    }
  }

  #endCell(): void {
    if (this.#cell === undefined) return
    const { attributes, isCovered } = this.#cell
    const repeated = times(attributes['table:number-columns-repeated'])
    const column = this.#row.length + this.#gap
    // A cell under a merged one cannot be seen.
    const cell = isCovered ? null : this.#cellOf(attributes, this.#text.value, column)
    this.#cell = undefined
    const spanned = times(attributes['table:number-rows-spanned'])
    if (spanned > 1) this.#merged.add({ first: this.#line + 1, last: this.#line + spanned, place: column })
    if (cell === null) {
      this.#gap += repeated
      return
    }
    checkColumns(column + repeated, this.#line + 1)
    while (this.#gap > 0) {
      this.#row.push(null)
      this.#gap--
    }
    for (let i = 0; i < repeated; i++) this.#row.push(cell)
  }

  #endRow(): void {
    const before = this.#line
    this.#line += this.#rows
    if (this.#row.length === 0) return // programs fill the sheet to its end with one empty row
    if (this.#line > MOST_ROWS) throw new OverLimit(`it has ${this.#line} rows`)
    for (let line = before + 1; line <= this.#line; line++) {
      this.#bounds.row(line, this.#row.length)
      const merged = this.#merged.at(line)
      this.#emit({
        ...{ line, cells: this.#row },
        ...(this.#isHidden && { hidden: true as const }),
        ...(merged !== undefined && { merged }),
      })
    }
  }

  #cellOf(attributes: Attributes, text: string, column: number): SheetCell {
    const formula = attributes['table:formula']
    if (formula !== undefined) {
      const fault = formulaFault(formula)
      if (fault !== undefined) return fault
      if (ERROR.test(text.trim())) return errorCell(text.trim())
    }
    if (attributes['calcext:value-type'] === 'error') return errorCell(text.trim())
    const type = attributes['office:value-type'] ?? attributes['calcext:value-type']
    const value = (name: string): string | undefined => attributes[`office:${name}`]
    switch (type) {
      case undefined:
        return formula === undefined ? text || null : UNCALCULATED
      case 'string':
        return (value('string-value') ?? text) || null
      case 'boolean':
        return { value: value('boolean-value') ?? 'true' }
      case 'date':
        return isoDayCell(value('date-value') ?? '')
      case 'time':
        return isoTimeCell(value('time-value') ?? '')
      default: {
        const number = value('value')
        const cell =
          number === undefined
            ? UNCALCULATED
            : numberCell(readNumber(number), this.#formatAt(type, attributes, column), false)
        const currency = value('currency')
        return currency !== undefined && cell !== null && typeof cell === 'object' && 'value' in cell
          ? { value: cell.value, currency }
          : cell
      }
    }
  }

  #formatAt(type: string, attributes: Attributes, column: number) {
    if (type === 'percentage') return PERCENT
    const own = attributes['table:style-name'] ?? this.#rowStyle
    return this.#styles.formatOf(own ?? this.#columns.find(({ end }) => column < end)?.style)
  }
}

const PERCENT = { kind: 'percent', sections: [] } as const
const ERROR = /^(#(DIV\/0!|N\/A|NAME\?|NULL!|NUM!|REF!|VALUE!)|Err:\d{3})$/

const readNumber = (text: string): number => (/^[+-]?[\d.]/.test(text) ? Number(text) : Number.NaN)
