/** A PostgreSQL server. */
import type { Db, Queryable } from './db.js'
import type { Engine, Snapshot } from './engine.js'
import { identifier, join, sql } from './sql.js'
import { watchWrites } from './written.js'

const READING = 'isolation level repeatable read read only'

export const server: Engine = {
  name: 'server',
  computesPages: true,
  computesInBackground: true,
  inVersion: (db, settings, work) => db.begin(`${READING}${settings && `; ${settings}`}`, work),
  keepsHistory: true,
  openSnapshot,
  selectRows: (table, columns) =>
    sql`select to_json(t)::text from (select ${join(columns.map(identifier), ', ')} from ${identifier(table)}) t`,
  mergesWhileReading: true,
  // Dropping an index would block readers, and disabling triggers needs rights that a loader should not have.
  insertMany: (_tx, _rows, insert) => insert(),
  checksForeignKeys: true,
  derive: (_tx, _tables, _rows, work) => work(),
  openWork: async (tx) => ({ store: await watchWrites(tx), checkCopies: async () => ({}) }),
  checking: READING,
  guardCommit: async () => {},
  analyzeAfterLoad: async () => {},
}

/** The transaction stays open until it is ended: the generator of a backup cannot yield inside a callback. */
export async function openSnapshot(db: Db): Promise<Snapshot> {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let begun: (tx: Queryable) => void = () => {}
  const tx = new Promise<Queryable>((resolve) => {
    begun = resolve
  })
  const done = db.begin(READING, async (tx) => {
    begun(tx)
    await ended
  })
  done.catch(() => {})
  return {
    tx: await Promise.race([tx, done.then(() => tx)]),
    end: async () => {
      end()
      await done.catch(() => {}) // the work is done, or has reported its failure
    },
  }
}
