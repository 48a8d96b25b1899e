/** Totals of a report: one record with the number of records, the sums of their fields, and the sums of quantities in each unit. */
import { identifier, join, literal, raw, type Sql, sql } from '../../db/sql.js'
import { type RecordValue, valuesIn } from './columns.js'
import { Decimal, type Field, type Fields, Integer, Lines, Nested, OrNull, Text } from './fields.js'
import { type Condition, comparable, where } from './filter.js'
import { readOrder } from './order.js'
import type { Shape } from './report.js'

/** The number of records. */
export const ROWS = 'rows'
/** The number of cancelled documents that no figure has. */
export const CANCELLED = '_cancelled'
export const BY_UNIT = '_by_unit'

/** Cancelled records count if a filter names their state. */
export const leavesOut = (cancelled: Shape['cancelled'], filtered: ReadonlySet<string>): cancelled is Cancelled =>
  cancelled !== undefined && !filtered.has(cancelled.field)
type Cancelled = NonNullable<Shape['cancelled']>

/** One record. The sums add the values as the records show them. */
export function totalsShape(shape: Shape, conditions: readonly Condition[], filtered: ReadonlySet<string>): Shape {
  const { record, query, cancelled } = shape
  const added = valuesIn(record).filter(({ field }) => field.additive)
  const quantities = added.filter(isQuantity)
  return {
    record: totalsRecord(shape),
    orderBy: readOrder([ROWS]),
    query: (values, view) => {
      const columns = join(
        [
          sql`${leavesOut(cancelled, filtered) ? sql`shown.${identifier(cancelled.field)} = ${literal(cancelled.is)}` : raw('false')} as left_out`,
          ...added.map((value) => sql`${comparable(value, view)} as ${identifier(value.column)}`),
          ...unitsOf(quantities).map((unit) => sql`shown.${identifier(unit)} as ${identifier(`_unit ${unit}`)}`),
        ],
        ', ',
      )
      const sums = added.map((value) => sql`${sumOf(value)} as ${identifier(value.column)}`)
      const figures = [sql`count(*) filter (where not left_out) as ${identifier(ROWS)}`, ...sums]
      if (cancelled !== undefined) figures.push(sql`count(*) filter (where left_out) as ${identifier(CANCELLED)}`)
      if (quantities.length > 0) figures.push(sql`(${byUnit(quantities)}) as ${identifier(BY_UNIT)}`)
      return sql`
        with counted as (select ${columns} from (${query(values, view)}) shown ${where(conditions, view)})
        select ${join(figures, ', ')} from counted`
    },
  }
}

interface QuantityValue extends RecordValue {
  readonly field: RecordValue['field'] & { readonly unit: string }
}
const isQuantity = (value: RecordValue): value is QuantityValue => value.field.unit !== undefined

const unitsOf = (quantities: readonly QuantityValue[]): string[] => [
  ...new Set(quantities.map(({ field }) => field.unit)),
]

/** Null for a quantity in several units. */
function sumOf(value: RecordValue): Sql {
  const column = identifier(value.column)
  const sum = sql`coalesce(sum(${column}) filter (where not left_out), 0)`
  if (!isQuantity(value)) return sum
  const unit = identifier(`_unit ${value.field.unit}`)
  return sql`case when count(distinct coalesce(${unit}, '')) filter (where not left_out and ${column} is not null) < 2
                  then ${sum} end`
}

/** The sum of each quantity in each unit, as a JSON array. */
function byUnit(quantities: readonly QuantityValue[]): Sql {
  const names = quantities.map(({ column }) => identifier(column))
  const rows = unitsOf(quantities).map((unit) => {
    const cells = quantities.map(({ field }, i) => (field.unit === unit ? (names[i] as Sql) : raw('null::numeric')))
    return sql`(${join([identifier(`_unit ${unit}`), ...cells], ', ')})`
  })
  const sums = names.map((name) => sql`sum(of_unit.${name}) as ${name}`)
  return sql`
    select json_agg(sums) from (
      select of_unit.unit, ${join(sums, ', ')}
        from counted
       cross join lateral (values ${join(rows, ', ')}) of_unit (unit, ${join(names, ', ')})
       where not left_out and num_nonnulls(${join(
         names.map((name) => sql`of_unit.${name}`),
         ', ',
       )}) > 0
       group by 1) sums`
}

/** The record of totals. */
export function totalsRecord({ record, cancelled }: Pick<Shape, 'record' | 'cancelled'>): Fields {
  const quantities = valuesIn(record).filter(({ field }) => field.additive && field.unit !== undefined)
  const columns = quantities.map(({ column }) => sql`${identifier(column)} numeric`)
  return {
    [ROWS]: Integer(cancelled === undefined ? 'Number of records.' : 'Number of records, without cancelled ones.'),
    ...sums(record),
    ...(cancelled !== undefined && {
      [CANCELLED]: Integer(
        'Number of cancelled documents, which no sum has. They count if a filter names their state.',
      ),
    }),
    ...(quantities.length > 0 && {
      [BY_UNIT]: Lines('The sum of each quantity in each unit.', {
        fields: {
          unit: OrNull(Text('The unit.')),
          ...Object.fromEntries(quantities.map(({ column, field }) => [column, OrNull(sumField(field))])),
        },
        query: sql`
          select found.* from json_to_recordset(parent.${identifier(BY_UNIT)}) found (unit text, ${join(columns, ', ')})`,
        orderBy: ['unit'],
      }),
    }),
  }
}

const sums = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]: [string, Field]): [string, Field][] => {
      if (field.kind === 'scalar' && field.additive)
        return [[name, field.unit === undefined ? sumField(field) : OrNull(sumField(field, SEVERAL_UNITS))]]
      if (field.kind !== 'nested') return []
      const inside = sums(field.fields)
      return Object.keys(inside).length === 0 ? [] : [[name, Nested(field.description, inside)]]
    }),
  )

const SEVERAL_UNITS = ` Null if the records have several units: \`${BY_UNIT}\` has the sum in each.`

const sumField = ({ type, description }: RecordValue['field'], more = '') =>
  Decimal('digits' in type ? type.digits : 0, `${description}${more}`)
