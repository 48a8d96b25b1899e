/** Starts the embedded engine on the folder of its database, which is made first where there is none. */
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { closeFiles, privateFolder } from './permissions.js'

/**
 * Without replication, what goes into a table that is new in the same transaction is not logged (src/import/embedded-bulk.ts). The
 * cache has room for a ledger of a million movements: what is not in it is read from a file each time.
 */
const SETTINGS = ['wal_level=minimal', 'max_wal_senders=0', 'shared_buffers=256MB']

/** The caller owns the folder. */
export async function startEngine(database: string): Promise<PGlite> {
  // Made beside its place and moved there whole: a folder with a half of a database would never start again.
  if (!existsSync(join(database, 'PG_VERSION'))) {
    if (existsSync(database) && readdirSync(database).length > 0)
      throw new Error(`${database} holds files and no database; remove it, or name another directory`)
    const made = `${database}.new`
    rmSync(made, { recursive: true, force: true })
    privateFolder(made)
    await (await start(made)).close()
    try {
      renameSync(made, database)
    } catch (error) {
      throw new Error(
        `${(error as Error).message}; only the directory itself may be a mount or a link, not what is in it`,
      )
    }
  }
  // The owner's lock is ours; one that a killed process was about to write is empty, and the engine refuses that.
  rmSync(join(database, 'postmaster.pid'), { force: true })
  const engine = await start(database).catch((error: Error) => {
    // After a crash it has been seen not to start, and to start at the second attempt.
    process.stderr.write(`the embedded database does not start: ${error.message}; trying once more\n`)
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
    throw new Error(reason ?? message ?? SYSTEM[errno ?? 0] ?? `the engine met error ${errno} of its file system`)
  }
}

/** What an operator may have to mend, by the numbers that the engine's file system has for it. */
const SYSTEM: Record<number, string> = {
  ...{ 2: 'permission denied', 19: 'the quota is exceeded', 29: 'an input or output error', 44: 'a file is missing' },
  ...{ 51: 'no space is left on the device', 69: 'the file system is read-only' },
}
