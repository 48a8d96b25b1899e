/** SQL access: reports, documents and masters for tools that read databases (docs/decisions/0052). */
import type { Tx } from '../../db/connect.js'
import type { Report } from '../../kernel/report/report.js'
import type { SqlAccess } from './access.js'

/** For `migrateWithRoles`: makes SQL access again if it is on. Only then are the reports loaded. */
export async function refreshSqlAccess(
  tx: Tx,
  reports: () => Promise<readonly Report[]>,
): Promise<SqlAccess | undefined> {
  const [row] = await tx<
    { on: boolean }[]
  >`select exists (select from pg_namespace where nspname = 'millbook_sql') as on`
  return row?.on ? (await import('./access.js')).turnOn(tx, await reports()) : undefined
}
