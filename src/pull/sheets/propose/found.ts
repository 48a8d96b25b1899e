/** A table that was found in sheets: its columns, and what its rows have shown. */
import { numberIn } from '../formats.js'
import { type Headings, letterOf, placeOf } from '../headings.js'
import type { ColumnName } from '../mapping.js'
import { type SheetCell, type SheetRow, textOf } from '../sheet.js'
import { isOnlyTotal, isTotal } from '../total-words.js'
import { besideDoubt } from './beside.js'
import { ColumnEvidence } from './evidence.js'
import type { Field } from './field.js'
import { Figures } from './figures.js'
import type { HeaderRows } from './header.js'
import { isLabel } from './header.js'
import { isUnitOnly, meaningOf, plainHeading, scaleIn } from './meaning.js'
import { Numbering } from './numbering.js'
import type { Doubt, SampleRow, TableSheet } from './proposal.js'
import { type Rivals, rivalsIn } from './rivals.js'
import { groupRows, RunningSums, sumColumn } from './silent-sums.js'
import { CARRIED, type Concept, MEANINGS, MONEY, QUANTITIES } from './words.js'

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
  /** The column that only rows with the sums of other rows lack, and the first of these rows. */
  silent: { column: ColumnName; line: number } | undefined
  /** Rows that may be groups with the sums of their items. */
  readonly groups: number[] = []
  readonly figures: Figures
  /** Times that the header is repeated below. */
  repeats = 0
  /** A row with only a text above a repeated header. */
  section: { text: string; line: number } | undefined
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
  /** By place: whether a merged cell that goes on below has a value. */
  readonly #filled: boolean[] = []
  /** A text that stands alone in a row, until the next row. */
  #alone: { text: string; line: number } | undefined
  /** Several columns of quantities with one name. */
  readonly #rivals: Rivals | undefined
  /** A first column without a heading. */
  readonly #unnamed: Field | undefined
  /** About a table beside this one. */
  readonly #beside: Doubt | undefined
  #rows = 0
  #line = 0
  #silentPlace: number | undefined
  #sumsUp: RunningSums
  #ended = false

  /** No rule reads the columns from the place `beside` on. */
  constructor(
    header: HeaderRows,
    headings: Headings,
    titles: readonly string[],
    options: FoundTable['options'],
    beside?: number,
  ) {
    this.header = header
    this.#beside = beside === undefined ? undefined : besideDoubt(beside, headings)
    this.titles = titles
    this.options = options
    const taken = new Set<Concept>()
    this.fields = headings.full.flatMap((heading, place): Field[] => {
      const { unit, currency, scale, ...meaning } = meaningOf(heading, headings.own[place] as string)
      const concept = place < (beside ?? headings.full.length) ? meaning.concept : undefined
      const isFirst = concept !== undefined && !taken.has(concept)
      if (concept !== undefined) taken.add(concept)
      const letter = letterOf(place)
      return [
        {
          ...{ place, letter, heading, unit, currency, scale },
          ...{ concept: isFirst ? concept : undefined, meaning: concept },
          ...{
            name: nameOf(place, headings),
            evidence: new ColumnEvidence(),
            continued: { empty: 0, same: 0, other: 0 },
            merged: { within: 0, apart: 0 },
          },
        },
      ]
    })
    this.#rivals = rivalsIn(this.fields)
    this.figures = new Figures(() => this.decimal)
    this.#sumsUp = new RunningSums(this.fields)
    this.#unnamed = this.fields.find(({ heading }, at) => heading === '' && at < 2)
    const number = NUMBERS.map((concept) => this.by(concept)).find((field) => field !== undefined)
    const day = DAYS.map((concept) => this.by(concept)).find((field) => field !== undefined)
    this.numbering = number && new Numbering(number.place, day?.place, this.by('voucher_type')?.place)
  }

  by(concept: Concept): Field | undefined {
    if (concept === 'qty' && this.#rivals !== undefined) return { ...this.#rivals.choice.field, concept }
    const found = this.fields.find((field) => field.concept === concept)
    // QuickBooks writes no heading over the names of items and customers.
    if (found !== undefined || concept !== 'particulars' || this.#unnamed === undefined) return found
    const { evidence } = this.#unnamed
    return evidence.filled > 0 && !evidence.isNumeric && !evidence.isDate ? { ...this.#unnamed, concept } : undefined
  }

  /** All columns of this meaning. */
  all(concept: Concept): Field[] {
    return this.fields.filter(({ meaning }) => meaning === concept)
  }

  /** The sign before fractions in its texts. */
  get decimal(): '.' | ',' {
    const count = (sign: '.' | ',') => this.fields.reduce((sum, { evidence }) => sum + evidence.decimal[sign], 0)
    return count(',') > count('.') ? ',' : '.'
  }

  /** Why no rule can read it. */
  get refusal(): string | undefined {
    if (this.#refusal !== undefined) return this.#refusal
    const numbers = this.fields.filter(
      ({ meaning, evidence }) =>
        meaning !== undefined && (MONEY.has(meaning) || QUANTITIES.has(meaning)) && evidence.numbers > 0,
    )
    const scaled = numbers.find(({ scale }) => scale !== undefined)
    const title = this.titles.find((text) => IN_SCALE.test(text))
    if (scaled !== undefined || (title !== undefined && numbers.length > 0))
      return `${scaled === undefined ? `"${title}"` : scaled.heading} says that its numbers are in ${scaled?.scale ?? scaleIn(title as string)}: write them in full`
    return undefined
  }

  refuse(why: string): void {
    this.#refusal ??= why
  }

  #refusal: string | undefined

  /** The rows of the next sheet follow; `rows` are its first ones under the header. */
  begin(sheet: Omit<TableSheet, 'rows'>, above: readonly SheetRow[], rows: readonly SheetRow[]): void {
    this.sheets.push({ ...sheet, rows: 0 })
    this.#line = this.header.last
    this.#ended = false
    this.numbering?.begin()
    this.#sumsUp = new RunningSums(this.fields)
    this.#findSums(rows)
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
      if (this.#alone?.line === line - 1) this.section ??= this.#alone
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
    const filled = cells.filter((cell) => textOf(cell) !== '')
    this.#alone = filled.length === 1 && isLabel(filled[0]) ? { text: textOf(filled[0]), line } : undefined
    const isSum = this.#sums(cells) || this.#isSilentSum(row)
    if (isSum) this.#sumsUp.part()
    this.#show(row, isSum ? 'total' : 'row')
    if (isSum) return
    this.#rows++
    this.#rivals?.note(cells)
    this.#sumsUp.add(cells)
    const goesOn = this.numbering?.note(cells) === true
    this.figures.note({ line, cells, goesOn })
    for (const field of this.fields) {
      const cell = cells[field.place] ?? null
      const text = textOf(cell)
      const isMerged = text === '' && row.merged?.has(field.place) === true
      if (isMerged && this.#filled[field.place]) field.merged[goesOn ? 'within' : 'apart']++
      if (!isMerged) this.#filled[field.place] = text !== ''
      if (goesOn) field.continued[text === '' ? 'empty' : text === this.#above[field.place] ? 'same' : 'other']++
      if (!goesOn || text !== '') this.#above[field.place] = text
      field.evidence.note(cell)
    }
  }

  /** About another table beside this one, columns of one name, and rows that are sums. */
  get doubts(): readonly Doubt[] {
    const { silent, section } = this
    const merged = this.fields.filter((field) => field.meaning !== undefined && field.merged.apart > 0)
    return [
      ...(section === undefined
        ? []
        : [
            {
              reason: `row ${section.line} says ${section.text}, and the names of the columns follow again: if the rows below are about something else, such as returns, end the table there by until`,
              needed: true as const,
            },
          ]),
      ...merged.map((field) => {
        const empty = this.#rows - field.evidence.filled - field.merged.within - field.merged.apart
        const others = `; ${empty} other cells are empty, and get the value above them too`
        return {
          reason: `${field.name}: cells are merged over several rows, and all of these get the value${empty > 0 ? others : ''}`,
          ...(empty > 0 && { needed: true as const }),
        }
      }),
      ...(this.#beside === undefined ? [] : [this.#beside]),
      ...(this.#rivals?.choice.doubts ?? []),
      ...(silent === undefined
        ? []
        : [
            {
              reason: `rows without ${silent.column}, such as row ${silent.line}, have the sums of other rows: they are left out`,
            },
          ]),
    ]
  }

  /** Rows that are not sums. */
  get rows(): number {
    return this.#rows
  }

  #show({ line, cells }: SheetRow, role: SampleRow['role']): void {
    if (this.sheets.length > 1 || this.sample.length >= SAMPLE) return
    this.sample.push({ line, role, cells: cells.map(textOf) })
  }

  /** Looks for sums that do not say so, among the first rows of a sheet. */
  #findSums(rows: readonly SheetRow[]): void {
    const end = rows.findIndex(({ cells }) => this.#isOther(cells))
    const own = (end < 0 ? rows : rows.slice(0, end)).filter(
      ({ cells }) =>
        cells.some((cell) => textOf(cell) !== '') && !this.#isHeader(cells) && this.#labelAt(cells) === undefined,
    )
    const decimal = own.some(({ cells }) => cells.some((cell) => isWithComma(cell))) ? ',' : '.'
    this.#silentPlace ??= sumColumn(
      this.fields,
      own.map(({ cells }) => cells),
      decimal,
    )
    if (this.#silentPlace === undefined) this.groups.push(...groupRows(this.fields, own, decimal))
  }

  #isSilentSum({ cells, line }: SheetRow): boolean {
    const place = this.#silentPlace
    if (place === undefined || textOf(cells[place]) !== '') return false
    this.silent ??= { column: this.fields[place]?.name ?? '[A]', line }
    return true
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
  #labelAt(cells: readonly SheetCell[]): number | undefined {
    const at = cells.findIndex((cell) => typeof cell === 'string' && (isTotal(cell) || CARRIED.test(cell)))
    const label = textOf(cells[at])
    if (label === '') return undefined
    // Nobody is called just Subtotal, and a balance that is carried has a day.
    const isSure = isOnlyTotal(label)
    const isCarried = !isTotal(label)
    return isSure || cells.every((cell, place) => place === at || isNumber(cell) || (isCarried && isDay(cell)))
      ? at
      : undefined
  }

  #sums(cells: readonly SheetCell[]): boolean {
    const at = this.#labelAt(cells)
    if (at !== undefined) {
      const label = textOf(cells[at])
      const found = isTotal(label) ? this.totals : this.carried
      found.set(at, (found.get(at) ?? new Set()).add(label))
      return true
    }
    const filled = cells.filter((cell) => textOf(cell) !== '')
    const isBare = filled.every((cell) => cell !== null && /^[-(]?[\d.,]+\)?$/.test(textOf(cell)))
    const hasText = this.fields.some(({ evidence }) => evidence.filled > 0 && !evidence.isNumeric)
    // A charge without a name is bare too, but no sum.
    if (!isBare || !hasText || this.#rows < 2 || !this.#sumsUp.equals(cells)) return false
    this.bareTotals++
    return true
  }
}

/** The titles say that all numbers are in lakhs or the like. */
const IN_SCALE =
  /(?:\bin|₹|\brs\.?|\binr|\busd|\$)\s*(?:\S+\s+)?(?:lakhs?|lacs?|crores?|cr|thousands?|millions?|mio|mn|['’]?000['’]?s?)\b/iu

const isWithComma = (cell: SheetCell): boolean =>
  typeof cell === 'string' && numberIn(cell.trim(), '.') === undefined && numberIn(cell.trim(), ',') !== undefined

const isDay = (cell: SheetCell): boolean => /^\d{1,4}[-/. ](\d{1,2}|\p{L}{3,9})[-/. ]\d{2,4}\b/u.test(textOf(cell))

/** Formulas without a result count as numbers: many sums are. */
const isNumber = (cell: SheetCell): boolean => {
  if (cell !== null && typeof cell === 'object' && 'fault' in cell) return true
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
  // Kgs alone does not say what it is.
  const short = own !== full && isUnitOnly(own) ? [] : [own]
  for (const name of own === '' ? [] : [...short, full, `${full} #${nth}`]) {
    if (/[{}|]/.test(name)) continue // signs of templates
    try {
      if (placeOf(name, headings, '') === place) return name
    } catch {
      // more than one column has the name
    }
  }
  return letter
}
