/** Opens the database that a command was given, with the schema that this program knows. */
import type { Command } from 'commander'
import { connect, type Database, type Db, type Tx } from '../db/connect.js'
import { checkSchema } from '../db/migrate.js'
import { retryDeadlocks } from '../db/retry.js'
import { migrateWithRoles } from '../db/roles.js'
import { MillbookError } from '../errors.js'
import { entities } from '../import/entities.js'
import { databaseTarget } from '../runtime/settings.js'

const INSUFFICIENT_PRIVILEGE = '42501'

/** For people; stdout is for results. */
export const tell = (line: string): boolean => process.stderr.write(`${line}\n`)

export async function openDatabase(command: Command): Promise<Database> {
  const database = await connect(databaseTarget(command))
  try {
    await bringUpToDate(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Runs `work` and closes the database after it. */
export async function withDatabase<T>(command: Command, work: (db: Db, database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase(command)
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

/** Looks before it migrates: a database that is current needs no right to change it. */
async function bringUpToDate(database: Database): Promise<void> {
  try {
    await checkSchema(database.db)
  } catch (stale) {
    const { applied } = await migrateWithRoles(database, entities).catch((error) => {
      // A role that may only serve or load cannot mend it, and says what is to be done.
      throw error.code === INSUFFICIENT_PRIVILEGE && stale instanceof MillbookError
        ? new MillbookError(`${stale.message} as the owner of the database (${error.message})`)
        : error
    })
    for (const { number, name } of applied) tell(`applied migration ${number}: ${name}`)
  }
}
