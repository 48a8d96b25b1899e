/** Views: a report sorted, filtered, searched or summed. A view is a report with another shape, so every surface can use it. */
import { identifier, join, raw, sql } from '../../db/sql.js'
import { type FieldError, Problem } from '../../errors.js'
import { ALL, CONTRACT, chosenShape, contractShape, notAField } from './choose.js'
import { type RecordValue, valuesIn } from './columns.js'
import type { Fields } from './fields.js'
import { type Condition, comparable, readFilter, searchFor, where } from './filter.js'
import { OneOf, Optional, type Param, type Params, type Values } from './params.js'
import { type Report, type Shape, type ViewSpec, withShapes } from './report.js'
import { leavesOut, totalsShape } from './totals.js'

const MOST_SORTED = 5
const MOST_FILTERS = 20
const MOST_WORDS = 10
const LONGEST = 500
const LONGEST_SEARCH = 200
const LONGEST_FIELDS = 3000

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
  fields: viewText(
    LONGEST_FIELDS,
    'The fields of the records: `contract` for the fields of the contract, `all` for every field of the report, or names separated by commas, in the order in which the records should have them: `invoice_no,customer_name,total_amt`. Write `billing.city` for a field of an object; a list of lines comes whole. JSON has `contract` by default, files have `all`.',
  ),
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
  const given = givenIn(asked)
  if (Object.keys(given).length === 0) return contractReport(report)
  const { fields, sort, filter = [], search, totals } = given
  const shape = report.shapeFor(values)
  const shown = valuesIn(shape.record)
  const errors: FieldError[] = []
  const contract = contractShape(shape)
  const chosen = fields === undefined ? contract : chosenShape(shape, fields)
  if (Array.isArray(chosen)) errors.push(...chosen.map((message) => ({ field: 'fields', message })))
  const sorted = sort === undefined ? [] : readSort(sort, finder(shape.record, shown), errors)
  const noted = new Set<RecordValue>()
  const find = finder(shape.record, shown, noted)
  const conditions: Condition[] = []
  for (const text of filter) {
    const condition = readFilter(text, find)
    if (typeof condition === 'string') errors.push({ field: 'filter', message: condition })
    else conditions.push(condition)
  }
  const filtered = new Set([...noted].map(({ column }) => column))
  if (sort !== undefined && totals !== undefined)
    errors.push({ field: 'sort', message: 'must be left out with totals, which return a single record' })
  if (totals !== undefined && fields !== undefined && fields !== ALL && fields !== CONTRACT)
    errors.push({ field: 'fields', message: 'must be left out with totals, which add up every field that can be' })
  const words = search?.split(/\s+/).filter(Boolean) ?? []
  if (words.length > MOST_WORDS)
    errors.push({ field: 'search', message: `must be at most ${MOST_WORDS} words, not ${words.length}` })
  if (words.length > 0) conditions.push(searchFor(words, shown))
  if (errors.length > 0 || Array.isArray(chosen)) throw new Problem('invalid-parameters', { errors })
  const { fields: _, ...others } = given
  const view = chosen === contract || totals !== undefined ? others : given
  if (Object.keys(view).length === 0) return contractReport(report)
  const name = report.shapedBy === undefined ? '' : String(values[report.shapedBy])
  const selects = sorted.length > 0 || conditions.length > 0
  const selected = selects ? viewShape(chosen, sorted, conditions, filtered) : chosen
  const made = totals === undefined ? selected : totalsShape(shape, conditions, filtered)
  return withShapes({ ...report, view }, new Map([[name, made]]))
}

const contracts = new WeakMap<Report, Report>()

/** The report with the contract's fields; the same object every time. */
function contractReport(report: Report): Report {
  const known = contracts.get(report)
  if (known !== undefined) return known
  const shapes = new Map([...report.shapes].map(([name, shape]) => [name, contractShape(shape)]))
  const isSame = [...shapes].every(([name, shape]) => report.shapes.get(name) === shape)
  const made = isSame ? report : withShapes(report, shapes)
  contracts.set(report, made)
  return made
}

/** The members that change anything. */
const givenIn = ({ fields, sort, filter, search, totals }: ViewSpec): ViewSpec => ({
  ...(fields && { fields }),
  ...(sort && { sort }),
  ...(filter !== undefined && filter.length > 0 && { filter }),
  ...(search?.trim() && { search }),
  ...(totals === 'yes' && { totals }),
})

/** The view for people: without the fields if they are all. */
export const ownView = ({ view = {} }: Report): ViewSpec => {
  const { fields, ...others } = view
  return fields === ALL ? others : view
}

/** Whether the view shows other records than its report. */
export const isSelection = (view: ViewSpec | undefined): boolean =>
  view !== undefined && Object.keys(view).some((name) => name !== 'fields')

type Finder = (name: string) => RecordValue | string

/** Finds a value by its name and adds it to `noted`, or returns an error message without its subject. */
function finder(record: Fields, values: readonly RecordValue[], noted?: Set<RecordValue>): Finder {
  const names = values.map(({ path }) => path.join('.'))
  return (name) => {
    const found = values[names.indexOf(name)]
    const named = `names ${JSON.stringify(name.slice(0, 60))}, which`
    if (found?.field.type.kind === 'list' || isInLines(record, name.split('.')))
      return `${named} has several values in one record; only single values of the record itself can be compared`
    if (found !== undefined) {
      noted?.add(found)
      return found
    }
    const inside = names.find((one) => one.startsWith(`${name}.`))
    if (inside !== undefined) return `${named} is an object; name a field of it, such as ${inside}`
    return notAField(name, names)
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

/** A selection of records is no listing, because no index has its order. */
const viewShape = (
  { record, orderBy, query, cancelled }: Shape,
  sorted: readonly Sorted[],
  conditions: readonly Condition[],
  filtered: ReadonlySet<string>,
): Shape => ({
  record,
  ...(leavesOut(cancelled, filtered) && { cancelled }),
  orderBy: [
    ...sorted.map(({ descending }, i) => ({ column: `_sort_${i}`, descending, nullsLast: true as const })),
    ...orderBy,
  ],
  query: (values, hide = false) => {
    const columns = sorted.map(({ value }, i) => sql`${comparable(value, hide)} as ${identifier(`_sort_${i}`)}`)
    return sql`select ${join([raw('shown.*'), ...columns], ', ')} from (${query(values)}) shown ${where(conditions, hide)}`
  },
})
