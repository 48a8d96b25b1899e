/** The database roles of the service and of the loader on a server, and their rights. */
import { readFileSync } from 'node:fs'
import { hasState } from '../sqlstate.js'
import type { Database, Queryable, Tx } from './connect.js'
import { type Migrated, migrate } from './migrate.js'
import { identifier } from './sql.js'

export interface Roles {
  service: string
  loader: string
  /** Why the roles did not get their rights, with instructions; undefined if they did. */
  problem: string | undefined
}

/** The rights of the roles to a table. */
export interface Grants {
  readonly service: readonly Privilege[]
  readonly loader: readonly Privilege[]
  /** Sequences that the loader's rows take defaults from. Identity columns need no right to their sequence. */
  readonly sequences?: readonly string[]
}

type Privilege = 'select' | 'insert' | 'update' | 'delete'

interface GrantedTable {
  readonly table: string
  readonly grants: Grants
}

// The same from src/ and from dist/.
const RIGHTS = readFileSync(new URL('../../src/db/roles.sql', import.meta.url), 'utf8')

/**
 * Migrates and, on a server, grants the roles their rights in the same transaction, so that no table is without them: the rights
 * in roles.sql, and the rights that `tables` declare. `finish` runs in the same transaction.
 */
export async function migrateWithRoles(
  { db, engine }: Pick<Database, 'db' | 'engine'>,
  tables: readonly GrantedTable[],
  finish: (tx: Tx) => Promise<unknown> = async () => {},
): Promise<Migrated & { roles: Roles | undefined }> {
  let roles: Roles | undefined
  const migrated = await migrate(db, undefined, async (tx) => {
    if (engine.name !== 'embedded') roles = await grantRoles(tx, tables)
    await finish(tx)
  })
  return { ...migrated, roles }
}

/** A line for the operator: the two roles, or why they have no rights, with instructions. */
export const describeRoles = ({ service, loader, problem }: Roles): string =>
  problem ?? `roles: ${service} to serve, ${loader} to import and verify`

/** Attempts: PostgreSQL refuses to change rights while something else, such as an analyze, changes the same table's entry. */
const TRIES = 5

/** Does not fail without the right to create roles: they belong to the server, and the owner of a database may not have it. */
async function grantRoles(tx: Tx, tables: readonly GrantedTable[]): Promise<Roles> {
  const { service, loader, schema, exist } = await namesOf(tx)
  for (let tries = 1; ; tries++)
    try {
      await tx.savepoint(async (inner) => {
        await inner.unsafe(RIGHTS)
        await inner.unsafe(tables.flatMap((table) => grantsOn(table, schema, service, loader)).join(';\n'))
      })
      return { service, loader, problem: undefined }
    } catch (error) {
      const { message, code } = error as { message: string; code?: string }
      if (code === undefined) throw error
      if (tries < TRIES && (hasState(error, 'deadlock_detected') || hasState(error, 'internal_error'))) continue
      const statements = [service, loader].map((name) => `create role ${identifier(name).text};`).join(' ')
      const todo = exist
        ? 'run millbook migrate as the owner of the tables'
        : `have an administrator run ${statements} then run millbook migrate again`
      const why = `the roles ${service} and ${loader} did not get their rights: ${message}`
      return { service, loader, problem: hasState(error, 'insufficient_privilege') ? `${why}; ${todo}` : why }
    }
}

/** The statements that grant the rights to a table; roles.sql has revoked all other rights. */
function grantsOn({ table, grants }: GrantedTable, schema: string, service: string, loader: string): string[] {
  const named = (name: string) => `${identifier(schema).text}.${identifier(name).text}`
  const grant = (privileges: readonly Privilege[], role: string) =>
    privileges.length === 0 ? [] : [`grant ${privileges.join(', ')} on ${named(table)} to ${identifier(role).text}`]
  return [
    ...grant(grants.service, service),
    ...grant(grants.loader, loader),
    ...(grants.sequences ?? []).map((name) => `grant usage on sequence ${named(name)} to ${identifier(loader).text}`),
  ]
}

async function namesOf(tx: Queryable): Promise<{ service: string; loader: string; schema: string; exist: boolean }> {
  const [row] = await tx<{ service: string; loader: string; schema: string; exist: boolean }[]>`
    select service, loader, current_schema() as schema,
           num_nulls(to_regrole(quote_ident(service)), to_regrole(quote_ident(loader))) = 0 as exist
      from (select current_database() || '_service' as service, current_database() || '_loader' as loader) names`
  if (row === undefined) throw new Error('the database returned no row')
  return row
}
