/** Comparison: each record beside the record with the same key, or the same group, of an earlier period. */
import { identifier, join, raw, type Sql, sql } from '../../db/sql.js'
import { valuesIn } from './columns.js'
import { type Field, type Fields, OrNull, type Scalar, scalar } from './fields.js'
import { comparable } from './filter.js'
import { type GroupKey, isNumber, numberColumn } from './group.js'
import type { Params, Values } from './params.js'
import { nameOf, numberOf } from './periods.js'
import { type Comparison, type Range, rangeBefore, rangeOf } from './ranges.js'
import type { Shape } from './report.js'
import { BY_UNIT } from './totals.js'

/** Names the record of both sides that belong together. */
const BOTH = identifier('_both')

/**
 * Each number beside its value before and the change. `keys` are the groups of a grouped shape; without them, records with the
 * same key belong together.
 */
export function comparedShape(shape: Shape, comparison: Comparison, keys?: readonly GroupKey[]): Shape {
  const { record, orderBy, query, cancelled } = shape
  const keyColumns = new Set((keys ?? orderBy).map(({ column }) => column))
  const all = valuesIn(record)
  const numbers = all.filter((value) => isNumber(value) && !keyColumns.has(value.column))
  const others = all.filter((value) => !numbers.includes(value))
  const shown = new Set(all.map(({ column }) => column))
  const carried = [
    ...others.map(({ column }) => column),
    ...[...keyColumns].filter((column) => !shown.has(column)),
    ...(Object.hasOwn(record, BY_UNIT) ? [BY_UNIT] : []),
  ]
  return {
    record: comparedRecord(record, new Set(numbers.map(({ column }) => column))),
    orderBy,
    ...(cancelled && shown.has(cancelled.field) && { cancelled }),
    query: (values, view) => {
      const range = rangeOf(values) as Range
      const before = rangeBefore(range, comparison) as Range
      const numberOfFirst = (key: GroupKey, { from_date }: Range) =>
        numberOf(key.period as NonNullable<GroupKey['period']>, sql`${from_date}::date`)
      const side = (of: Values<Params>, range: Range): Sql => {
        const parts =
          keys?.map((key, i) =>
            key.period
              ? sql`shown.${numberColumn(i)} - ${numberOfFirst(key, range)}` // its place in the period
              : sql`shown.${identifier(key.column)}`,
          ) ?? [...keyColumns].map((column) => sql`shown.${identifier(column)}`)
        return sql`
          select ${join(
            [
              raw('shown.*'),
              sql`json_build_array(${join(parts, ', ')})::text collate "C" as ${BOTH}`,
              ...numbers.map((value, i) => sql`${comparable(value, view)} as ${valueColumn(i)}`),
            ],
            ', ',
          )} from (${query(of, view)}) shown`
      }
      const name = (column: string): Sql => {
        const i = keys?.findIndex((key) => key.column === column) ?? -1
        const key = keys?.[i]
        if (key?.period === undefined)
          return sql`case when now.${BOTH} is null then before.${identifier(column)} else now.${identifier(column)} end`
        const shifted = sql`before.${numberColumn(i)} - ${numberOfFirst(key, before)} + ${numberOfFirst(key, range)}`
        return nameOf(key.period, sql`coalesce(now.${numberColumn(i)}, ${shifted})`)
      }
      const columns = [
        ...carried.map((column) => sql`${name(column)} as ${identifier(column)}`),
        ...numbers.flatMap(({ column }, i) => {
          const of = (side: Sql) => sql`case when ${side}.${BOTH} is null then 0 else ${side}.${valueColumn(i)} end`
          const [now, then] = [of(raw('now')), of(raw('before'))]
          return [
            sql`${now} as ${identifier(column)}`,
            sql`${then} as ${identifier(`${column}${BEFORE}`)}`,
            sql`${now} - ${then} as ${identifier(`${column}${CHANGE}`)}`,
          ]
        }),
      ]
      return sql`
        select ${join(columns, ', ')}
          from (${side(values, range)}) now
          full join (${side({ ...values, ...before }, before)}) before on now.${BOTH} = before.${BOTH}`
    },
  }
}

const BEFORE = '__before'
const CHANGE = '__change'
const valueColumn = (i: number): Sql => identifier(`_value ${i}`)

/** The lines of a record are left out, except the sums of each unit in a record of totals, which are of the present. */
function comparedRecord(fields: Fields, numbers: ReadonlySet<string>, prefix = ''): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]: [string, Field]): [string, Field][] => {
      if (field.kind === 'nested')
        return [[name, { ...field, fields: comparedRecord(field.fields, numbers, `${prefix}${name}_`) }]]
      if (field.kind === 'lines') return name === BY_UNIT ? [[name, field]] : []
      const { behind: _, ...kept } = field
      if (!numbers.has(`${prefix}${name}`)) return [[name, kept]]
      return [
        [name, field],
        [`${name}${BEFORE}`, { ...kept, description: `The same in the period before. ${kept.description}` }],
        [`${name}${CHANGE}`, changeOf(kept, name)],
      ]
    }),
  )
}

/** Null if one of the two has no value. */
function changeOf({ type, absent, extra, additive, unit }: Scalar<unknown>, name: string): Field {
  const field = {
    ...scalar(type, `\`${name}\` − \`${name}${BEFORE}\`.`),
    ...(extra && { extra }),
    ...(additive && { additive }),
    ...(unit !== undefined && { unit }),
  }
  return absent === undefined ? field : OrNull(field)
}
