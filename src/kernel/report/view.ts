/** Views: a report sorted, filtered, searched or summed. A view is a report with another shape, so every surface can use it. */
import { identifier, join, raw, type Sql, sql } from '../../db/sql.js'
import { type FieldError, Problem } from '../../errors.js'
import { nearest } from '../../nearest.js'
import { type RecordValue, valuesIn } from './columns.js'
import { Decimal, type Field, type Fields, Integer, Nested } from './fields.js'
import { type Condition, comparable, readFilter, searchFor } from './filter.js'
import { readOrder } from './order.js'
import { OneOf, Optional, type Param, type Params, type Values } from './params.js'
import { type Report, type Shape, type ViewSpec, withShapes } from './report.js'

const MOST_SORTED = 5
const MOST_FILTERS = 20
const MOST_WORDS = 10
const LONGEST = 500
const LONGEST_SEARCH = 200

const isText = (value: unknown, longest: number): value is string =>
  typeof value === 'string' && value.length <= longest && !value.includes('\0')

const viewText = (longest: number, description: string): Param<string | undefined> =>
  Optional({
    type: { kind: 'text', longest },
    description,
    expects: `text of at most ${longest} characters`,
    read: (value) => (isText(value, longest) ? value : undefined),
    required: false,
  })

const Filters: Param<readonly string[] | undefined> = Optional({
  type: { kind: 'texts', longest: LONGEST, most: MOST_FILTERS },
  description: `Only records that meet this condition: a field, an operator and a value, such as \`Closing_qty<0\`. May be sent up to ${MOST_FILTERS} times; records must meet all conditions. The operators are \`=\`, \`!=\`, \`<\`, \`<=\`, \`>\`, \`>=\`, \`~\` (contains, ignoring case) and \`!~\`. \`|\` separates alternatives: \`warehouse=Pune|Mumbai\`; write \`\\|\` for a bar and \`\\\\\` for a backslash. \`=\` without a value finds empty and absent values. \`@\` before the name of a field compares numbers and dates with that field: \`inStockQuantity<@reorder_level\`.`,
  expects: `at most ${MOST_FILTERS} filters of at most ${LONGEST} characters`,
  read: (value) => {
    const all: unknown[] = Array.isArray(value) ? value : [value]
    const filters = all.filter((one) => isText(one, LONGEST))
    return filters.length === all.length && all.length <= MOST_FILTERS ? filters.filter(Boolean) : undefined
  },
  required: false,
})

/** Query parameters of every report. */
export const viewParams = {
  sort: viewText(
    LONGEST,
    `Up to ${MOST_SORTED} fields to sort by, separated by commas; a minus before a field sorts descending: \`-Closing_qty,product_name\`. Write \`billing.city\` for a field of an object. Records without a value come last.`,
  ),
  filter: Filters,
  search: viewText(
    LONGEST_SEARCH,
    `Only records that contain each of these words, at most ${MOST_WORDS}, ignoring case, in a text, a word, a date or a time. Lines are not searched.`,
  ),
  totals: Optional(
    OneOf(
      ['no', 'yes'],
      '`yes` returns one record in place of all: their number, `rows`, and the exact sums of the fields that can be added up. Its schema is named `…TotalsRecord`.',
    ),
  ),
} satisfies Params

/** The report as a caller wants to see it; throws a problem that lists all errors. */
export function viewed(report: Report, values: Values<Params>, asked: ViewSpec): Report {
  const view = givenIn(asked)
  if (Object.keys(view).length === 0) return report
  const { sort, filter = [], search, totals } = view
  const shape = report.shapeFor(values)
  const shown = valuesIn(shape.record)
  const find = finder(shape.record, shown)
  const errors: FieldError[] = []
  const sorted = sort === undefined ? [] : readSort(sort, find, errors)
  if (sort !== undefined && totals !== undefined)
    errors.push({ field: 'sort', message: 'must be left out with totals, which return a single record' })
  const conditions: Condition[] = []
  for (const text of filter) {
    const condition = readFilter(text, find)
    if (typeof condition === 'string') errors.push({ field: 'filter', message: condition })
    else conditions.push(condition)
  }
  const words = search?.split(/\s+/).filter(Boolean) ?? []
  if (words.length > MOST_WORDS)
    errors.push({ field: 'search', message: `must be at most ${MOST_WORDS} words, not ${words.length}` })
  if (words.length > 0) conditions.push(searchFor(words, shown))
  if (errors.length > 0) throw new Problem('invalid-parameters', { errors })
  const name = report.shapedBy === undefined ? '' : String(values[report.shapedBy])
  const made = totals === undefined ? viewShape(shape, sorted, conditions) : totalsShape(shape, conditions)
  return withShapes({ ...report, view }, new Map([[name, made]]))
}

