/**
 * Views: a report with chosen fields, sorted, filtered, searched, summed, grouped or compared. A view is a report with another shape,
 * so every surface can use it.
 */
import { identifier, join, raw, sql } from '../../db/sql.js'
import { type FieldError, Problem } from '../../errors.js'
import { ALL, CONTRACT, chosenShape, contractShape, notAField } from './choose.js'
import { type RecordValue, valuesIn } from './columns.js'
import { comparedShape } from './compare.js'
import type { Fields } from './fields.js'
import { type Condition, comparable, readFilter, searchFor, where } from './filter.js'
import { groupedShape, readGrouping } from './group.js'
import type { OrderColumn } from './order.js'
import type { Params, Values } from './params.js'
import { rangeBefore, rangeOf } from './ranges.js'
import { type Report, type Shape, shapeNameFor, type ViewSpec, withShapes } from './report.js'
import { leavesOut, totalsShape } from './totals.js'
import { MOST_SORTED, MOST_WORDS } from './view-params.js'

/** The report as a caller wants to see it; throws a problem that lists all errors. */
export function viewed(report: Report, values: Values<Params>, asked: ViewSpec): Report {
  const given = givenIn(asked)
  if (Object.keys(given).length === 0) return contractReport(report)
  const errors: FieldError[] = []
  const refuse: Refuse = (field, message) => void errors.push({ field, message })
  const shape = shapeOf(report.shapeFor(values), values, given, refuse)
  if (errors.length > 0 || shape === undefined) throw new Problem('invalid-parameters', { errors })
  const { fields: _, ...others } = given
  const view = shape.hasContract ? others : given
  if (Object.keys(view).length === 0) return contractReport(report)
  const name = shapeNameFor(report, values)
  return withShapes({ ...report, view }, new Map([[name, shape.made]]))
}

type Refuse = (field: string, message: string) => void

/** The shape of a view, and whether it has the fields that a view has by default; undefined or less than was asked after an error. */
function shapeOf(
  declared: Shape,
  values: Values<Params>,
  { fields, sort, filter = [], search, having = [], ...given }: ViewSpec,
  refuse: Refuse,
): { readonly made: Shape; readonly hasContract: boolean } | undefined {
  refuseContradictions({ fields, sort, having, ...given }, values, refuse)
  const chosenRecords = selectionOf(declared, filter, search, refuse)
  const derived = derivedShape(declared, chosenRecords, given, refuse)
  if (derived === undefined) return undefined
  // The records themselves are selected and sorted in one step.
  const isDerived = derived !== declared
  const { record } = derived
  const groups = readConditions('having', isDerived ? having : [], finder(record), refuse)
  const { conditions, filtered } = isDerived ? { conditions: groups, filtered: NO_FIELDS } : chosenRecords
  const sorted = sort === undefined ? [] : readSort(sort, finder(record), refuse)
  const contract = contractShape(derived)
  const chosen = fields === undefined ? contract : chosenShape(derived, fields)
  if (Array.isArray(chosen)) {
    for (const message of chosen) refuse('fields', message)
    return undefined
  }
  const selects = sorted.length > 0 || conditions.length > 0
  return { made: selects ? viewShape(chosen, sorted, conditions, filtered) : chosen, hasContract: chosen === contract }
}

/** Refuses parameters that exclude each other, or that lack another. */
function refuseContradictions(
  { fields, sort, totals, group, measures, having = [], compare }: ViewSpec,
  values: Values<Params>,
  refuse: Refuse,
): void {
  if (totals !== undefined) {
    const single = 'must be left out with totals, which return a single record'
    if (sort !== undefined) refuse('sort', single)
    if (group !== undefined) refuse('group', single)
    if (fields !== undefined && fields !== ALL && fields !== CONTRACT)
      refuse('fields', 'must be left out with totals, which add up every field that can be')
  }
  if (measures !== undefined && group === undefined)
    refuse('measures', 'must be left out without group, to whose records they belong')
  if (having.length > 0 && group === undefined && compare === undefined)
    refuse('having', 'must be left out without group and compare; use filter for records')
  const range = rangeOf(values)
  if (compare !== undefined && range === undefined)
    refuse(
      'compare',
      'must be left out, because the request has no from_date and to_date to take an earlier period from',
    )
  if (compare !== undefined && range !== undefined && rangeBefore(range, compare) === undefined)
    refuse('compare', 'must be left out, because the earlier period would begin before the year 0001')
}

interface Selection {
  readonly conditions: readonly Condition[]
  /** The columns that a filter names. */
  readonly filtered: ReadonlySet<string>
}

const NO_FIELDS: ReadonlySet<string> = new Set()

