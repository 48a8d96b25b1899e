/** Reads the sheets of an XLSX file (ECMA-376) and their rows, one after the other. */
import { errorCell, FETCHES, formulaFault, isoDayCell, numberCell, UNCALCULATED } from './cells.js'
import { Bounds, checkColumns, Text } from './limits.js'
import { Merged, mergedInXlsx } from './merged.js'
import type { NumberFormat } from './number-format.js'
import type { SheetCell, SheetRow } from './sheet.js'
import { type BookPart, ddeLinks, readBook, sharedTexts, stylesOf } from './xlsx-parts.js'
import { type Attributes, localName, readXml, type XmlHandler } from './xml.js'
import { openZip, type Zip } from './zip.js'

/** `sheet` is the sheet's name; without it, the first sheet is read. */
export async function* readXlsx(file: string, sheet: string | undefined): AsyncGenerator<SheetRow> {
  const zip = await openZip(file, 'XLSX')
  try {
    yield* rowsOf(zip, sheet)
  } finally {
    zip.close()
  }
}

export async function xlsxSheets(file: string): Promise<{ name: string; hidden: boolean }[]> {
  const zip = await openZip(file, 'XLSX')
  try {
    const { sheets } = await readBook(zip)
    return sheets.map(({ name, hidden }) => ({ name, hidden }))
  } finally {
    zip.close()
  }
}

async function* rowsOf(zip: Zip, wanted: string | undefined): AsyncGenerator<SheetRow> {
  const book = await readBook(zip)
  const { sheets } = book
  const found = wanted === undefined ? sheets[0] : sheets.find(({ name }) => name === wanted)
  if (found === undefined)
    throw new Error(`there is no sheet ${wanted ?? ''}; there are ${sheets.map(({ name }) => name).join(', ')}`)
  if (!zip.has(found.path)) throw new Error(`the sheet ${found.name} is missing in the file`)
  const texts = await sharedTexts(zip)
  const merged = new Merged(await mergedInXlsx(zip.text(found.path)))
  const about = { texts, formats: await stylesOf(zip), is1904: book.is1904, dde: await ddeLinks(zip, book), merged }
  yield* readXml<SheetRow>(zip.text(found.path), found.path, (emit) => new SheetReader(about, emit))
}

interface About extends Pick<BookPart, 'is1904'> {
  readonly texts: readonly string[]
  readonly formats: readonly NumberFormat[]
  /** The numbers of links that fetch, as formulas name them. */
  readonly dde: ReadonlySet<string>
  readonly merged: Merged
}

interface OpenCell {
  readonly type: string
  readonly style: number
  readonly place: number
  value: string | undefined
  inline: string | undefined
  isFormula: boolean
  fetches: boolean
}

class SheetReader implements XmlHandler {
  readonly #about: About
  readonly #emit: (row: SheetRow) => void
  readonly #bounds = new Bounds()
  readonly #text = new Text()
  /** Shared formulas that fetch. */
  readonly #fetching = new Set<string>()
  #line = 0
  #isHidden = false
  #cells: SheetCell[] | undefined
  #cell: OpenCell | undefined
  /** The element whose text is read. */
  #into: 'v' | 'f' | 't' | undefined
  #isPhonetic = false

  constructor(about: About, emit: (row: SheetRow) => void) {
    this.#about = about
    this.#emit = emit
  }

