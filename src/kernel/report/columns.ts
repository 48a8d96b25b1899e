/** Describes a report's records to surfaces, from its declaration: the type of every field, and the record's key. */
import type { Behind, Currency, Field, Fields, InWords, Scalar, Thing, ValueType } from './fields.js'
import type { OrderColumn } from './order.js'
import type { Shape } from './report.js'

interface About {
  /** As it stands in the record, or in the object around it. */
  readonly name: string
  readonly description: string
  /** A short heading, if the words for its name are long. */
  readonly heading?: string
  /** Beyond the contract's record. */
  readonly extra?: true
}

/** A single value. */
export type ValueColumn = About &
  ValueType & {
    /** Sent where there is no value: null or a marker. A column without `absent` always has a value. */
    readonly absent?: null | string
    /** Personal contact data, which some clients must not see: an empty string for them. */
    readonly contact: boolean
    /** Whether its values can be added up over records; `totals` has their sum. */
    readonly additive: boolean
    /** The name of the field that has the unit of a quantity. */
    readonly unit?: string
    /** Only of money: the account's currency, or the currency that this field of the whole record has. */
    readonly currency?: Currency
    /** The words that people read in place of a value. */
    readonly inWords?: InWords
    /** The request that explains a value, made from the record and its request. */
    readonly behind?: Behind
    /** The thing that a value names: the first of these that it can name. */
    readonly things?: readonly Thing[]
  }

/** An object. */
export interface NestedColumn extends About {
  readonly kind: 'nested'
  readonly columns: readonly Column[]
}

/** An array of objects, in the order of their key. */
export interface LinesColumn extends About {
  readonly kind: 'lines'
  readonly columns: readonly Column[]
  readonly key: readonly KeyPart[]
}

export type Column = ValueColumn | NestedColumn | LinesColumn

/** One column of the key. The whole key is a total order of the records. */
export interface KeyPart {
  /** The column of the report's query. */
  readonly column: string
  readonly descending: boolean
  /** Where its value stands in the record; undefined for a column that the record does not show. */
  readonly path: readonly string[] | undefined
}

/** The fields of a record, in its order; objects and lines hold their own fields. */
export const columnsOf = ({ record, headings = {} }: Pick<Shape, 'record' | 'headings'>): Column[] =>
  columnsIn(record, [], headings)

type Headings = Readonly<Record<string, string>>

const columnsIn = (fields: Fields, around: readonly string[], headings: Headings): Column[] =>
  Object.entries(fields).map(([name, field]) => columnOf([...around, name], field, headings))

function columnOf(path: readonly string[], field: Field, headings: Headings): Column {
  const name = path.at(-1) as string
  const heading = headings[path.join('.')]
  const about = {
    ...{ name, description: field.description },
    ...(heading !== undefined && { heading }),
    ...(field.extra && { extra: field.extra }),
  }
  switch (field.kind) {
    case 'scalar': {
      const { type, absent, contact = false, additive = false, unit, currency, inWords, behind, things } = field
      const given = Object.entries({ absent, unit, currency, inWords, behind, things }).filter(
        ([, value]) => value !== undefined,
      )
      return { ...about, ...type, ...Object.fromEntries(given), contact, additive }
    }
    case 'nested':
      return { ...about, kind: 'nested', columns: columnsIn(field.fields, path, headings) }
    case 'lines': {
      const shape = { record: field.fields, orderBy: field.orderBy }
      return { ...about, kind: 'lines', columns: columnsOf(shape), key: keyOf(shape) }
    }
  }
}

/** The key of a record, in its order. */
export function keyOf({ record, orderBy }: { record: Fields; orderBy: readonly OrderColumn[] }): KeyPart[] {
  const paths = new Map(valuesIn(record).map(({ column, path }) => [column, path]))
  return orderBy.map(({ column, descending }) => ({ column, descending, path: paths.get(column) }))
}

/** A single value of a record, outside of lines. */
export interface RecordValue {
  /** The column of the report's query, such as `billing_city` for `city` in `billing`. */
  readonly column: string
  readonly path: readonly string[]
  readonly field: Scalar<unknown>
}

export function valuesIn(fields: Fields, around: readonly string[] = []): RecordValue[] {
  return Object.entries(fields).flatMap(([name, field]: [string, Field]) => {
    const path = [...around, name]
    if (field.kind === 'nested') return valuesIn(field.fields, path)
    return field.kind === 'scalar' ? [{ column: path.join('_'), path, field }] : []
  })
}
