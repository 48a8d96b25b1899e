/** What the cells of one column have in common. */
import { isCurrency, numberIn } from '../formats.js'
import { isMeasure } from '../measures.js'
import { type SheetCell, textOf } from '../sheet.js'
import { DateEvidence } from './dates.js'
import type { ColumnKind } from './proposal.js'
import { type Concept, DATES, MONEY, QUANTITIES } from './words.js'

/** More different texts than a list of items or customers has need not be kept. */
const MOST_TEXTS = 50_000
const MOST_WORDS = 50
/** Of a long column, the texts that are tried as numbers. */
const MOST_TRIED = 20_000

/** Codes of currencies that sheets have as units of goods. */
const UNITS_TOO = /^(pen|cup)$/i

export class ColumnEvidence {
  filled = 0
  /** Cells that were looked at for numbers. */
  #tried = 0
  numbers = 0
  percents = 0
  negative = 0
  /** The largest number, without its sign. */
  largest = 0
  /** Numbers as texts that only one decimal sign explains. */
  readonly decimal = { '.': 0, ',': 0 }
  /** Numbers as texts that both signs explain, with different values: 1.234. */
  ambiguous = 0
  readonly dates = new DateEvidence()
  dateCount = 0
  measures = 0
  /** How often each unit and currency stands with a number. */
  readonly units = new Map<string, number>()
  readonly currencies = new Map<string, number>()
  /** The currency of its first number: many programs write it there and into the total only. */
  firstCurrency: string | undefined
  readonly texts = new Map<string, number>()
  readonly examples: string[] = []
  faults = 0
  /** What is wrong with the first of them. */
  fault: string | undefined

  note(cell: SheetCell): void {
    const text = textOf(cell)
    if (text === '') return
    this.filled++
    if (this.examples.length < 3 && !this.examples.includes(text)) this.examples.push(text)
    if (cell !== null && typeof cell === 'object' && 'fault' in cell) {
      this.#tried++
      this.faults++
      this.fault ??= cell.fault
      return
    }
    if (this.texts.size < MOST_TEXTS || this.texts.has(text)) this.texts.set(text, (this.texts.get(text) ?? 0) + 1)
    if (cell !== null && typeof cell === 'object') {
      this.#tried++
      if (/^\d{4}-\d\d-\d\d/.test(cell.value)) {
        this.dateCount++
        this.dates.known(cell.value)
      } else if (/^-?\d/.test(cell.value)) {
        this.#number(cell.value, cell.unit, cell.currency)
        if (cell.percent !== undefined) this.percents++
      }
      return
    }
    if (this.dates.text(text)) {
      this.dateCount++
      this.#tried++
    } else if (this.#tried < MOST_TRIED) {
      this.#tried++
      this.#text(text)
    }
  }

  #text(text: string): void {
    if (isMeasure(text)) this.measures++
    const plain = text.replace(/\s*%$/, '')
    const [point, comma] = [numberIn(plain, '.'), numberIn(plain, ',')]
    const found = point ?? comma
    if (found === undefined) return
    if (point === undefined) this.decimal[',']++
    else if (comma === undefined || (comma.number !== point.number && /[.,]\d{1,2}\D*$/.test(plain)))
      this.decimal['.']++
    else if (comma.number !== point.number) this.ambiguous++
    if (plain !== text) this.percents++
    this.#number(found.number, found.unit ?? undefined, found.currency)
  }

  #number(number: string, unit: string | undefined, currency: string | undefined): void {
    this.numbers++
    if (number.startsWith('-')) this.negative++
    this.largest = Math.max(this.largest, Math.abs(Number(number)) || 0)
    const isMoney = unit !== undefined && isCurrency(unit) && !UNITS_TOO.test(unit)
    const money = currency ?? (isMoney ? unit : undefined)
    if (unit !== undefined && !isMoney) this.units.set(unit, (this.units.get(unit) ?? 0) + 1)
    if (this.numbers === 1) this.firstCurrency = money
    if (money !== undefined) this.currencies.set(money, (this.currencies.get(money) ?? 0) + 1)
  }

  get isNumeric(): boolean {
    return this.numbers > 0 && this.numbers >= 0.8 * (this.#tried - this.faults)
  }

  get isDate(): boolean {
    return this.dateCount > 0 && this.dateCount >= 0.8 * (this.filled - this.faults)
  }

  /** The few words that it has, such as kinds; undefined if it has many. */
  get words(): readonly string[] | undefined {
    return this.texts.size <= MOST_WORDS ? [...this.texts.keys()] : undefined
  }

  kind(concept: Concept | undefined): ColumnKind {
    if (this.filled === 0) return 'empty'
    if (this.isDate) return 'date'
    if (this.isNumeric) {
      if (this.percents > 0) return 'percent'
      if (this.currencies.size > 0 || (concept !== undefined && MONEY.has(concept))) return 'amount'
      if (this.units.size > 0 || (concept !== undefined && QUANTITIES.has(concept))) return 'quantity'
      return 'number'
    }
    if (concept === 'unit' || this.measures >= 0.8 * this.#tried) return 'unit'
    if (this.texts.size <= 2 && [...this.texts.keys()].every((text) => /^(yes|no|true|false|y|n)$/i.test(text)))
      return 'yes-no'
    return 'text'
  }

  /** The cells contradict what the heading says. */
  contradicts(concept: Concept): boolean {
    if (this.filled === 0 || this.filled === this.faults) return false
    if (DATES.has(concept)) return !this.isDate
    if (MONEY.has(concept) || QUANTITIES.has(concept)) return this.numbers < 0.5 * (this.#tried - this.faults)
    return false
  }
}
