/** Saved views: the ones that the user sees, and how their definitions become the view of a report's page and back. */
import { effect, signal } from '@preact/signals'
import { periodOf } from '../../../src/period-words.js'
import type { Definition, Show as SavedShow, Shared } from '../../../src/views/definition.js'
import { getJson, send } from '../api.js'
import type { CatalogueReport, Values } from '../catalogue.js'
import { daysBetween, today, yearBegins } from '../dates.js'
import { GROUPS } from '../labels.js'
import { listOf } from '../report/answer.js'
import { hasRange, type ReportView } from '../report/view.js'
import { session } from '../session.js'

export type { Definition, Shared }

export interface SavedView extends Definition {
  readonly id: string
  readonly owner: string
  readonly mine: boolean
  readonly shared: Shared
}

/** Undefined until they have been fetched. */
export const savedViews = signal<readonly SavedView[] | undefined>(undefined)

export const viewUrl = (id: string): string => `/views/${encodeURIComponent(id)}`
const pathOf = (id: string): string => `/v1/views/${encodeURIComponent(id)}`

/** Another user who signs in on this page sees other views. */
let username: string | undefined
effect(() => {
  const now = session.value?.username
  if (now !== username) savedViews.value = undefined
  username = now
})

export async function fetchViews(): Promise<void> {
  savedViews.value = (await getJson<{ data: SavedView[] }>('/v1/views')).data
}

/** For the rail, without which the page works. */
export const loadViews = (): Promise<void> => fetchViews().catch(() => {})

export const fetchView = (id: string): Promise<SavedView> => getJson<SavedView>(pathOf(id))

export async function storeView(definition: Definition, id?: string): Promise<SavedView> {
  const response = await send(id === undefined ? '/v1/views' : pathOf(id), {
    method: id === undefined ? 'POST' : 'PUT',
    body: definition,
  })
  const stored = (await response.json()) as SavedView
  void loadViews()
  return stored
}

export async function deleteView(id: string): Promise<void> {
  await send(pathOf(id), { method: 'DELETE' })
  await loadViews()
}

type Shown = Pick<ReportView, 'values' | 'view' | 'show' | 'figure'>

const joined = (value: string | readonly string[] | undefined): string | undefined =>
  (typeof value === 'string' ? value : value?.join()) || undefined
const listed = (value: string | readonly string[] | undefined): readonly string[] =>
  typeof value === 'string' ? [value] : (value ?? [])

/** The view of a report's page; the words of a period are counted from today. */
export function shownOf(report: CatalogueReport, saved: Definition): Shown {
  const { values = {}, period, search, compare, show, figure } = saved
  const days = period === undefined ? undefined : periodOf(period, today(), yearBegins.value)
  const dates = days && { from_date: days.first, to_date: days.last, date: days.last }
  const given = { ...values, ...dates }
  return {
    values: Object.fromEntries(
      report.params.flatMap(({ name }) => {
        const value = (given as Record<string, unknown>)[name]
        return value === undefined || value === null ? [] : [[name, String(value)]]
      }),
    ),
    view: {
      ...{
        fields: joined(saved.fields),
        sort: joined(saved.sort),
        filter: listed(saved.filter),
        search: search || undefined,
      },
      ...{ group: joined(saved.group), measures: joined(saved.measures), having: listed(saved.having), compare },
    },
    ...{ show: show ?? 'table', figure },
  }
}

/** A definition without what the view does not have. */
export function definitionOf(
  report: CatalogueReport,
  { values, view, show, figure }: Shown,
  { name, shared, period }: { name: string; shared: Shared; period: string | undefined },
): Definition {
  const dated = period === undefined ? [] : hasRange(report) ? ['from_date', 'to_date'] : ['date']
  const own = Object.fromEntries(Object.entries(values).filter(([one]) => !dated.includes(one)))
  const list = (text: string | undefined) => listOf(text)
  const found = {
    ...{ fields: list(view.fields), filter: view.filter ?? [], search: view.search, sort: list(view.sort) },
    ...{ group: list(view.group), measures: list(view.measures), having: view.having ?? [], compare: view.compare },
    ...{
      show: show === 'table' ? undefined : show === 'chart' ? 'bars' : show,
      figure: view.group ? figure : undefined,
    },
  }
  const given = Object.entries(found).filter(([, value]) => value !== undefined && value.length > 0)
  return {
    ...{ name, report: report.id, values: own, ...(period && { period }) },
    ...(Object.fromEntries(given) as { show?: SavedShow }),
    shared,
  }
}

/** Words for dates, with what people read. */
const WORDS: readonly (readonly [string, string])[] = [
  ['today', 'Today'],
  ['yesterday', 'Yesterday'],
  ['this-month', 'This month'],
  ['last-month', 'Last month'],
  ['this-quarter', 'This quarter'],
  ['last-quarter', 'Last quarter'],
  ['this-fy', 'This financial year'],
  ['last-fy', 'Last financial year'],
  ['this-year', 'This calendar year'],
  ['last-year', 'Last calendar year'],
  ['this-week', 'This week'],
  ['last-week', 'Last week'],
]

/** Numbers of days that people ask for; other ranges stay as they are. */
const LAST_DAYS = [7, 14, 30, 60, 90, 180, 365]

/** The word for the dates of a view that moves on with the calendar; undefined if none fits. */
export function periodWord(report: CatalogueReport, values: Values, compare: string | undefined) {
  const now = today()
  const isRange = hasRange(report)
  const [from, to] = isRange ? [values['from_date'], values['to_date']] : [values['date'], values['date']]
  if (from === undefined || to === undefined) return undefined
  for (const [word, name] of WORDS) {
    const found = periodOf(word, now, yearBegins.value)
    if (found === undefined || (!isRange && found.first !== found.last)) continue
    // A period that is not over may end today in the view. A comparison would then take other days.
    const ends = found.last === to || (to === now && found.last > now && compare === undefined)
    if (found.first === from && ends) return { word, name }
  }
  const days = daysBetween(from, to) + 1
  return to === now && LAST_DAYS.includes(days) ? { word: `last-${days}-days`, name: `Last ${days} days` } : undefined
}

export function sharedInWords(shared: Shared): string {
  if (shared === 'nobody') return 'only yours'
  if (shared === 'everyone') return 'shared with everyone'
  return `shared with ${shared.map((group) => GROUPS.find(([name]) => name === group)?.[1] ?? group).join(', ')}`
}
