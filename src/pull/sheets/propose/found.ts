/** A table that was found in sheets: its columns, and what its rows have shown. */
import { numberIn } from '../formats.js'
import { type Headings, letterOf, placeOf } from '../headings.js'
import type { ColumnName } from '../mapping.js'
import { type SheetCell, type SheetRow, textOf } from '../sheet.js'
import { isTotal } from '../total-words.js'
import { ColumnEvidence } from './evidence.js'
import type { Field } from './field.js'
import type { HeaderRows } from './header.js'
import { isLabel } from './header.js'
import { meaningOf, plainHeading } from './meaning.js'
import { Numbering } from './numbering.js'
import type { Doubt, SampleRow, TableSheet } from './proposal.js'
import { type Rivals, rivalsIn } from './rivals.js'
import { CARRIED, type Concept, MEANINGS } from './words.js'

/** Columns with the numbers of documents, the most certain first. */
const NUMBERS: readonly Concept[] = ['invoice_no', 'order_no', 'po_no', 'grn_no', 'voucher_no', 'batch_no']
const DAYS: readonly Concept[] = ['invoice_date', 'order_date', 'date', 'batch_date']
const SAMPLE = 12

export class FoundTable {
  readonly sheets: (TableSheet & { rows: number })[] = []
  readonly sample: SampleRow[] = []
  readonly fields: readonly Field[]
  /** Texts of rows that sum up, and of rows that carry a balance, by the place of their column. */
  readonly totals = new Map<number, Set<string>>()
  readonly carried = new Map<number, Set<string>>()
  /** Rows of numbers without a text: sums that do not say so. */
  bareTotals = 0
  /** Times that the header is repeated below. */
  repeats = 0
  blanks = 0
  /** The first heading of another table below. */
  next: { column: ColumnName; text: string; line: number } | undefined
  readonly numbering: Numbering | undefined
  readonly header: HeaderRows
  /** The rows above the header. */
  readonly titles: readonly string[]
  readonly options: { readonly separator: string; readonly encoding: string }
  /** By place: the last text of the document. */
  readonly #above: string[] = []
  /** Several columns of quantities with one name. */
  readonly #rivals: Rivals | undefined
  /** A first column without a heading. */
  readonly #unnamed: Field | undefined
  #rows = 0
  #line = 0
  #ended = false

