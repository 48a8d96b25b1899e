/** Closes the files of an embedded database to other users of the machine. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const OTHERS = 0o077

/** Makes a folder that only its owner can enter. */
export function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  try {
    if ((statSync(path).mode & OTHERS) !== 0) chmodSync(path, 0o700)
  } catch {
    // a file system without modes, or a folder of another user: leave it as the operator set it up
  }
}

/**
 * The engine unpacks a new database with files that everyone can write; the files that it creates later are private. The
 * folder protects them, but a copy of the files may be stored elsewhere. Runs once: it closes PG_VERSION last.
 */
export function closeFiles(database: string): void {
  const last = join(database, 'PG_VERSION')
  try {
    if ((statSync(last).mode & OTHERS) === 0) return
    for (const entry of readdirSync(database, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (path !== last && (entry.isFile() || entry.isDirectory())) closeOne(path, entry.isFile() ? 0o600 : 0o700)
    }
    chmodSync(last, 0o600)
  } catch {
    // as above
  }
}

function closeOne(path: string, mode: number): void {
  try {
    chmodSync(path, mode)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error // the engine removes files while it runs
  }
}

/** Whether a data directory has a database, as far as this user may know. */
export function databaseIn(directory: string): 'there' | 'missing' | 'unreadable' {
  try {
    readFileSync(join(directory, 'database', 'PG_VERSION'))
    return 'there'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'unreadable' : 'missing'
  }
}
