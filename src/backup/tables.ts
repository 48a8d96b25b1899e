/** The tables of a backup, from the database's catalogue. */
import { copies } from '../db/cluster/copies.js'
import type { Queryable } from '../db/connect.js'

export interface Table {
  readonly name: string
  /** Those that are stored: generated ones follow from them. */
  readonly columns: readonly string[]
}

/**
 * Migrations write the first, and a restore applies them itself; loads write the next two about rows that they have stored. The
 * others are copies and versions that only a cluster has: a restore makes one server, which can be distributed again.
 */
const LEFT_OUT = [
  ...['schema_migration', 'loaded_file', 'loaded_rows', 'item_shard_version', 'document_shard_version'],
  ...copies.map(({ table }) => table),
]

/** All tables whose rows outlive a crash, which excludes the unlogged tables for staging. */
export const tablesOf = (db: Queryable): Promise<readonly Table[]> => db<Table[]>`
  select c.relname::text as name,
         to_json(array(select a.attname::text from pg_attribute a
                        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                        order by a.attnum)) as columns
    from pg_class c
   where c.relkind = 'r' and c.relpersistence = 'p' and c.relnamespace = current_schema()::regnamespace
     and c.relname <> all(${LEFT_OUT})
   order by c.relname`