  constructor(header: HeaderRows, headings: Headings, titles: readonly string[], options: FoundTable['options']) {
    this.header = header
    this.titles = titles
    this.options = options
    const taken = new Set<Concept>()
    this.fields = headings.full.flatMap((heading, place): Field[] => {
      const { concept, unit } = meaningOf(heading, headings.own[place] as string)
      const isFirst = concept !== undefined && !taken.has(concept)
      if (concept !== undefined) taken.add(concept)
      const letter = letterOf(place)
      return [
        {
          ...{ place, letter, heading, unit, concept: isFirst ? concept : undefined },
          ...{
            name: nameOf(place, headings),
            evidence: new ColumnEvidence(),
            continued: { empty: 0, same: 0, other: 0 },
          },
        },
      ]
    })
    this.#rivals = rivalsIn(
      this.fields,
      (at) => meaningOf(headings.full[at] as string, headings.own[at] as string).concept,
    )
    this.#unnamed = this.fields.find(({ heading }, at) => heading === '' && at < 2)
    const number = NUMBERS.map((concept) => this.by(concept)).find((field) => field !== undefined)
    const day = DAYS.map((concept) => this.by(concept)).find((field) => field !== undefined)
    this.numbering = number && new Numbering(number.place, day?.place)
  }

  by(concept: Concept): Field | undefined {
    if (concept === 'qty' && this.#rivals !== undefined) return { ...this.#rivals.choice.field, concept }
    const found = this.fields.find((field) => field.concept === concept)
    // QuickBooks writes no heading over the names of items and customers.
    if (found !== undefined || concept !== 'particulars' || this.#unnamed === undefined) return found
    const { evidence } = this.#unnamed
    return evidence.filled > 0 && !evidence.isNumeric && !evidence.isDate ? { ...this.#unnamed, concept } : undefined
  }

  /** The rows of the next sheet follow. */
  begin(sheet: Omit<TableSheet, 'rows'>, above: readonly SheetRow[]): void {
    this.sheets.push({ ...sheet, rows: 0 })
    this.#line = this.header.last
    this.#ended = false
    this.numbering?.begin()
    if (this.sheets.length > 1) return
    for (const row of above) this.#show(row, row.line < this.header.first ? 'title' : 'header')
  }

  note(row: SheetRow): void {
    const { cells, line } = row
    if (this.#ended || cells.every((cell) => textOf(cell) === '')) return
    if (line > this.#line + 1) this.blanks++
    this.#line = line
    const sheet = this.sheets.at(-1)
    if (sheet === undefined) return
    if (this.#isHeader(cells)) {
      this.repeats++
      this.#show(row, 'header')
      return
    }
    if (this.#isOther(cells)) {
      const at = cells.findIndex((cell) => isLabel(cell))
      this.next ??= { column: this.fields[at]?.name ?? '[A]', text: textOf(cells[at]), line }
      this.#ended = true
      return
    }
    sheet.rows++
    const isSum = this.#sums(cells)
    this.#show(row, isSum ? 'total' : 'row')
    if (isSum) return
    this.#rows++
    this.#rivals?.note(cells)
    const goesOn = this.numbering?.note(cells) === true
    for (const field of this.fields) {
      const cell = cells[field.place] ?? null
      const text = textOf(cell)
      if (goesOn) field.continued[text === '' ? 'empty' : text === this.#above[field.place] ? 'same' : 'other']++
      if (!goesOn || text !== '') this.#above[field.place] = text
      field.evidence.note(cell)
    }
  }

  /** About columns of one name. */
  get doubts(): readonly Doubt[] {
    return this.#rivals?.choice.doubts ?? []
  }

  /** Rows that are not sums. */
  get rows(): number {
    return this.#rows
  }

  #show({ line, cells }: SheetRow, role: SampleRow['role']): void {
    if (this.sheets.length > 1 || this.sample.length >= SAMPLE) return
    this.sample.push({ line, role, cells: cells.map(textOf) })
  }

  #isHeader(cells: readonly SheetCell[]): boolean {
    const filled = cells.flatMap((cell, at) => (textOf(cell) === '' ? [] : at))
    const own = (at: number) => (this.fields[at]?.heading ?? '').split(' / ').at(-1)
    return filled.length > 1 && filled.every((at) => textOf(cells[at]).replace(/\s+/g, ' ') === own(at))
  }

  /** Names of columns of another table. */
  #isOther(cells: readonly SheetCell[]): boolean {
    const filled = cells.filter((cell) => textOf(cell) !== '')
    const known = filled.filter((cell) => isLabel(cell) && MEANINGS.has(plainHeading(textOf(cell))))
    return known.length >= 3 && known.length === filled.length
  }

  /** A label such as Total, and otherwise only numbers: a customer may be called Total. */
  #sums(cells: readonly SheetCell[]): boolean {
    const at = cells.findIndex((cell) => typeof cell === 'string' && (isTotal(cell) || CARRIED.test(cell)))
    const label = textOf(cells[at])
    if (label !== '' && cells.every((cell, place) => place === at || isNumber(cell))) {
      const found = isTotal(label) ? this.totals : this.carried
      found.set(at, (found.get(at) ?? new Set()).add(label))
      return true
    }
    const filled = cells.filter((cell) => textOf(cell) !== '')
    const isBare = filled.every((cell) => cell !== null && /^[-(]?[\d.,]+\)?$/.test(textOf(cell)))
    const hasText = this.fields.some(({ evidence }) => evidence.filled > 0 && !evidence.isNumeric)
    if (!isBare || !hasText || this.#rows < 2) return false
    this.bareTotals++
    return true
  }
}

const isNumber = (cell: SheetCell): boolean => {
  const text = textOf(cell)
  return (
    text === '' ||
    (!/^\d{4}-\d\d-\d\d/.test(text) && numberIn(text, '.') !== undefined) ||
    numberIn(text, ',') !== undefined
  )
}

/** The shortest name by which the mapping finds the column: its heading, the one with the group above, a number, or its letter. */
function nameOf(place: number, headings: Headings): ColumnName {
  const [own = '', full = ''] = [headings.own[place], headings.full[place]]
  const nth = headings.full.slice(0, place + 1).filter((one) => one === full).length
  const letter = `[${letterOf(place)}]`
  for (const name of own === '' ? [] : [own, full, `${full} #${nth}`]) {
    if (/[{}|]/.test(name)) continue // signs of templates
    try {
      if (placeOf(name, headings, '') === place) return name
    } catch {
      // more than one column has the name
    }
  }
  return letter
}
