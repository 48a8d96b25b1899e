/** The tables that have Millbook's rows, from the database's catalogue. */
import { copies } from './cluster/copies.js'
import type { Queryable } from './db.js'

export interface Table {
  readonly name: string
  /** The stored columns, without generated ones. */
  readonly columns: readonly string[]
}

/** Copies and versions that only a cluster has, and writes itself. */
const OF_CLUSTER = ['item_shard_version', 'document_shard_version', ...copies.map(({ table }) => table)]

/** All tables whose rows outlive a crash, which excludes the unlogged tables for staging. */
export const tablesOf = (db: Queryable, except: readonly string[]): Promise<readonly Table[]> => db<Table[]>`
  select c.relname::text as name,
         to_json(array(select a.attname::text from pg_attribute a
                        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                        order by a.attnum)) as columns
    from pg_class c
   where c.relkind = 'r' and c.relpersistence = 'p' and c.relnamespace = current_schema()::regnamespace
     and c.relname <> all(${[...except, ...OF_CLUSTER]})
   order by c.relname`
