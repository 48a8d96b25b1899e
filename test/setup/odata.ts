/** Reads OData in tests: requests, the types in `$metadata`, and the records that a report's JSON means as a flat table. */
import { valuesIn } from '../../src/kernel/report/columns.js'
import type { Scalar } from '../../src/kernel/report/fields.js'
import { listsIn } from '../../src/kernel/report/flat.js'
import { keyed } from '../../src/kernel/report/keyed.js'
import type { Report, Shape } from '../../src/kernel/report/report.js'

export interface EdmProperty {
  name: string
  type: string
  nullable: boolean
  scale: number | undefined
  precision: number | undefined
}

export interface EdmEntity {
  key: string[]
  properties: EdmProperty[]
}

const attribute = (text: string, name: string): string | undefined => new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1]

/** The entity types of a `$metadata` document, by name. */
export function entitiesIn(xml: string): Map<string, EdmEntity> {
  const found = new Map<string, EdmEntity>()
  for (const [whole, name = ''] of xml.matchAll(/<EntityType Name="([^"]+)">.*?<\/EntityType>/gs)) {
    const properties = [...whole.matchAll(/<Property ([^>]*)>/g)].map(([, text = '']) => ({
      name: attribute(text, 'Name') as string,
      type: attribute(text, 'Type') as string,
      nullable: attribute(text, 'Nullable') !== 'false',
      scale: numberOf(attribute(text, 'Scale')),
      precision: numberOf(attribute(text, 'Precision')),
    }))
    const key = [...whole.matchAll(/<PropertyRef Name="([^"]+)"/g)].map(([, ref = '']) => ref)
    found.set(name, { key, properties })
  }
  return found
}

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text))

/** The names of the entity sets of a `$metadata` document. */
export const setsIn = (xml: string): string[] =>
  [...xml.matchAll(/<EntitySet Name="([^"]+)"/g)].map(([, name = '']) => name)

/** A value in a URL. */
export const literalOf = (value: unknown, kind: string): string => {
  if (value === null || value === undefined) return 'null'
  return kind === 'date' || kind === 'zero-or-one' || kind === 'whole-number'
    ? String(value)
    : `'${String(value).replaceAll("'", "''")}'`
}

type Json = Record<string, unknown>

/** The records that OData has for records of a report with all of its fields, as they are with numbers as strings. */
export function flatRecords(
  report: Report,
  shapeName: string,
  records: readonly Json[],
  offset: string,
  list?: string,
): Json[] {
  const shape = keyed(report).shapes.get(shapeName) as Shape
  const values = valuesIn(shape.record)
  const key = shape.orderBy.map(({ column }) => column)
  const fieldOf = new Map(values.map(({ column, field }) => [column, field]))
  const isKeyed = key.every((column) => {
    const field = fieldOf.get(column)
    return field !== undefined && field.absent === undefined && field.type.kind !== 'object'
  })
  const found = listsIn(shape.record).find(({ name }) => name === list)
  return records.flatMap((record, i): Json[] => {
    const row = isKeyed ? {} : { _row: String(i + 1) }
    const flat: Json = Object.fromEntries(
      values.flatMap(({ column, path, field }) => {
        const value = at(record, path)
        return value === undefined ? [] : [[column, inOData(value, field, offset)]] // REST shows no hidden key
      }),
    )
    if (found === undefined) return [{ ...flat, ...row }]
    const heads = isKeyed ? key : ['_row']
    if (shape.cancelled !== undefined) heads.push(shape.cancelled.field)
    const head = Object.fromEntries(Object.entries({ ...flat, ...row }).filter(([name]) => heads.includes(name)))
    const lines = at(record, found.path) as Json[]
    return lines.map((line, n) => ({
      ...head,
      _line: String(n + 1),
      ...Object.fromEntries(
        valuesIn(found.lines.fields).map(({ column, path, field }) => [
          `${found.name}_${column}`,
          inOData(at(line, path), field, offset),
        ]),
      ),
    }))
  })
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((found, name) => (found as Json | null | undefined)?.[name], value)

function inOData(value: unknown, { type, absent }: Scalar<unknown>, offset: string): unknown {
  if (value === null || value === absent) return null
  switch (type.kind) {
    case 'integer':
      return String(value)
    case 'number':
      return Number(value).toFixed(type.digits)
    case 'flag':
      return value === 'true'
    case 'list':
      return (value as string[]).join(', ')
    case 'object':
      return value
    case 'timestamp':
      return isoOf(String(value), offset)
    default:
      return value
  }
}

/** `2026-06-01 01:15:00PM` or `2026-06-01 13:15:00` in the account's time zone. */
function isoOf(text: string, offset: string): string {
  const [, day, hour = '', rest, half] = /^(\S+) (\d\d)(:\d\d:\d\d)([AP]M)?$/.exec(text) ?? []
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'PM' ? 12 : 0)
  return `${day}T${String(hours).padStart(2, '0')}${rest}${offset}`
}
