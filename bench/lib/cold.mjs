/** Makes requests cold: invalidates every stored report before measuring. */
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './http.mjs'
import { median } from './time.mjs'

/** @typedef {import('../../dist/db/connect.js').Db} Db */

/**
 * Raises the version of the data as a load of everything does, so that no stored report is current. `settle` waits for the
 * work of earlier versions.
 * @param {Db} db
 */
export async function invalidate(db, { settle = true } = {}) {
  if (settle) await idle(db)
  await db`update data_version set version = version + 1, committed_at = now()`
  await sleep(settle ? 300 : 100)
}

/**
 * Waits until the service has no query in the background.
 * @param {Db} db
 */
export async function idle(db) {
  for (;;) {
    const [there] = await db`
      select count(*)::int as working from pg_stat_activity
       where application_name = 'millbook' and state <> 'idle' and pid <> pg_backend_pid()`
    if (there?.working === 0) return
    await sleep(20)
  }
}

/**
 * The median time of a cold request, in seconds.
 * @param {Db} db @param {import('./http.mjs').Target} target
 */
export async function cold(db, target, times = 5) {
  /** @type {number[]} */
  const runs = []
  for (let i = 0; i < times; i++) {
    await invalidate(db)
    runs.push((await call(target)).seconds)
  }
  return median(runs)
}