/** The records that `filter` and `search` choose. */
function selectionOf(
  { record }: Shape,
  filter: readonly string[],
  search: string | undefined,
  refuse: Refuse,
): Selection {
  const noted = new Set<RecordValue>()
  const conditions = readConditions('filter', filter, finder(record, noted), refuse)
  const words = search?.split(/\s+/).filter(Boolean) ?? []
  if (words.length > MOST_WORDS) refuse('search', `must be at most ${MOST_WORDS} words, not ${words.length}`)
  if (words.length > 0) conditions.push(searchFor(words, valuesIn(record)))
  return { conditions, filtered: new Set([...noted].map(({ column }) => column)) }
}

function readConditions(name: string, texts: readonly string[], find: Finder, refuse: Refuse): Condition[] {
  return texts.flatMap((text) => {
    const condition = readFilter(text, find)
    if (typeof condition !== 'string') return [condition]
    refuse(name, condition)
    return []
  })
}

/** Totals, groups or a comparison of the selected records; the declared shape if the view asks for none of them. */
function derivedShape(
  declared: Shape,
  { conditions, filtered }: Selection,
  { totals, group, measures, compare }: ViewSpec,
  refuse: Refuse,
): Shape | undefined {
  if (totals !== undefined) {
    const shape = totalsShape(declared, conditions, filtered)
    return compare === undefined ? shape : comparedShape(shape, compare, [])
  }
  if (group !== undefined) {
    const grouping = readGrouping(declared, group, measures, finder(declared.record), refuse)
    if (grouping === undefined) return undefined
    const shape = groupedShape(declared, grouping, conditions, filtered)
    return compare === undefined ? shape : comparedShape(shape, compare, grouping.keys)
  }
  if (compare === undefined) return declared
  return comparedShape(conditions.length === 0 ? declared : viewShape(declared, [], conditions, filtered), compare)
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

const SORT = '_sort_'

/** Whether a column of a view's order is there for the sort alone, and not part of the key. */
export const isSorting = ({ column }: OrderColumn): boolean => column.startsWith(SORT)

/** The members that change anything. */
const givenIn = ({
  fields,
  sort,
  filter = [],
  search,
  totals,
  group,
  measures,
  having = [],
  compare,
}: ViewSpec): ViewSpec => ({
  ...(fields && { fields }),
  ...(sort && { sort }),
  ...(filter.length > 0 && { filter }),
  ...(search?.trim() && { search }),
  ...(totals === 'yes' && { totals }),
  ...(group && { group }),
  ...(measures && { measures }),
  ...(having.length > 0 && { having }),
  ...(compare && { compare }),
})

/** The view for people: without the fields if they are all. */
export const ownView = ({ view = {} }: Report): ViewSpec => {
  const { fields, ...others } = view
  return fields === ALL ? others : view
}

/** Whether the view shows other records than its report. */
export const isSelection = (view: ViewSpec | undefined): boolean =>
  view !== undefined && Object.entries(view).some(([name, value]) => name !== 'fields' && value !== undefined)

type Finder = (name: string) => RecordValue | string

/** Finds a value by its name and adds it to `noted`, or returns an error message without its subject. */
function finder(record: Fields, noted?: Set<RecordValue>): Finder {
  const values = valuesIn(record)
  const names = values.map(({ path }) => path.join('.'))
  return (name) => {
    const found = values[names.indexOf(name)]
    const named = `names ${JSON.stringify(name.slice(0, 60))}, which`
    const kind = found?.field.type.kind
    if (kind === 'list' || kind === 'object' || isInLines(record, name.split('.')))
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

function readSort(sort: string, find: Finder, refuseAs: Refuse): Sorted[] {
  const refuse = (message: string) => refuseAs('sort', message)
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
  { record, orderBy, query, cancelled, hiddenKey, unshownKey }: Shape,
  sorted: readonly Sorted[],
  conditions: readonly Condition[],
  filtered: ReadonlySet<string>,
): Shape => ({
  record,
  ...(leavesOut(cancelled, filtered) && { cancelled }),
  ...(hiddenKey && { hiddenKey }),
  ...(unshownKey && { unshownKey }),
  orderBy: [
    ...sorted.map(({ descending }, i) => ({ column: `${SORT}${i}`, descending, nullsLast: true as const })),
    ...orderBy,
  ],
  query: (values, view) => {
    const columns = sorted.map(({ value }, i) => sql`${comparable(value, view)} as ${identifier(`${SORT}${i}`)}`)
    return sql`select ${join([raw('shown.*'), ...columns], ', ')} from (${query(values, view)}) shown ${where(conditions, view)}`
  },
})
