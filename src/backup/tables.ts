/** The tables of a backup, from the database's catalogue. */
import { copies } from '../db/cluster.js'
import type { Queryable } from '../db/connect.js'
import { COPY_NAMES } from '../db/partition.js'

export interface Table {
  readonly name: string
  /** Those that are stored: generated ones follow from them. */
  readonly columns: readonly string[]
}

/**
 * Migrations write the first, and a restore applies them itself; loads write the next two about rows that they have stored. The
 * others are those of a cluster or beside a partitioned ledger: a restore makes one server with one table for the ledger, which can
 * be distributed or partitioned again, unless years of it are archived.
 */
const LEFT_OUT = [
  ...['schema_migration', 'loaded_file', 'loaded_rows', 'item_shard_version', 'document_shard_version'],
  ...copies.map(({ table }) => table),
]

/**
 * All tables whose rows outlive a crash, which excludes those for staging. Of archived movements, the copies beside the ledger are all
 * that is left, so they are part of a backup then.
 */
export const tablesOf = (db: Queryable, archived: boolean): Promise<readonly Table[]> => db<Table[]>`
  select c.relname::text as name,
         to_json(array(select a.attname::text from pg_attribute a
                        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                        order by a.attnum)) as columns
    from pg_class c
   where (c.relkind = 'r' and not c.relispartition or c.relkind = 'p') and c.relpersistence = 'p' and c.relnamespace = current_schema()::regnamespace
     and c.relname <> all(${LEFT_OUT.filter((name) => !(archived && COPY_NAMES.includes(name)))})
   order by c.relname`
