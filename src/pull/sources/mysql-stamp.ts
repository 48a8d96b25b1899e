/**
 * Tells whether a query on MySQL or MariaDB would return the same rows as before, without running it: by a checksum of each table
 * whose name occurs in it (docs/decisions/0038).
 */
import type { SourceValue } from '../source.js'

/** Words and calls whose value may differ although no table does. */
const CLOCK =
  /\b(current_(date|time|timestamp)|localtime|localtimestamp|utc_(date|time|timestamp))\b|\b(now|curdate|curtime|sysdate|unix_timestamp|rand|uuid\w*|connection_id|last_insert_id|found_rows|row_count|load_file|sleep|get_lock|nextval|lastval|database|schema)\s*\(|@/i

type Query = (text: string) => Promise<readonly (readonly SourceValue[])[]>

export function mysqlStamps(run: Query): (query: string) => Promise<string | undefined> {
  const ofTable = new Map<string, Promise<string | undefined>>()
  const checksum = (table: string) => {
    const stamp = ofTable.get(table) ?? checksumOf(run, table)
    ofTable.set(table, stamp)
    return stamp
  }
  let catalogue: Promise<Catalogue> | undefined
  return async (query) => {
    catalogue ??= readCatalogue(run)
    const { tables, others, version } = await catalogue
    if (CLOCK.test(query) || others.some((name) => namesWhole(query, name))) return undefined
    const stamps: string[] = [version]
    for (const { name, kind, definition } of tables) {
      if (!names(query, name)) continue
      // A view reads other tables; other engines have no snapshot.
      const stamp = kind === 'table' ? await checksum(name) : undefined
      if (stamp === undefined) return undefined
      stamps.push(`${name} ${definition} ${stamp}`)
    }
    return stamps.length === 1 ? undefined : stamps.join('\n')
  }
}

interface Catalogue {
  readonly version: string
  readonly tables: readonly { readonly name: string; readonly kind: 'table' | 'other'; readonly definition: string }[]
  /** Functions of this database, and other databases. */
  readonly others: readonly string[]
}

async function readCatalogue(run: Query): Promise<Catalogue> {
  const texts = async (statement: string) => (await run(statement)).map((row) => row.map(String))
  const [[version = ''] = []] = await texts(`select concat_ws(' ', version(), current_user(), database())`)
  const columns = `select c.table_name, md5(group_concat(c.column_name, ' ', c.column_type, ' ', coalesce(c.collation_name, '') order by c.ordinal_position))
                     from information_schema.columns c where c.table_schema = database() group by 1`
  await run('set session group_concat_max_len = 1000000')
  const definitions = new Map((await texts(columns)).map(([name = '', definition = '']) => [name, definition] as const))
  const tables = (
    await texts(
      `select table_name, if(table_type = 'BASE TABLE' and engine = 'InnoDB', 'table', 'other') from information_schema.tables where table_schema = database()`,
    )
  ).map(([name = '', kind = '']) => ({
    ...{ name, kind: kind === 'table' ? ('table' as const) : ('other' as const) },
    definition: definitions.get(name) ?? '',
  }))
  const others = await texts(
    `select routine_name from information_schema.routines where routine_schema = database()
     union select schema_name from information_schema.schemata where schema_name <> database()`,
  )
  return { version, tables, others: others.map(([name = '']) => name) }
}

/** Of a missing or unreadable table, the server returns null. */
async function checksumOf(run: Query, table: string): Promise<string | undefined> {
  const quoted = `\`${table.replaceAll('`', '``')}\``
  const [[, checksum] = []] = await run(`checksum table ${quoted}`)
  const [[rows] = []] = await run(`select count(*) from ${quoted}`)
  return checksum === null || checksum === undefined ? undefined : `${rows} ${checksum}`
}

/** Whether a name occurs in a query, also inside of a longer name: reading too many tables is harmless. */
const names = (query: string, name: string) => query.toLowerCase().includes(name.toLowerCase())

const namesWhole = (query: string, name: string) =>
  new RegExp(`(?<![\\w$])${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])`, 'i').test(query)
