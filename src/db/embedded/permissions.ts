/** Keeps the files of an embedded database from other users of the machine. */
import { chmodSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const OTHERS = 0o077

/** A folder that only its owner may enter. */
export function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  try {
    if ((statSync(path).mode & OTHERS) !== 0) chmodSync(path, 0o700)
  } catch {
    // a file system without modes, or a folder of another user: whoever set that up decides
  }
}

/**
 * The engine unpacks a new database with files that everyone may write; only those it makes later are its owner's alone.
 * The folder keeps others out, but a copy of the files may come to lie elsewhere. Done once: the file of the version is the
 * last one, and tells.
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
