/** Pins that people begin with: how a view is shown as a figure, a list or a chart, and what can be chosen. */
import { type CatalogueReport, type Flat, flatten, isNumeric, shapeOf } from '../catalogue.js'
import { hasRange, readView } from '../report/view.js'
import {
  type Asked,
  asked,
  groupKey,
  isAdditive,
  isDated,
  isText,
  type Kind,
  type Pin,
  type PinnedView,
} from './definition.js'
import { ROWS } from './figure.js'

/** Periods that a pin may have, and the comparison that fits each. */
export const PERIODS: Readonly<Record<string, { readonly words: string; readonly compare: string }>> = {
  'this-month-so-far': { words: 'This month so far', compare: 'month' },
  'last-month': { words: 'Last month', compare: 'previous' },
  'this-quarter-so-far': { words: 'This quarter so far', compare: 'quarter' },
  'last-quarter': { words: 'Last quarter', compare: 'previous' },
  'this-fy-so-far': { words: 'This financial year so far', compare: 'year' },
  'last-fy': { words: 'Last financial year', compare: 'year' },
  'last-30-days': { words: 'Last 30 days', compare: 'previous' },
  'last-12-months': { words: 'Last 12 months', compare: 'year' },
}

/** A report as it is without any choice, for this month. */
export function bareView(report: CatalogueReport): PinnedView {
  const { from_date: _, to_date: __, ...values } = readView(report, new URLSearchParams()).values
  const { date, ...others } = values
  if (hasRange(report)) return { report: report.id, values, period: 'this-month-so-far' }
  return { report: report.id, ...(date === undefined ? { values } : { values: others, period: 'today' }) }
}

/** The columns of a view's records, the ones that people read first before the others. */
export function columnsOf({ report, values }: Asked): Flat[] {
  const { columns = [], people = [] } = shapeOf(report, values) ?? {}
  return flatten(columns, people).filter(({ column: { kind } }) => !['lines', 'list', 'object'].includes(kind))
}

const listOf = (given: string | readonly string[] | undefined): readonly string[] =>
  typeof given === 'string' ? given.split(',') : (given ?? [])

/** The pin of a kind for a view, with the choices that most people would make. */
export function draftOf(kind: Kind, title: string, definition: PinnedView, more: Partial<Pin> = {}): Pin {
  const of = asked(definition)
  const base = { title: title.slice(0, 100), kind, ...more }
  if (of === undefined) return { ...base, definition }
  const columns = columnsOf(of)
  const sums = columns.filter(isAdditive)
  const { group, measures, having, fields, sort, ...plain } = definition
  if (base.view !== undefined) {
    const { definition: _, ...kept } = base
    return kind === 'figure' ? { ...kept, field: measuredBy(measures) ?? sums[0]?.name ?? ROWS } : kept
  }
  if (kind === 'figure') {
    const field = measuredBy(measures) ?? sums[0]?.name ?? ROWS
    const compare = of.range && (plain.compare ?? PERIODS[plain.period ?? '']?.compare)
    const { compare: _, ...without } = plain
    const date = of.range && columns.find(isDated)?.name
    const good = betterOf(of, field)
    return {
      ...(good && { good }),
      ...{ ...base, definition: compare ? { ...without, compare } : without, field },
      ...(date !== undefined && plain.period !== undefined && { trend: trendFor(without, date, field) }),
    }
  }
  if (kind === 'list') {
    if (group !== undefined || listOf(fields).length > 1) return { ...base, definition }
    const texts = columns.filter(isText).slice(0, 2)
    const amount = sums[0] ?? columns.find((one) => isDated(one) || isNumeric(one.column))
    const names = [...texts, ...(amount ? [amount] : [])].map(({ name }) => name)
    const order = sort ?? (amount && isAdditive(amount) ? [`-${amount.name}`] : undefined)
    return { ...base, definition: { ...plain, fields: names, ...(order !== undefined && { sort: order }) } }
  }
  if (group !== undefined)
    return {
      ...base,
      definition: {
        ...definition,
        ...(listOf(measures).length === 0 && { measures: [measureOf(sums[0]?.name ?? ROWS)] }),
      },
    }
  const date = columns.find(isDated)
  const by = date === undefined ? (columns.find(isText)?.name ?? '') : `month(${date.name})`
  return { ...base, definition: chartedBy(plain, by, sums[0]?.name ?? ROWS) }
}

/** Whether more or less of a figure is good, as its report declares it. */
export const betterOf = ({ report, values }: Asked, field: string): Pin['good'] =>
  shapeOf(report, values)?.better?.[field]

const measuredBy = (measures: PinnedView['measures']): string | undefined => {
  const [first] = listOf(measures)
  const { field, period } = groupKey(first ?? '')
  return period === 'sum' ? field : undefined
}

export const measureOf = (field: string): string => (field === ROWS ? ROWS : `sum(${field})`)

/** A chart of one figure by one field: months in their order, others from the largest on. */
export function chartedBy(view: PinnedView, by: string, field: string): PinnedView {
  const { fields: _, sort: __, compare: ___, ...plain } = view
  const isByMonth = groupKey(by).period !== undefined
  return {
    ...{ ...plain, group: [by], measures: [measureOf(field)] },
    ...(!isByMonth && { sort: [`-${field}`] }),
    ...(isByMonth &&
      plain.period !== undefined &&
      PERIODS[plain.period]?.compare === 'month' && { period: 'last-12-months' }),
  }
}

/** The line under a figure: its months of a year. */
export function trendFor(view: PinnedView, date: string, field: string): NonNullable<Pin['trend']> {
  const { compare: _, fields: __, sort: ___, ...plain } = view
  return {
    definition: { ...plain, period: 'last-12-months', group: [`month(${date})`], measures: [measureOf(field)] },
    field,
  }
}