  open(name: string, attributes: Attributes): void {
    switch (localName(name)) {
      case 'row':
        this.#beginRow(attributes)
        break
      case 'c':
        if (this.#cells !== undefined) this.#beginCell(attributes, this.#cells)
        break
      case 'v':
        this.#begin('v')
        break
      case 'f':
        if (this.#cell === undefined) break
        this.#cell.isFormula = true
        if (attributes['t'] === 'shared' && this.#fetching.has(attributes['si'] ?? '')) this.#cell.fetches = true
        this.#shared = attributes['t'] === 'shared' ? attributes['si'] : undefined
        this.#begin('f')
        break
      case 't':
        if (!this.#isPhonetic) this.#begin('t')
        break
      case 'rPh':
        this.#isPhonetic = true
        break
    }
  }

  #shared: string | undefined

  text(text: string): void {
    if (this.#into !== undefined) this.#text.add(text)
  }

  close(name: string): void {
    const cell = this.#cell
    switch (localName(name)) {
      case 'v':
        if (cell !== undefined && this.#into === 'v') cell.value = this.#text.value
        break
      case 't':
        if (cell !== undefined && this.#into === 't') cell.inline = (cell.inline ?? '') + this.#text.value
        break
      case 'f':
        if (cell !== undefined && this.#into === 'f') this.#endFormula(cell, this.#text.value)
        break
      case 'rPh':
        this.#isPhonetic = false
        return
      case 'c':
        if (cell !== undefined) this.#cells?.push(this.#cellOf(cell))
        this.#cell = undefined
        return
      case 'row':
        if (this.#cells !== undefined) {
          this.#bounds.row(this.#line, this.#cells.length)
          const merged = this.#about.merged.at(this.#line)
          this.#emit({
            ...{ line: this.#line, cells: this.#cells },
            ...(this.#isHidden && { hidden: true as const }),
            ...(merged !== undefined && { merged }),
          })
        }
        this.#cells = undefined
        return
      default:
        return
    }
    this.#into = undefined
  }

  #begin(into: 'v' | 'f' | 't'): void {
    if (this.#cell === undefined) return
    this.#into = into
    this.#text.clear()
  }

  #beginRow(attributes: Attributes): void {
    const line = Number(attributes['r'] ?? this.#line + 1)
    if (!(Number.isInteger(line) && line > this.#line))
      throw new Error(`the file is damaged: row ${attributes['r']} follows row ${this.#line}`)
    this.#line = line
    this.#isHidden = /^(1|true)$/.test(attributes['hidden'] ?? '')
    this.#cells = []
    this.#text.nextRow()
  }

  #beginCell({ r: place, t: type = 'n', s: style }: Attributes, cells: SheetCell[]): void {
    const column = place === undefined ? cells.length : columnOf(place)
    checkColumns(column + 1, this.#line)
    if (!(column >= cells.length)) throw new Error(`the file is damaged: the cell ${place} comes twice or too late`)
    while (cells.length < column) cells.push(null)
    const [value, inline] = [undefined, undefined]
    this.#cell = { type, style: Number(style ?? 0), place: column, value, inline, isFormula: false, fetches: false }
  }

  #endFormula(cell: OpenCell, formula: string): void {
    const isDde = [...formula.matchAll(/\[(\d+)\]/g)].some(([, link = '']) => this.#about.dde.has(link))
    if (isDde || formulaFault(formula) !== undefined) {
      cell.fetches = true
      if (this.#shared !== undefined) this.#fetching.add(this.#shared)
    }
  }

  #cellOf({ type, style, value, inline, isFormula, fetches }: OpenCell): SheetCell {
    if (fetches) return FETCHES
    if (type === 'inlineStr') return inline ?? null
    if (value === undefined || value === '') return isFormula && type === 'n' ? UNCALCULATED : null
    const { texts, formats, is1904 } = this.#about
    switch (type) {
      case 's':
        return texts[Number(value)] ?? { fault: 'refers to a text that the file lacks' }
      case 'b':
        return { value: value === '1' ? 'true' : 'false' }
      case 'd':
        return isoDayCell(value)
      case 'n':
        return numberCell(/^\s*[+-]?[\d.]/.test(value) ? Number(value) : Number.NaN, formats[style], is1904)
      case 'e':
        return errorCell(value)
      default:
        return value // the text of a formula
    }
  }
}

/** C7 is in column 2. */
function columnOf(place: string): number {
  let column = 0
  for (const letter of /^[A-Z]{1,4}/.exec(place)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}
