/** The tables that a caller may read: of reports, and of the saved views that the caller sees. */
import { allowsReport, allowsView } from '../../access/readable.js'
import type { Caller } from '../../access/tokens.js'
import type { Queryable } from '../../db/connect.js'
import { Problem } from '../../errors.js'
import { type Group, mayUse } from '../../groups.js'
import { ALL } from '../../kernel/report/choose.js'
import {
  type FlatTable,
  flatShape,
  flatTables,
  functionName,
  listsIn,
  namedTable,
  plainName,
  usualParams,
} from '../../kernel/report/flat.js'
import { type Params, readParams, type Values } from '../../kernel/report/params.js'
import type { Report } from '../../kernel/report/report.js'
import { viewed } from '../../kernel/report/view.js'
import { type Calendar, resolveSaved } from '../../views/definition.js'
import { listViews, type SavedView } from '../../views/saved.js'

/** A flat table. Its records have one type, whether they come from its set or from its function. `name` is that of its set and of its type. */
export interface Table extends Omit<FlatTable, 'params'> {
  /** Another name of the set, which stays when a view gets another name. */
  readonly alias: string | undefined
  /** The saved view that it shows. */
  readonly view: SavedView | undefined
  /** The parameters of its set on a day; undefined for a table that only its function can ask for. */
  readonly usual: (today: string) => Values<Params> | undefined
  /** The parameters of its function; undefined for a view. */
  readonly params: Params | undefined
}

/** The tables of reports: the same for all callers. */
export const tablesOfReports = (reports: readonly Report[]): Table[] =>
  flatTables(reports).map((table) => ({
    ...table,
    ...{ alias: undefined, view: undefined },
    usual: (today) => {
      const given = usualParams(table.report, table.shape, today)
      if (given === undefined) return undefined
      const read = readParams(table.report.request, given)
      if ('errors' in read) throw new Problem('invalid-parameters', { errors: read.errors })
      return read.values
    },
  }))

/** The longest part of a name that comes from the name of a view; a name may have 128 characters. */
const LONGEST = 80

/** The tables of the views that the caller sees, as they are on a day; and the problems of views that no longer fit their reports. */
export async function tablesOfViews(
  db: Queryable,
  caller: Caller,
  reports: readonly Report[],
  calendar: Calendar,
): Promise<{ tables: Table[]; broken: ReadonlyMap<string, Problem> }> {
  const views = await listViews(db, caller)
  const names = namesOf(views, caller.username)
  const broken = new Map<string, Problem>()
  const tables = views.flatMap((view) => {
    const name = names.get(view.id) as string
    try {
      return tablesOfView(view, name, reports, calendar)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      broken.set(name, error).set(aliasOf(view.id), error)
      return []
    }
  })
  return { tables, broken }
}

/**
 * A view is named by its name. If several views have one name here, the caller's own keeps it if it is the only one of the caller's;
 * the others have their id in place of it, so that no name ever changes from one view to another.
 */
export function namesOf(
  views: readonly { readonly id: string; readonly owner: string; readonly definition: { readonly name: string } }[],
  username: string | null,
): ReadonlyMap<string, string> {
  const wanted = (view: (typeof views)[number]) => `view_${plainName(view.definition.name).slice(0, LONGEST)}`
  const keyOf = (view: (typeof views)[number]) => wanted(view).toLowerCase()
  const rivals = new Map<string, (typeof views)[number][]>()
  for (const view of views) rivals.set(keyOf(view), [...(rivals.get(keyOf(view)) ?? []), view])
  return new Map(
    views.map((view) => {
      const all = rivals.get(keyOf(view)) ?? []
      const own = all.filter(({ owner }) => owner === username)
      const isPlain = own.length === 0 ? all.length === 1 : own.length === 1 && own[0] === view
      return [view.id, isPlain ? wanted(view) : aliasOf(view.id)]
    }),
  )
}

/** The name of a view's set by its id. */
export const aliasOf = (id: string): string => `view_${plainName(id)}`

function tablesOfView(view: SavedView, name: string, reports: readonly Report[], calendar: Calendar): Table[] {
  const { report: declared, values, view: spec } = resolveSaved(view.definition, reports, calendar)
  const report = viewed(declared, values, { ...spec, fields: spec.fields ?? ALL })
  const shape = report.shapeFor(values)
  const alias = aliasOf(view.id)
  return [undefined, ...listsIn(shape.record).map((list) => list.name)].map((list) => ({
    ...namedTable(name, view.definition.name, `${declared.title}, a saved view`, list),
    alias: alias === name ? undefined : list === undefined ? alias : `${alias}_${list}`,
    ...{ report, list, view },
    shape: declared.shapedBy === undefined ? '' : String(values[declared.shapedBy]),
    flat: flatShape(report, values, list),
    usual: () => values,
    params: undefined,
  }))
}

/** The groups that the caller lacks for a table; undefined if an app password is limited to others. */
export function missingFor(caller: Caller, { report, view }: Table, values: Values<Params>): Group[] | undefined {
  const { readLimits } = caller
  const isAllowed =
    readLimits === undefined ||
    (view === undefined ? allowsReport(readLimits, report.id) : allowsView(readLimits, view.id))
  if (!isAllowed) return undefined
  return [report.group, ...(report.needs?.(values) ?? [])].filter((group) => !mayUse(caller, group))
}

/** The tables that the caller finds in the service document and in `$metadata`. */
export const tablesFor = (caller: Caller, tables: readonly Table[], today: string): Table[] =>
  tables.filter((table) => missingFor(caller, table, table.usual(today) ?? {})?.length === 0)

export const functionOf = ({ name }: Table): string => functionName(name)
