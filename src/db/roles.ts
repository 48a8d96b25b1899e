/** The database roles of the service and of the loader on a server: roles.sql says what each may do. */
import { readFileSync } from 'node:fs'
import type { TransactionSql } from 'postgres'
import type { Database, Queryable } from './connect.js'
import { type Migration, migrate } from './migrate.js'
import { identifier } from './sql.js'

export interface Roles {
  service: string
  loader: string
  /** Why they have not got their rights, and what to do; undefined where they have. */
  problem: string | undefined
}

// The same from src/ and from dist/.
const RIGHTS = readFileSync(new URL('../../src/db/roles.sql', import.meta.url), 'utf8')

/** Migrates and, on a server, gives the roles their rights in the same transaction, so that no table is without them. */
export async function migrateWithRoles({
  db,
  engine,
}: Pick<Database, 'db' | 'engine'>): Promise<{ applied: Migration[]; roles: Roles | undefined }> {
  let roles: Roles | undefined
  const applied = await migrate(db, undefined, async (tx) => {
    if (engine === 'server') roles = await grantRoles(tx)
  })
  return { applied, roles }
}

/** Roles are a matter of the whole server, which not everyone who owns a database may touch: never a reason to fail. */
async function grantRoles(tx: TransactionSql): Promise<Roles> {
  const { service, loader, exist } = await namesOf(tx)
  try {
    await tx.savepoint((inner) => inner.unsafe(RIGHTS))
    return { service, loader, problem: undefined }
  } catch (error) {
    const { message, code } = error as { message: string; code?: string }
    if (code === undefined) throw error
    const statements = [service, loader].map((name) => `create role ${identifier(name).text};`).join(' ')
    const todo = exist
      ? 'run millbook migrate as the owner of the tables'
      : `have an administrator run ${statements} then run millbook migrate again`
    const why = `the roles ${service} and ${loader} have not got their rights: ${message}`
    return { service, loader, problem: code === '42501' ? `${why}; ${todo}` : why }
  }
}

async function namesOf(tx: Queryable): Promise<{ service: string; loader: string; exist: boolean }> {
  const [row] = await tx<{ service: string; loader: string; exist: boolean }[]>`
    select service, loader, num_nulls(to_regrole(quote_ident(service)), to_regrole(quote_ident(loader))) = 0 as exist
      from (select current_database() || '_service' as service, current_database() || '_loader' as loader) names`
  if (row === undefined) throw new Error('no answer')
  return row
}
