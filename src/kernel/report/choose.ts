/** Chooses the fields of a report's records: the contract's, all of them, or the ones that a caller names, in that order. */
import { nearest } from '../../nearest.js'
import { valuesIn } from './columns.js'
import type { Field, Fields } from './fields.js'
import type { Shape } from './report.js'

/** Every field that a report declares. */
export const ALL = 'all'
/** The fields of the contract. */
export const CONTRACT = 'contract'
const MOST_FIELDS = 100

/** The shape with the contract's fields; the same object every time, because answers are kept by it. */
export function contractShape(shape: Shape): Shape {
  const known = contracts.get(shape) ?? withRecord(shape, contractFields(shape.record))
  contracts.set(shape, known)
  return known
}
const contracts = new WeakMap<Shape, Shape>()

/** The fields without extra ones; the same object if there are none. */
function contractFields(fields: Fields): Fields {
  const kept = Object.entries(fields)
    .filter(([, field]) => !field.extra)
    .map(([name, field]): [string, Field] => {
      if (field.kind === 'scalar') return [name, field]
      const inside = contractFields(field.fields)
      return [name, inside === field.fields ? field : { ...field, fields: inside }]
    })
  const isSame = kept.length === Object.keys(fields).length && kept.every(([name, field]) => fields[name] === field)
  return isSame ? fields : Object.fromEntries(kept)
}

/** The shape with the fields that this text names; or the errors, as messages without their subject. */
export function chosenShape(shape: Shape, text: string): Shape | string[] {
  if (text === ALL) return shape
  if (text === CONTRACT) return contractShape(shape)
  const errors: string[] = []
  const names = text.split(',').map((name) => name.trim())
  if (names.length > MOST_FIELDS) return [`must be at most ${MOST_FIELDS} fields, not ${names.length}`]
  const record: Chosen = {}
  for (const name of names) {
    const found = fieldAt(shape.record, name.split('.'))
    if (found === undefined) errors.push(notFound(shape.record, name))
    else if (!put(record, name.split('.'), shape.record, found)) errors.push(`names ${name} twice`)
  }
  return errors.length > 0 ? errors : withRecord(shape, record)
}

type Chosen = Record<string, Field>

function fieldAt(fields: Fields, [name = '', ...rest]: readonly string[]): Field | undefined {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (rest.length === 0) return field
  return field?.kind === 'nested' ? fieldAt(field.fields, rest) : undefined
}

/** Adds a field at its path; returns false if the record has it already. */
export function put(record: Chosen, [name = '', ...rest]: readonly string[], from: Fields, field: Field): boolean {
  const there = record[name]
  const around = from[name]
  if (rest.length === 0 || around?.kind !== 'nested') {
    if (there !== undefined) return false
    record[name] = field
    return true
  }
  if (there === around) return false // the whole object was named
  const inside: Chosen = there?.kind === 'nested' ? { ...there.fields } : {}
  if (!put(inside, rest, around.fields, field)) return false
  record[name] = { ...around, fields: inside }
  return true
}

function notFound(record: Fields, name: string): string {
  const shown = JSON.stringify(name.slice(0, 60))
  const [list = ''] = name.split('.')
  if (record[list]?.kind === 'lines') return `names ${shown}, which is inside a list; name the whole list, ${list}`
  const names = [...valuesIn(record).map(({ path }) => path.join('.')), ...Object.keys(record)]
  return notAField(name, [...new Set(names)])
}

/** The error for an unknown field, without its subject. */
export const notAField = (name: string, names: readonly string[]): string =>
  `names ${JSON.stringify(name.slice(0, 60))}, which is not a field of this report${nearest(name.slice(0, 60), names)}`

function withRecord(shape: Shape, record: Fields): Shape {
  if (record === shape.record) return shape
  const key = shape.orderBy.map(({ column }) => column)
  const shown = new Set(valuesIn(record).map(({ column }) => column))
  const left = valuesIn(shape.record).filter(({ column }) => key.includes(column) && !shown.has(column))
  const unshown = Object.fromEntries(left.map(({ column, field }) => [column, field]))
  return { ...shape, record, ...(left.length > 0 && { unshownKey: unshown }) }
}
