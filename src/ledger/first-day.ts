/** Where the ledger begins if years are archived: the first day from which on it has every movement (docs/decisions/0033). */
import type { Queryable } from '../db/connect.js'
import { raw, type Sql, sql } from '../db/sql.js'

/** As YYYY-MM-DD; undefined if no year is archived. */
export async function ledgerBegins(db: Queryable): Promise<string | undefined> {
  const [row] = await db<{ day: string | null }[]>`select ledger_begins::text as day from data_version`
  return row?.day ?? undefined
}

/** As a date to compare with: before all days if no year is archived. */
export const firstDay = raw(`coalesce((select ledger_begins from data_version), '-infinity')`)

/** The first 64 bits of a text's MD5 sum: of a movement's number in `archived_number`, of a row in the sum over an archived year. */
export const hashOf = (text: Sql): Sql => sql`('x' || left(md5(${text}), 16))::bit(64)::bigint`

/** The list of `archived_number` that a hash belongs to. */
export const partOf = (hash: Sql): Sql => sql`(${hash} & 65535)::integer`

/** Whether the movement with this number has left the ledger. */
export const hasLeft = (number: Sql): Sql => sql`
  exists (select from archived_number a where a.part = ${partOf(hashOf(number))} and ${hashOf(number)} = any(a.hashes))`
