/** Rates count by the minute of the database's clock: a test that counts units begins at least 10 seconds before one ends. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../src/db/connect.js'

export async function untilMinuteHasTime(db: Db): Promise<void> {
  const [row] = await db<{ second: number }[]>`select extract(second from now())::float8 as second`
  const second = row?.second ?? 0
  if (second > 50) await sleep(1000 * (60.5 - second))
}
