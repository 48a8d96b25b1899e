/** Making answers be worked out anew. */
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from './http.mjs'
import { median } from './time.mjs'

/** @typedef {import('../../dist/db/connect.js').Db} Db */

/**
 * As if something had been loaded: every answer that is kept is one of an old version of the data.
 * @param {Db} db
 */
export async function outdate(db) {
  await quiet(db)
  await db`update data_version set version = version + 1, committed_at = now()`
  await sleep(300)
}

/**
 * Returns when the service works on nothing in the background.
 * @param {Db} db
 */
async function quiet(db) {
  for (;;) {
    const [there] = await db`
      select count(*)::int as working from pg_stat_activity
       where application_name = 'millbook' and state <> 'idle' and pid <> pg_backend_pid()`
    if (there?.working === 0) return
    await sleep(20)
  }
}

/**
 * The median time of answers that nobody has asked for before, in seconds.
 * @param {Db} db @param {import('./http.mjs').Target} target
 */
export async function cold(db, target, times = 5) {
  /** @type {number[]} */
  const runs = []
  for (let i = 0; i < times; i++) {
    await outdate(db)
    runs.push((await call(target)).seconds)
  }
  return median(runs)
}
