/** Turns SQL access on and off, makes it again after an upgrade, and checks it (docs/decisions/0052). */
import type { Queryable, Tx } from '../../db/connect.js'
import { identifier } from '../../db/sql.js'
import { MillbookError } from '../../errors.js'
import type { Report } from '../../kernel/report/report.js'
import { hasState } from '../../sqlstate.js'
import { HIDDEN } from './computed.js'
import { CONTACTS, makeObjects, type Objects, PLAIN, SCHEMAS } from './objects.js'
import { quoted } from './text.js'

/** Settings of each reader's sessions. A login does not inherit the settings of a role that it is a member of, so each login gets them too. */
const SETTINGS: Readonly<Record<string, string>> = {
  statement_timeout: `'2min'`,
  idle_in_transaction_session_timeout: `'10min'`,
  default_transaction_read_only: 'on',
  DateStyle: `'ISO, YMD'`,
  jit: 'off',
  random_page_cost: '1.1',
}

export interface SqlAccess {
  readonly reader: string
  readonly contacts: string
  /** The number of functions and of views. */
  readonly functions: number
  readonly views: number
  /** Why something of it is missing, with instructions. */
  readonly problem: string | undefined
}

interface Place {
  readonly here: string
  readonly reader: string
  readonly contacts: string
  /** Of the build that made the objects; null if they were withdrawn, undefined if SQL access is off. */
  readonly fingerprint: string | null | undefined
}

/** The fingerprint is the comment of the schema: every login can read it. */
async function placeOf(db: Queryable): Promise<Place> {
  const [row] = await db<{ here: string; name: string; on: boolean; fingerprint: string | null }[]>`
    select current_schema() as here, current_database() as name, n.oid is not null as on, obj_description(n.oid, 'pg_namespace') as fingerprint
      from (values (${HIDDEN})) h(name) left join pg_namespace n on n.nspname = h.name`
  if (row === undefined) throw new Error('the database returned no row')
  const { here, name, on, fingerprint } = row
  return {
    here,
    reader: `${name}_reader`,
    contacts: `${name}_reader_contacts`,
    fingerprint: on ? fingerprint : undefined,
  }
}

const made = new Map<string, Objects>()

function objectsIn(here: string, reports: readonly Report[]): Objects {
  const known = made.get(here) ?? makeObjects(reports, here)
  made.set(here, known)
  return known
}

/** Turns it on, or makes it again if it is of another build. */
export async function turnOn(tx: Tx, reports: readonly Report[]): Promise<SqlAccess> {
  const place = await placeOf(tx)
  if (place.fingerprint === undefined) await createSchemas(tx)
  const objects = objectsIn(place.here, reports)
  if (place.fingerprint !== objects.fingerprint) {
    if (place.fingerprint) await tx.unsafe(`select ${HIDDEN}.withdraw()`)
    await create(tx, place.here, objects)
  }
  const roleProblem = await grantTo(tx, place)
  const count = (kind: string) => objects.names.filter((one) => one.kind === kind).length
  return {
    ...{ reader: place.reader, contacts: place.contacts, problem: roleProblem },
    ...{ functions: count('function'), views: count('view') },
  }
}

export interface SqlAccessEnded {
  /** False if it was off. */
  readonly ended: boolean
  readonly problem: string | undefined
}

/** Removes its objects and roles. */
export async function turnOff(tx: Tx): Promise<SqlAccessEnded> {
  const { fingerprint, reader, contacts } = await placeOf(tx)
  if (fingerprint === undefined) return { ended: false, problem: undefined }
  await tx.unsafe(`select ${HIDDEN}.withdraw(); drop schema ${HIDDEN} cascade`)
  for (const schema of [PLAIN, CONTACTS])
    await tx.unsafe(`drop schema ${schema}`).catch((error) => {
      if (!hasState(error, 'dependent_objects_still_exist')) throw error
      throw new MillbookError(
        `the schema ${schema} has objects that Millbook did not make: move or drop them, then run this command again (${(error as { detail?: string }).detail ?? ''})`,
      )
    })
  return { ended: true, problem: await dropRoles(tx, [reader, contacts]) }
}

