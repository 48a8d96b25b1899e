/** The values of one row of a sheet in the columns of an import, by the rules of the mapping. */
import type { Column } from '../../import/columns.js'
import type { Entity } from '../../import/entity.js'
import { type Calculation, calculate, columnsOf, isOneColumn } from './calculation.js'
import { columnsIn } from './columns-in.js'
import { round } from './decimal.js'
import { numberIn, type Reading, readCell } from './formats.js'
import type { From, SheetMapping } from './mapping.js'
import { Ambiguous, type Masters } from './masters.js'
import { type SheetCell, textOf } from './sheet.js'
import { type Template, yearOf } from './template.js'

/** An error in a cell of the import's column. */
export interface CellFault {
  readonly column: string
  readonly value: string | null
  readonly message: string
}

/** What the rows of an entity have in common, over all of its sheets. */
export interface State {
  /** The number of rows so far with a text, by import column and text. */
  readonly counts: Map<string, number>
  readonly masters: Masters
}

export interface RowValues {
  readonly values: (string | null)[]
  /** By import column: the unit and currency that its cell states. */
  readonly stated: ReadonlyMap<string, Reading>
  readonly faults: CellFault[]
}

/** 8901234567894 as Excel shows it, and then writes it into a text file. */
export const SHORTENED = /^\d\.\d+E\+\d{2,3}$/

/** Why a text is not what people typed. */
const isShortened = (cell: SheetCell): boolean => typeof cell === 'string' && SHORTENED.test(cell.trim())
const shortened = (text: string): string =>
  `${text} is a number that a spreadsheet program has shortened, so its last digits are lost: export the column as texts`

export const columnOf = (entity: Entity, name: string): Column | undefined =>
  (entity.columns as Record<string, Column>)[name]

/** `at` gives the cell of a sheet's column, after `fill`. */
export function valuesOf(
  { entity, columns, formats }: SheetMapping,
  at: (column: string) => SheetCell,
  sheet: string,
  { counts, masters }: State,
): RowValues {
  const stated = new Map<string, Reading>()
  const faults: CellFault[] = []
  const count = (name: string, text: string): number => {
    const key = `${name} ${text}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
    return counts.get(key) as number
  }
  const templateText = (name: string, template: Template): string | null => {
    const pieces = template.map((piece) => {
      if (typeof piece === 'string') return piece
      if ('nth' in piece) return NTH
      if ('sheet' in piece) return sheet
      const cell = at(piece.column)
      if (cell !== null && typeof cell === 'object' && 'fault' in cell) {
        faults.push({ column: name, value: null, message: `the cell of ${piece.column} ${cell.fault}` })
        return ''
      }
      if (piece.part === 'text') {
        if (isShortened(cell)) faults.push({ column: name, value: textOf(cell), message: shortened(piece.column) })
        return textOf(cell)
      }
      const day = typeof cell === 'string' ? (formats.date(cell.trim()) ?? '') : textOf(cell)
      if (!/^\d{4}-\d\d-\d\d/.test(day)) {
        if (textOf(cell) !== '')
          faults.push({ column: name, value: textOf(cell), message: `${piece.column} is no date` })
        return ''
      }
      return piece.part === 'year' ? yearOf(day, piece.begins) : day.slice(0, 10)
    })
    const isEmpty = template.every((piece, i) => typeof piece === 'string' || pieces[i] === '' || pieces[i] === NTH)
    if (isEmpty) return null
    const text = pieces.join('')
    return text.includes(NTH) ? text.replaceAll(NTH, String(count(name, text))) : text
  }
  const read = (name: string, from: From): string | null => {
    if ('constant' in from) return readCell(from.constant, columnOf(entity, name), formats).text
    if ('count' in from) return String(count(name, templateText(name, from.count) ?? ''))
    if ('text' in from) return templateText(name, from.text)
    const calculation = 'sum' in from ? from.sum : 'calc' in from ? from.calc : undefined
    if (calculation !== undefined && !isOneColumn(calculation))
      return calculated(name, calculation, 'calc' in from ? from.round : undefined)
    const column = 'column' in from ? from.column : 'code' in from ? from.code : (columnsIn(from)[0] as string)
    const cell = at(column)
    if (cell !== null && typeof cell === 'object' && 'fault' in cell) {
      faults.push({ column: name, value: null, message: `the cell ${cell.fault}` })
      return null
    }
    if (isShortened(cell) && columnOf(entity, name)?.sqlType.startsWith('text'))
      faults.push({ column: name, value: textOf(cell), message: shortened(column) })
    if ('code' in from) {
      const text = textOf(cell)
      if (text === '') return null
      try {
        return masters.codeOf(codedBy(entity, name), text)
      } catch (error) {
        if (!(error instanceof Ambiguous)) throw error
        faults.push({ column: name, value: text, message: error.message })
        return null
      }
    }
    const values = 'values' in from ? from.values : {}
    const word = (text: string) => (Object.hasOwn(values, text) ? values[text] : undefined)
    const replaced = word(textOf(cell))
    if (replaced !== undefined) return replaced
    if ('take' in from && from.take === 'unit') {
      const unit =
        typeof cell === 'object' && cell !== null ? (cell.unit ?? null) : numberIn(textOf(cell), formats.decimal)?.unit
      return unit === null || unit === undefined ? null : (word(unit) ?? unit)
    }
    const reading = readCell(cell, columnOf(entity, name), formats)
    if (reading.unit !== undefined || reading.currency !== undefined)
      stated.set(name, { ...reading, unit: reading.unit && (word(reading.unit) ?? reading.unit) })
    // A sum is rounded after its last row.
    return reading.text === null || 'sum' in from || from.round === undefined
      ? reading.text
      : round(reading.text, from.round)
  }
  const calculated = (name: string, calculation: Calculation, digits: number | undefined): string | null => {
    const units: (string | undefined)[] = []
    const result = calculate(calculation, (column) => {
      const cell = at(column)
      if (cell !== null && typeof cell === 'object' && 'fault' in cell) {
        faults.push({ column: name, value: null, message: `the cell of ${column} ${cell.fault}` })
        return null
      }
      // Read as a price, because a price may name the unit that it is for.
      const reading = readCell(cell, { ...(columnOf(entity, name) as Column), measure: 'price' }, formats)
      if (reading.text !== null) units.push(reading.unit)
      if (reading.currency !== undefined) stated.set(name, { text: reading.text, currency: reading.currency })
      return reading.text
    })
    const found = [...new Set(units.flatMap((unit) => unit ?? []))]
    const texts = () => columnsOf(calculation).map((column) => `${column} ${JSON.stringify(textOf(at(column)))}`)
    if (result === undefined || found.length > 1) {
      faults.push({ column: name, value: null, message: `cannot be calculated from ${texts().join(', ')}` })
      return null
    }
    if (found.length === 1 && units.includes(undefined))
      stated.set(name, { ...stated.get(name), text: result, unit: found[0], isBare: true })
    return result === null || digits === undefined ? result : round(result, digits)
  }
  return { values: [...columns].map(([name, from]) => read(name, from)), stated, faults }
}

/** Stands for the number of a row until the rest of its text is known. */
const NTH = '\u0000'

/** The entity that a column's code belongs to. */
function codedBy(entity: Entity, name: string): string {
  const reference = entity.references?.find(({ columns }) => columns.length === 1 && columns[0] === name)
  return columnOf(entity, name)?.lookup?.entity ?? reference?.entity ?? entity.name
}
