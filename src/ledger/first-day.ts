/** Where the ledger begins if years are archived: the first day from which on it has every movement (docs/decisions/0033). */
import type { Queryable } from '../db/connect.js'
import { raw } from '../db/sql.js'

/** As YYYY-MM-DD; undefined if no year is archived. */
export async function ledgerBegins(db: Queryable): Promise<string | undefined> {
  const [row] = await db<{ day: string | null }[]>`select ledger_begins::text as day from data_version`
  return row?.day ?? undefined
}

/** As a date to compare with: before all days if no year is archived. */
export const firstDay = raw(`coalesce((select ledger_begins from data_version), '-infinity')`)