/** Resolves to what an administrator has to do. */
async function dropRoles(tx: Tx, names: readonly string[]): Promise<string | undefined> {
  const there = await tx<{ name: string }[]>`
    select name from unnest(${[...names]}::text[]) name where to_regrole(quote_ident(name)) is not null`
  const roles = there.map(({ name }) => identifier(name).text).join(', ')
  if (roles === '') return undefined
  await tx.unsafe(`
    revoke all on function as_given(jsonb, text, numeric) from ${roles};
    do $$ begin execute format('revoke all on database %I from ${roles}', current_database()); end $$`)
  try {
    await tx.savepoint(async (inner) => void (await inner.unsafe(`drop role ${roles}`)))
    return undefined
  } catch (error) {
    const { message, detail } = error as { message: string; detail?: string }
    return `the roles ${roles} have no rights here now, but are still there: ${message}${detail === undefined ? '' : ` (${detail})`}; have an administrator run drop role ${roles};`
  }
}

async function createSchemas(tx: Tx): Promise<void> {
  const taken = await tx<{ name: string }[]>`
    select nspname as name from pg_namespace where nspname = any(${[...SCHEMAS]}::text[]) order by 1`
  if (taken.length > 0)
    throw new MillbookError(
      `the database has a schema ${taken.map(({ name }) => name).join(' and ')} that Millbook did not make: rename it, then run millbook migrate --sql-access again`,
    )
  await tx.unsafe(SCHEMAS.map((schema) => `create schema ${schema}`).join('; '))
  await tx.unsafe(`
    create table ${HIDDEN}.object (place integer primary key, kind text not null, name text not null);
    comment on schema ${PLAIN} is 'Reports, documents and masters for tools that read databases, made by millbook migrate --sql-access';
    comment on schema ${CONTACTS} is 'What has phone numbers, email addresses and contact persons, with them';
    -- Called before a migration too, by the build that follows this one: views keep tables from being changed.
    create function ${HIDDEN}.withdraw() returns void language plpgsql as $$
    declare
      one record;
      depending text;
    begin
      for one in select kind, name from ${HIDDEN}.object order by place desc loop
        execute format('drop %s if exists %s', one.kind, one.name);
      end loop;
      for one in select oid::regprocedure as name from pg_proc
                  where pronamespace = '${HIDDEN}'::regnamespace and proname <> 'withdraw' loop
        execute format('drop function %s', one.name);
      end loop;
      delete from ${HIDDEN}.object;
      comment on schema ${HIDDEN} is null;
    exception when dependent_objects_still_exist then
      get stacked diagnostics depending = pg_exception_detail;
      raise exception using errcode = 'dependent_objects_still_exist', message =
        'SQL access cannot be made again, because other objects depend on it: drop them, run millbook migrate, and create them again. '
        || depending;
    end $$`)
}

const CHUNK = 2 ** 20

async function create(tx: Tx, here: string, { statements, names, fingerprint }: Objects): Promise<void> {
  const values = names.map(
    ({ kind, schema, name }, i) => `(${i}, ${quoted(kind)}, ${quoted(`${schema}.${identifier(name).text}`)})`,
  )
  const all = [
    ...statements,
    `insert into ${HIDDEN}.object (place, kind, name) values ${values.join(', ')}`,
    `comment on schema ${HIDDEN} is ${quoted(fingerprint)}`,
  ]
  // Names of Millbook's tables and views are found by the path.
  await tx.unsafe(`set local search_path = ${identifier(here).text}, pg_temp; set local check_function_bodies = off`)
  for (let chunk = ''; all.length > 0; chunk = '') {
    while (all.length > 0 && chunk.length < CHUNK) chunk += `${all.shift()};\n`
    await tx.unsafe(chunk)
  }
}

