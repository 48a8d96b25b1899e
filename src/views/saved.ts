/** Saved views in the database. */
import { audit, type By } from '../access/audit.js'
import { newSecret } from '../access/secrets.js'
import { findUser } from '../access/users.js'
import type { Queryable, Tx } from '../db/connect.js'
import { raw } from '../db/sql.js'
import { MillbookError } from '../errors.js'
import type { Calendar, Definition, Shared } from './definition.js'

export interface SavedView {
  readonly id: string
  readonly owner: string
  readonly changedAt: Date
  readonly definition: Definition
}

/** Who asks: a user, or a client without one, with the groups of reports that it may use; null for all. */
export interface ViewReader {
  readonly username: string | null
  readonly groups: readonly string[] | null
}

/** The reader that a user is, with the user's own limits. */
export async function readerNamed(db: Queryable, username: string): Promise<ViewReader & { hideContacts: boolean }> {
  const { groups, hideContacts } = await findUser(db, username)
  return { username, groups, hideContacts }
}

/** The most views of one user. */
const MOST = 1000

interface Row extends Omit<SavedView, 'definition'> {
  readonly name: string
  readonly definition: Omit<Definition, 'name' | 'shared'>
  readonly shared: readonly string[] | null
}

const COLUMNS = raw('id, owner, name, definition, to_json(shared) as shared, changed_at as "changedAt"')

const toView = ({ id, owner, name, definition, shared, changedAt }: Row): SavedView => ({
  ...{ id, owner, changedAt },
  definition: { name, ...definition, shared: toShared(shared) },
})

const toShared = (groups: readonly string[] | null): Shared => {
  if (groups === null) return 'everyone'
  return groups.length === 0 ? 'nobody' : (groups as Exclude<Shared, string>)
}
const fromShared = (shared: Shared = 'nobody'): readonly string[] | null => {
  if (shared === 'everyone') return null
  return shared === 'nobody' ? [] : shared
}

/** The views that a reader sees: its own and the ones that are shared with it; with an id, only this view. */
export async function listViews(
  db: Queryable,
  { username, groups }: ViewReader,
  id: string | null = null,
): Promise<SavedView[]> {
  const rows = await db<Row[]>`
    select ${COLUMNS} from saved_view
     where (owner = ${username} or shared is null
            or cardinality(shared) > 0 and (${groups}::text[] is null or shared && ${groups}::text[]))
       and (${id}::text is null or id = ${id})
     order by name, owner`
  return rows.map(toView)
}

/** A view that the reader sees; throws if there is none, or it is not shared with the reader. */
export async function findView(db: Queryable, id: string, reader: ViewReader): Promise<SavedView> {
  const [found] = id.includes('\0') ? [] : await listViews(db, reader, id) // the database refuses that character
  if (found === undefined)
    throw new MillbookError('there is no such view, or it is not shared with you', { kind: 'unknown' })
  return found
}

/** All views, for a login that may read the database. */
export async function allViews(db: Queryable): Promise<SavedView[]> {
  const rows = await db<Row[]>`select ${COLUMNS} from saved_view order by name, owner`
  return rows.map(toView)
}

export async function createView(tx: Tx, owner: string, definition: Definition, by: By): Promise<SavedView> {
  const { name, shared, ...rest } = definition
  const id = newSecret().slice(0, 16)
  const [row] = await tx<Row[]>`
    insert into saved_view (id, owner, name, definition, shared)
    values (${id}, ${owner}, ${name}, ${JSON.stringify(rest)}::text::json, ${fromShared(shared)})
    on conflict do nothing returning ${COLUMNS}`
  if (row === undefined) throw nameTaken(name)
  const [{ count } = { count: 0 }] = await tx<{ count: number }[]>`
    select count(*)::integer as count from saved_view where owner = ${owner}`
  if (count > MOST)
    throw new MillbookError(`you have ${MOST} saved views; delete one that you no longer need`, { kind: 'conflict' })
  await audit(tx, { ...by, act: 'view.create', username: owner, detail: { id, name, shared: shared ?? 'nobody' } })
  return toView(row)
}

/** Replaces a view of this owner. */
export async function replaceView(
  tx: Tx,
  owner: string,
  id: string,
  definition: Definition,
  by: By,
): Promise<SavedView> {
  const { name, shared, ...rest } = definition
  const taken = await tx`select from saved_view where owner = ${owner} and name = ${name} and id <> ${id}`
  if (taken.length > 0) throw nameTaken(name)
  const [row] = await tx<Row[]>`
    update saved_view set name = ${name}, definition = ${JSON.stringify(rest)}::text::json, shared = ${fromShared(shared)},
           changed_at = clock_timestamp()
     where id = ${id} and owner = ${owner} returning ${COLUMNS}`
  if (row === undefined) throw new MillbookError('only its owner may change this view', { kind: 'conflict' })
  await audit(tx, { ...by, act: 'view.update', username: owner, detail: { id, name, shared: shared ?? 'nobody' } })
  return toView(row)
}

export async function deleteView(tx: Tx, { id, owner, definition: { name } }: SavedView, by: By): Promise<void> {
  await tx`delete from saved_view where id = ${id}`
  await audit(tx, { ...by, act: 'view.delete', username: owner, detail: { id, name } })
}

const nameTaken = (name: string): MillbookError =>
  new MillbookError(`you have a view named ${name} already; choose another name, or change that view`, {
    kind: 'conflict',
  })

/** Today in the account's time zone, and its financial year. */
export async function readCalendar(db: Queryable): Promise<Calendar> {
  const [row] = await db<Calendar[]>`
    select (now() at time zone time_zone)::date::text as today, year_begins as "yearBegins" from account`
  if (row === undefined) throw new Error('the database has no account')
  return row
}
