/** Opens the database that a command works on. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type ConnectOptions, connect, type Database, type Db, type Target, type Tx } from '../db/connect.js'
import { databaseIn } from '../db/embedded/permissions.js'
import { checkSchema, describeMigrated, NotMigrated, schemaOf } from '../db/migrate.js'
import { retryDeadlocks } from '../db/retry.js'
import { migrateWithRoles } from '../db/roles.js'
import { MillbookError } from '../errors.js'
import { entities } from '../import/entities.js'
import { databaseTarget } from '../runtime/settings.js'
import { hasState } from '../sqlstate.js'
import { refreshSqlAccess } from '../surfaces/sql/index.js'

/** Writes a line for people to stderr; stdout is for results. */
export const tell = (line: string): boolean => process.stderr.write(`${line}\n`)

export interface OpenOptions extends ConnectOptions {
  /** Creates a missing embedded database and migrates the schema; most commands must do neither. */
  create?: boolean
  /** Accepts any schema, or none; by default only this program's schema is accepted. */
  anySchema?: boolean
}

export async function openDatabase(
  command: Command,
  { create = false, anySchema = false, ...options }: OpenOptions = {},
): Promise<Database> {
  const target = create ? databaseTarget(command) : existingTarget(command)
  const database = await connect(target, options)
  try {
    if (create) await bringUpToDate(database)
    else if (!anySchema) await checkSchema(database.db)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** For commands that create nothing: throws before their locks would create a data directory. */
export function existingTarget(command: Command): Target {
  const target = databaseTarget(command)
  if ('url' in target) return target
  const found = databaseIn(target.directory)
  if (found === 'there') return target
  if (found === 'unreadable')
    throw new MillbookError(
      `this user may not read the database in ${resolve(target.directory)}: run the command as the owner of the directory`,
    )
  throw new MillbookError(
    `there is no database in ${resolve(target.directory)}: name another with --data DIR or --database URL, or create one there with millbook migrate --data ${target.directory}`,
  )
}

/** Runs `work` and closes the database after it. */
export async function withDatabase<T>(
  command: Command,
  work: (db: Db, database: Database) => Promise<T>,
  options?: OpenOptions,
): Promise<T> {
  const database = await openDatabase(command, options)
  try {
    const died = database.died.then((error) => {
      throw new MillbookError(`the embedded database died: ${error.message}`)
    })
    return await Promise.race([work(database.db, database), died])
  } finally {
    await database.close()
  }
}

/** The same in one transaction. */
export const inTransaction = <T>(command: Command, work: (tx: Tx) => Promise<T>): Promise<T> =>
  withDatabase(command, async (db) => (await retryDeadlocks(() => db.begin(work))) as T)

/** Makes SQL access again after a migration, if it is on. */
export const refreshAccess = (tx: Tx) => refreshSqlAccess(tx, async () => (await import('../reports/index.js')).reports)

/** Checks first, because only a migration needs the right to change the schema. */
async function bringUpToDate(database: Database): Promise<void> {
  try {
    await checkSchema(database.db)
  } catch (stale) {
    const migrated = await migrateWithRoles(database, entities, refreshAccess).catch(async (error) => {
      // A role that may only serve or load cannot migrate; the message names the role that can.
      if (!hasState(error, 'insufficient_privilege') || !(stale instanceof MillbookError)) throw error
      const message = `${stale.message} as the owner of the database (${error.message})`
      throw (await schemaOf(database.db)) > 0 ? new NotMigrated(message) : new MillbookError(message)
    })
    tell(describeMigrated(migrated))
  }
}
