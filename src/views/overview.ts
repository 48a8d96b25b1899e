/** The overview of each user, in the database. */
import { audit, type By } from '../access/audit.js'
import type { Queryable, Tx } from '../db/connect.js'
import type { Overview } from './pins.js'

export interface KeptOverview extends Overview {
  /** Null for a user who has changed nothing. */
  readonly changedAt: Date | null
}

const NONE: KeptOverview = { start: null, pins: null, changedAt: null }

export async function findOverview(db: Queryable, username: string): Promise<KeptOverview> {
  const [found] = await db<KeptOverview[]>`
    select start, pins, changed_at as "changedAt" from overview where username = ${username}`
  return found ?? NONE
}

export async function keepOverview(tx: Tx, username: string, { start, pins }: Overview, by: By): Promise<KeptOverview> {
  const json = pins && JSON.stringify(pins)
  const [kept] = await tx<KeptOverview[]>`
    insert into overview (username, start, pins) values (${username}, ${start}, ${json}::text::json)
    on conflict (username) do update set start = excluded.start, pins = excluded.pins, changed_at = clock_timestamp()
    returning start, pins, changed_at as "changedAt"`
  await audit(tx, { ...by, act: 'overview.update', username, detail: { start, pins: pins?.length ?? null } })
  return kept as KeptOverview
}
