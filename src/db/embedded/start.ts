/** Starts the embedded engine on its database folder, and creates the database first if there is none. */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { closeFiles, privateFolder } from './permissions.js'

/**
 * Without replication, rows of a table that is new in the same transaction are not logged (engine.ts). The cache holds a
 * ledger of a million movements; the engine reads everything else from files each time. There is one session, so a report may
 * sort in memory. connect.ts explains the planner's setting.
 */
const SETTINGS = [
  ...['wal_level=minimal', 'max_wal_senders=0', 'shared_buffers=256MB'],
  ...['work_mem=64MB', 'random_page_cost=1.1'],
]

/** The caller must hold the lock on the data directory. */
export async function startEngine(database: string): Promise<PGlite> {
  // Create the database beside its place and move it when complete: an incomplete database would never start again.
  if (!existsSync(join(database, 'PG_VERSION'))) {
    if (existsSync(database) && readdirSync(database).length > 0)
      throw new Error(`${database} holds files but no database; remove it, or name another directory`)
    const made = `${database}.new`
    rmSync(made, { recursive: true, force: true })
    privateFolder(made)
    await (await start(made)).close()
    try {
      renameSync(made, database)
    } catch (error) {
      throw new Error(`${(error as Error).message}; the directory itself may be a mount or a link, but nothing in it`)
    }
  }
  // This process holds the lock, so the engine's own lock file is stale; the engine refuses the empty lock file of a killed process.
  rmSync(join(database, 'postmaster.pid'), { force: true })
  const engine = await start(database).catch((error: Error) => {
    // After a crash, the first start has been seen to fail and the second to work.
    process.stderr.write(`the embedded database did not start: ${error.message}; trying once more\n`)
    return start(database)
  })
  closeFiles(database)
  return engine
}

async function start(database: string): Promise<PGlite> {
  let reason: string | undefined
  try {
    return await PGlite.create(database, {
      startParams: [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])],
      onStderr: (line) => {
        reason = /(?:FATAL|PANIC):\s+(.*)/.exec(line)?.[1] ?? reason
        return true
      },
    })
  } catch (error) {
    const { message, errno } = error as { message?: string; errno?: number }
    throw new Error(reason ?? message ?? SYSTEM[errno ?? 0] ?? `the engine's file system reported error ${errno}`)
  }
}

/** Problems that an operator can fix, by the error numbers of the engine's file system. */
const SYSTEM: Record<number, string> = {
  ...{ 2: 'permission denied', 19: 'the quota is exceeded', 29: 'an input or output error', 44: 'a file is missing' },
  ...{ 51: 'no space is left on the device', 69: 'the file system is read-only' },
}
