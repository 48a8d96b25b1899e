/** The account of a pull of spreadsheets: how many rows of each sheet were read, used and left out, and for which reason. */
import type { SheetMapping } from './mapping.js'
import { type ColumnTotal, Totals } from './totals.js'

export interface Account {
  readonly sheets: readonly SheetAccount[]
  /** Files and sheets that no rule of the mapping takes. */
  readonly unread: readonly string[]
}

export interface SheetAccount {
  readonly file: string
  readonly sheet: string
  readonly entity: string
  /** Rows under the header. */
  readonly read: number
  readonly used: number
  readonly leftOut: readonly Noted[]
  /** Used rows that were converted from another unit, that are hidden, or that lack the value of a merged cell. */
  readonly noted: readonly Noted[]
  /** Sums over the used rows, beside the totals that the sheet states. */
  readonly totals: readonly ColumnTotal[]
}

export interface Noted {
  readonly why: string
  readonly rows: number
  /** The numbers of the first rows. */
  readonly first: readonly number[]
  /** A rule of the mapping asks for it. */
  readonly byRule: boolean
}

const FIRST = 3

/** Collects the account of one sheet for one entity. */
export class Counting {
  read = 0
  used = 0
  readonly totals: Totals
  readonly #leftOut = new Map<string, Growing>()
  readonly #noted = new Map<string, Growing>()

  constructor(mapping: SheetMapping) {
    this.totals = new Totals(mapping)
  }

  /** `rows` from `line` on. */
  leaveOut(why: string, line: number, byRule: boolean, rows = 1): void {
    note(this.#leftOut, why, line, byRule, rows)
  }

  /** A used row of which a person should know something. */
  note(why: string, line: number): void {
    note(this.#noted, why, line, false, 1)
  }

  account(about: Pick<SheetAccount, 'file' | 'sheet' | 'entity'>): SheetAccount {
    return {
      ...{ ...about, read: this.read, used: this.used },
      ...{ leftOut: [...this.#leftOut.values()], noted: [...this.#noted.values()] },
      totals: this.totals.result(),
    }
  }
}

type Growing = Noted & { rows: number; first: number[] }

function note(all: Map<string, Growing>, why: string, line: number, byRule: boolean, rows: number): void {
  const one = all.get(why) ?? { why, rows: 0, first: [], byRule }
  one.rows += rows
  for (let i = 0; i < rows && one.first.length < FIRST; i++) one.first.push(line + i)
  all.set(why, one)
}

const rowsOf = ({ rows, first }: Noted): string =>
  `${rows === 1 ? 'row' : `${rows} rows:`} ${first.join(', ')}${rows > first.length ? ' …' : ''}`

/** The objections of `--strict`, one line each. */
export function objections({ sheets, unread }: Account): string[] {
  const found = sheets.flatMap(({ file, sheet, entity, leftOut, noted }) => {
    const where = `${placeName(file, sheet)}, ${entity}`
    return [
      ...leftOut.filter(({ byRule }) => !byRule).map((one) => `${where}: left out because ${one.why}: ${rowsOf(one)}`),
      ...noted.map((one) => `${where}: ${one.why}: ${rowsOf(one)}`),
    ]
  })
  return [...unread.map((name) => `${name}: no rule of the mapping reads it`), ...found]
}

export const placeName = (file: string, sheet: string): string => (sheet === '' ? file : `${file}[${sheet}]`)

/** The account for people, one line each. */
export function accountLines({ sheets, unread }: Account): string[] {
  return [
    ...sheets.flatMap(({ file, sheet, entity, read, used, leftOut, noted, totals }) => [
      `${placeName(file, sheet)}: ${read} ${read === 1 ? 'row' : 'rows'} read for ${entity}, ${used} used`,
      ...leftOut.map((one) => `  left out because ${one.why}: ${rowsOf(one)}`),
      ...noted.map((one) => `  ${one.why}: ${rowsOf(one)}`),
      ...totalLines(totals),
    ]),
    ...(unread.length > 0 ? [`not read: ${unread.join(', ')}`] : []),
  ]
}

/** Sums that the sheet confirms, or says nothing of, are on one line each; a difference has its own. */
function totalLines(totals: readonly ColumnTotal[]): string[] {
  const shown = (all: readonly ColumnTotal[]) =>
    all.map(({ column, sum, parts }) => `${column} ${grouped(sum)}${partWords(parts)}`).join(', ')
  const equal = totals.filter(({ stated, difference }) => stated !== null && difference === null)
  const alone = totals.filter(({ stated }) => stated === null)
  const rows = [...new Set(equal.map(({ line }) => line))].join(', ')
  return [
    ...(equal.length > 0 ? [`  sums as the sheet states them in row ${rows}: ${shown(equal)}`] : []),
    ...(alone.length > 0 ? [`  sums: ${shown(alone)}`] : []),
    ...totals.flatMap(({ column, sum, stated, line, difference }) =>
      stated === null || difference === null
        ? []
        : `  DIFFERENCE: ${column} sums up to ${grouped(sum)}, but row ${line} states ${grouped(stated)}: ${grouped(difference.replace('-', ''))} ${difference.startsWith('-') ? 'is missing' : 'too much'}`,
    ),
  ]
}

/** A sum over several units means nothing; the sums of each unit do. */
const partWords = (parts: ColumnTotal['parts']): string =>
  parts.length === 0
    ? ''
    : ` (${parts.map(({ unit, sum }) => `${grouped(sum)} ${unit === '' ? 'without a unit' : unit}`).join(', ')})`

/** 1234567.5 as 1,234,567.5. */
const grouped = (number: string): string => number.replace(/^-?\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','))

/** The account as the command prints it with `--json`. */
export const accountJson = ({ sheets, unread }: Account): object => {
  const json = (all: readonly Noted[]) => all.map(({ byRule, ...one }) => ({ ...one, by_rule: byRule }))
  return {
    sheets: sheets.map(({ leftOut, noted, ...one }) => ({
      ...{ ...one, left_out: json(leftOut), noted: noted.map(({ byRule, ...two }) => two) },
    })),
    unread,
  }
}