/** Creates the roles and grants them their rights. Resolves to what an administrator has to do. */
async function grantTo(tx: Tx, { here, reader, contacts }: Place): Promise<string | undefined> {
  const [plain, all] = [reader, contacts].map((name) => identifier(name).text) as [string, string]
  if (Buffer.byteLength(contacts) > 63)
    throw new MillbookError('the name of the database is too long for the names of the roles of SQL access')
  const missing = await tx<{ name: string }[]>`
    select name from unnest(${[reader, contacts]}::text[]) name where to_regrole(quote_ident(name)) is null`
  try {
    await tx.savepoint(async (inner) => {
      for (const { name } of missing) await inner.unsafe(`create role ${identifier(name).text}`)
    })
  } catch (error) {
    if (!hasState(error, 'insufficient_privilege')) throw error
    const creates = missing.map(({ name }) => `create role ${identifier(name).text};`).join(' ')
    throw new MillbookError(
      `this login may not create roles: have an administrator run ${creates} then run millbook migrate --sql-access again`,
    )
  }
  await tx.unsafe(`
    revoke all on all functions in schema ${SCHEMAS.join(', ')} from public;
    grant usage on schema ${PLAIN} to ${plain}, ${all};
    grant usage on schema ${CONTACTS} to ${all};
    grant select on all tables in schema ${PLAIN} to ${plain}, ${all};
    grant select on all tables in schema ${CONTACTS} to ${all};
    grant execute on all functions in schema ${PLAIN} to ${plain}, ${all};
    grant execute on all functions in schema ${CONTACTS} to ${all};
    -- Views run functions with the rights of their reader. This one computes from its arguments alone.
    grant execute on function ${identifier(here).text}.as_given(jsonb, text, numeric) to ${plain}, ${all};
    do $$ begin
      if pg_has_role((select datdba from pg_database where datname = current_database()), 'usage') then
        execute format('grant connect on database %I to ${plain}, ${all}', current_database());
      end if; end $$`)
  return await limit(tx, reader, contacts)
}

/** The roles and the logins that are members, with what each lacks of the settings. */
const lackingSettings = (db: Queryable, reader: string, contacts: string) => db<
  { name: string; contacts: boolean; lacks: string[] }[]
>`
  with recursive member as (
         select oid, rolname = ${contacts} as contacts from pg_roles where rolname in (${reader}, ${contacts})
         union
         select m.member, r.contacts from member r join pg_auth_members m on m.roleid = r.oid)
  select r.rolname as name, bool_or(m.contacts) as contacts, to_json(array(
           select s.name from unnest(${Object.keys(SETTINGS)}::text[]) s(name)
            where not exists (
              select from pg_db_role_setting d, unnest(d.setconfig) c
               where d.setrole = r.oid and d.setdatabase in (0, (select oid from pg_database where datname = current_database()))
                 and lower(split_part(c, '=', 1)) = lower(s.name)))) as lacks
    from member m join pg_roles r on r.oid = m.oid
   where (r.rolcanlogin or r.rolname in (${reader}, ${contacts})) and not r.rolsuper
   group by r.oid, r.rolname order by 1`

/** Gives the settings to the roles and to logins that are members. Resolves to what an administrator has to do. */
async function limit(tx: Tx, reader: string, contacts: string): Promise<string | undefined> {
  const [{ database } = { database: '' }] = await tx<{ database: string }[]>`select current_database() as database`
  const todo: string[] = []
  for (const { name, lacks, contacts: all } of await lackingSettings(tx, reader, contacts)) {
    if (lacks.length === 0) continue
    const alter = `alter role ${identifier(name).text} in database ${identifier(database).text} set`
    const path = all ? `${CONTACTS}, ${PLAIN}` : PLAIN
    const statements = [
      ...lacks.map((setting) => `${alter} ${setting} = ${SETTINGS[setting]}`),
      `${alter} search_path = ${path}`,
    ].join('; ')
    try {
      await tx.savepoint(async (inner) => void (await inner.unsafe(statements)))
    } catch (error) {
      if (!hasState(error, 'insufficient_privilege')) throw error
      todo.push(statements)
    }
  }
  return todo.length === 0
    ? undefined
    : `this login may not limit the time of readers' statements: have an administrator run ${todo.join('; ')};`
}

/** A fault that the check found, and its remedy. */
export interface Flaw {
  readonly found: string
  readonly advice: string
}

