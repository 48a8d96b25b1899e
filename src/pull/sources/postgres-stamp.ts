/**
 * Tells whether a query on PostgreSQL would return the same rows as before, without running it: the plan names the tables that it
 * reads, and a table's stamp is a hash of the transaction and the place of each of its rows (docs/decisions/0038).
 */
import type { ForeignDatabase } from '../../db/foreign.js'
import { identifier, literal } from '../../db/sql.js'

type Row = Readonly<Record<string, unknown>>

/** Words and calls whose value may differ although no table does. */
const CLOCK =
  /\b(current_(date|time|timestamp)|localtime|localtimestamp)\b|\b(now|age|transaction_timestamp|statement_timestamp|current_setting|set_config|(table|schema|database|query|cursor)_to_xml\w*|pg_\w+|txid_\w+|has_\w+|to_reg\w+|inet_\w+|currval|lastval)\s*\(/i

/** Texts that PostgreSQL reads as a time of today before it makes a plan. */
const TODAY = /'\s*(now|today|tomorrow|yesterday)\s*'/i
/** Limits and frames that are not numbers. */
const UNSEEN = /\b(limit|offset)\s+(?!\d|all\b)|(?<!\bunbounded\s+|\d\s+)\b(preceding|following)\b/i

/** Nodes of a plan that read something else than a table of the database, or not all of it. */
const OTHER_SCANS = new Set(['Foreign Scan', 'Custom Scan', 'Sample Scan', 'Table Function Scan', 'ModifyTable'])

/** Definitions that decide what a query means, apart from the columns of its tables. */
const DEFINITIONS = ['pg_rewrite', 'pg_policy']

/**
 * The tables with policies in force, and the roles whose policies apply to the user and to the owners of views. Grants to others
 * change nothing here: all databases of a server share them.
 */
const POLICIES = `
  (select string_agg(concat_ws(' ', oid, relowner, relforcerowsecurity), ',' order by oid) from pg_class where relrowsecurity),
  (select string_agg(concat_ws(' ', u.oid, u.rolsuper, u.rolbypassrls,
            case when not u.rolsuper and not u.rolbypassrls then
              (select string_agg(r.oid::text, ' ' order by r.oid) from pg_roles r where pg_has_role(u.oid, r.oid, 'usage'))
            end), ',' order by u.oid)
     from pg_roles u where u.rolname = current_user or u.oid in (select relowner from pg_class where relkind = 'v'))`

const hashOf = (alias: string) =>
  `count(*)::text || ' ' || coalesce(sum(hashtextextended(${alias}.tableoid::text || ' ' || ${alias}.ctid::text || ' ' || ${alias}.xmin::text, 0)), 0)::text`

export function postgresStamps({ all, attempt }: ForeignDatabase): (query: string) => Promise<string | undefined> {
  const ofTable = new Map<string, Promise<string>>()
  const one = async (statement: string) => String(Object.values((await all(statement))[0] ?? {})[0])
  const tableStamp = (name: string) => {
    const stamp =
      ofTable.get(name) ??
      one(
        `select (select ${hashOf('t')} from only ${name} t) || ' ' ||
                (select ${hashOf('a')} from pg_attribute a where a.attrelid = ${literal(name).text}::regclass)`,
      )
    ofTable.set(name, stamp)
    stamp.catch(() => ofTable.delete(name))
    return stamp
  }
  let definitions: Promise<string> | undefined
  const definitionStamp = () => {
    definitions ??= one(
      `select concat_ws(' ', current_user, current_database(), current_setting('server_version'), ${POLICIES}, ${DEFINITIONS.map(
        (name) => `(select ${hashOf('d')} from ${name} d)`,
      ).join(', ')})`,
    )
    return definitions
  }
  const stampOf = async (query: string): Promise<string | undefined> => {
    const [row] = await all(`explain (verbose, format json) select * from (${query}\n) as source`)
    const plan = Object.values(row ?? {})[0]
    // A plan has only the parts of the query that it runs, but does not show lists of values, limits and frames of windows.
    const shown = JSON.stringify(plan)
    const hides = shown.includes('"Values Scan"') || UNSEEN.test(query)
    const isFixed = async (text: string) => !CLOCK.test(text) && !(await callsOthers(all, text))
    if (TODAY.test(query) || !(await isFixed(shown.replaceAll(String.raw`\"`, '')))) return undefined
    if (hides && !(await isFixed(query))) return undefined
    const tables = new Set<string>()
    if (!collect(plan, tables)) return undefined
    if (!(await areHeaps(all, [...tables]))) return undefined
    const stamps = [await definitionStamp()]
    for (const name of [...tables].sort()) stamps.push(`${name} ${await tableStamp(name)}`)
    return stamps.join('\n')
  }
  // A table of which the user may read only some columns fails: the query is then run each time.
  return async (query) => await attempt(() => stampOf(query)).catch(() => undefined)
}

/** Whether the text calls a function that can read tables itself, or that returns something else each time. */
async function callsOthers(all: (statement: string) => Promise<Row[]>, text: string): Promise<boolean> {
  const names = new Set([...text.matchAll(/([A-Za-z_][\w$]*)"?\s*\(/g)].map(([, name = '']) => name.toLowerCase()))
  const [found] = await all(
    `select exists (select from pg_proc p
              where lower(p.proname::text) = any(${literal(`{${[...names].join(',')}}`).text}::text[])
                and (p.provolatile = 'v' or p.pronamespace not in ('pg_catalog'::regnamespace))) as found`,
  )
  return found?.['found'] !== false
}

/** Whether a changed row of these tables always becomes a new one, which is not so in sequences, catalogues and other storage. */
async function areHeaps(all: (statement: string) => Promise<Row[]>, tables: readonly string[]): Promise<boolean> {
  const names = tables.map((name) => `${literal(name).text}::regclass`)
  const [found] = await all(
    `select count(*)::int as n from pg_class c join pg_am a on a.oid = c.relam
      where c.oid = any(array[${names.join(',')}]::oid[]) and c.relkind in ('r', 'm') and a.amname = 'heap' and c.oid >= 16384`,
  )
  return found?.['n'] === tables.length
}

/** Collects the tables of a plan; false if it reads anything else. */
function collect(node: unknown, tables: Set<string>): boolean {
  if (Array.isArray(node)) return node.every((one) => collect(one, tables))
  if (typeof node !== 'object' || node === null) return true
  const { 'Node Type': type, 'Relation Name': relation, Schema: schema } = node as Record<string, unknown>
  if (OTHER_SCANS.has(String(type))) return false
  if (typeof relation === 'string') {
    if (typeof schema !== 'string') return false
    tables.add(`${identifier(schema).text}.${identifier(relation).text}`)
  }
  return Object.values(node).every((one) => collect(one, tables))
}