/** The members that change anything. */
const givenIn = ({ sort, filter, search, totals }: ViewSpec): ViewSpec => ({
  ...(sort && { sort }),
  ...(filter !== undefined && filter.length > 0 && { filter }),
  ...(search?.trim() && { search }),
  ...(totals === 'yes' && { totals }),
})

type Finder = (name: string) => RecordValue | string

/** Finds a value by its name, or returns an error message without its subject. */
function finder(record: Fields, values: readonly RecordValue[]): Finder {
  const names = values.map(({ path }) => path.join('.'))
  return (name) => {
    const found = values[names.indexOf(name)]
    const named = `names ${JSON.stringify(name.slice(0, 60))}, which`
    if (found?.field.type.kind === 'list' || isInLines(record, name.split('.')))
      return `${named} has several values in one record; only single values of the record itself can be compared`
    if (found !== undefined) return found
    const inside = names.find((one) => one.startsWith(`${name}.`))
    if (inside !== undefined) return `${named} is an object; name a field of it, such as ${inside}`
    return `${named} is not a field of this report${nearest(name.slice(0, 60), names)}`
  }
}

function isInLines(fields: Fields, [name = '', ...rest]: readonly string[]): boolean {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  return field?.kind === 'lines' || (field?.kind === 'nested' && isInLines(field.fields, rest))
}

interface Sorted {
  readonly value: RecordValue
  readonly descending: boolean
}

function readSort(sort: string, find: Finder, errors: FieldError[]): Sorted[] {
  const refuse = (message: string) => errors.push({ field: 'sort', message })
  const sorted: Sorted[] = []
  for (const part of sort.split(',')) {
    const [, minus, name = ''] = /^\s*(-?)(.*?)\s*$/s.exec(part) ?? []
    const value = find(name)
    if (typeof value === 'string') refuse(value)
    else if (sorted.some((other) => other.value === value)) refuse(`names ${name} twice`)
    else sorted.push({ value, descending: minus !== '' })
  }
  if (sorted.length > MOST_SORTED) refuse(`must be at most ${MOST_SORTED} fields, not ${sorted.length}`)
  return sorted
}

const where = (conditions: readonly Condition[], hideContacts: boolean): Sql =>
  conditions.length === 0
    ? raw('')
    : sql`where ${join(
        conditions.map((condition) => condition(hideContacts)),
        ' and ',
      )}`

/** A view is no listing, because no index has its order. */
const viewShape = (
  { record, orderBy, query }: Shape,
  sorted: readonly Sorted[],
  conditions: readonly Condition[],
): Shape => ({
  record,
  orderBy: [
    ...sorted.map(({ descending }, i) => ({ column: `_sort_${i}`, descending, nullsLast: true as const })),
    ...orderBy,
  ],
  query: (values, hide = false) => {
    const columns = sorted.map(({ value }, i) => sql`${comparable(value, hide)} as ${identifier(`_sort_${i}`)}`)
    return sql`select ${join([raw('shown.*'), ...columns], ', ')} from (${query(values)}) shown ${where(conditions, hide)}`
  },
})

const ROWS = 'rows'

/** One record. The sums add the values as the records show them. */
const totalsShape = ({ record, query }: Shape, conditions: readonly Condition[]): Shape => ({
  record: totalsRecord(record),
  orderBy: readOrder([ROWS]),
  query: (values, hide = false) => {
    const sums = valuesIn(record)
      .filter(({ field }) => field.additive)
      .map((value) => sql`coalesce(sum(${comparable(value, hide)}), 0) as ${identifier(value.column)}`)
    const columns = join([sql`count(*) as ${identifier(ROWS)}`, ...sums], ', ')
    return sql`select ${columns} from (${query(values)}) shown ${where(conditions, hide)}`
  },
})

/** The record of totals. */
export const totalsRecord = (record: Fields): Fields => ({ [ROWS]: Integer('Number of records.'), ...additive(record) })

const additive = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]: [string, Field]): [string, Field][] => {
      if (field.kind === 'scalar' && field.additive && 'digits' in field.type)
        return [[name, Decimal(field.type.digits, field.description)]]
      if (field.kind !== 'nested') return []
      const inside = additive(field.fields)
      return Object.keys(inside).length === 0 ? [] : [[name, Nested(field.description, inside)]]
    }),
  )