/** Undefined if SQL access is off. */
export async function check(
  db: Queryable,
  reports: readonly Report[],
): Promise<{ found: string; flaws: Flaw[] } | undefined> {
  const { here, reader, contacts, fingerprint } = await placeOf(db)
  if (fingerprint === undefined) return undefined
  const objects = objectsIn(here, reports)
  const flaws: Flaw[] = []
  const again = 'run millbook migrate'
  if (fingerprint !== objects.fingerprint)
    flaws.push({ found: `SQL access was made by another build of Millbook`, advice: again })
  else {
    const gone = await db<{ name: string }[]>`
      select schema || '.' || name as name
        from json_to_recordset(${JSON.stringify(objects.names)}::json) o(kind text, schema text, name text)
       where not exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
                          where n.nspname = schema and relname = name and relkind = case kind when 'view' then 'v' when 'type' then 'c' end)
         and not exists (select from pg_proc p join pg_namespace n on n.oid = p.pronamespace
                          where kind = 'function' and n.nspname = schema and proname = name)`
    if (gone.length > 0)
      flaws.push({
        found: `SQL access lacks ${gone.map(({ name }) => name).join(', ')}`,
        advice: 'run millbook migrate --no-sql-access, then millbook migrate --sql-access',
      })
  }
  flaws.push(...(await flawsOfRoles(db, reader, contacts)))
  const count = (kind: string) => objects.names.filter((one) => one.kind === kind).length
  return {
    found: `${reader} and ${contacts} read ${count('function')} functions and ${count('view')} views, and nothing else`,
    flaws,
  }
}

async function flawsOfRoles(db: Queryable, reader: string, contacts: string): Promise<Flaw[]> {
  const flaws: Flaw[] = []
  const roles = await lackingSettings(db, reader, contacts)
  for (const name of [reader, contacts])
    if (!roles.some((role) => role.name === name))
      flaws.push({ found: `there is no role ${name}`, advice: 'run millbook migrate' })
  for (const { name, lacks } of roles)
    if (lacks.includes('statement_timeout'))
      flaws.push({
        found: `nothing limits the time of statements of ${name}`,
        advice: 'run millbook migrate, as a login that may change roles',
      })
  const open = await db<{ name: string; what: string }[]>`
    with role as (select * from json_to_recordset(${JSON.stringify(roles)}::json) r(name text, contacts boolean)),
         schema as (select n.oid, n.nspname from pg_namespace n
                     where n.nspname !~ '^pg_' and n.nspname <> 'information_schema'),
         allowed as (select r.name, s.oid from role r join schema s
                         on s.nspname = ${PLAIN} or s.nspname = ${CONTACTS} and r.contacts)
    select name, what from (
      select r.name, c.oid::regclass::text as what
        from role r cross join pg_class c join schema s on s.oid = c.relnamespace
       where c.relkind in ('r', 'p', 'v', 'm', 'f')
         and (has_any_column_privilege(r.name, c.oid, 'select, insert, update, references')
              or has_table_privilege(r.name, c.oid, 'delete, truncate, trigger'))
         and not (c.relkind = 'v' and (r.name, s.oid) in (select * from allowed)
                  and not has_any_column_privilege(r.name, c.oid, 'insert, update'))
      union all
      select r.name, p.oid::regprocedure::text
        from role r cross join pg_proc p join schema s on s.oid = p.pronamespace
       where p.prosecdef and has_function_privilege(r.name, p.oid, 'execute') and has_schema_privilege(r.name, s.oid, 'usage')
         and (r.name, s.oid) not in (select * from allowed)
      union all
      select r.name, 'new objects in the schema ' || s.nspname from role r cross join schema s where has_schema_privilege(r.name, s.oid, 'create')
      union all
      select r.name, 'everything, as ' || o.rolname from role r cross join pg_roles o
       where (o.rolsuper or o.rolname in ('pg_read_all_data', 'pg_write_all_data')) and pg_has_role(r.name, o.oid, 'member')) found
     order by 1, 2`
  for (const { name } of roles) {
    const whats = open.filter((one) => one.name === name).map(({ what }) => what)
    if (whats.length === 0) continue
    const more = whats.length > 5 ? ` and ${whats.length - 5} more` : ''
    flaws.push({
      found: `${name} may read or change more than SQL access: ${whats.slice(0, 5).join(', ')}${more}`,
      advice: `revoke these rights from ${name}, from public, or from the roles that ${name} is a member of`,
    })
  }
  return flaws
}
