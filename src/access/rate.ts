/**
 * Limits the units that a client, or a user with app passwords, may use in a minute. The database counts them for all processes; each process takes a part of
 * the minute's units at a time, and asks the database again when that part is used up.
 */

import type { Db } from '../db/connect.js'
import { Problem } from '../errors.js'
import { hasState } from '../sqlstate.js'
import { type Caller, countedAs, invalidToken } from './tokens.js'

/** A process takes a minute's units in this number of parts, smaller ones if there are several workers; unused units expire. */
const PARTS = 20

interface Share {
  limit: number
  left: number
  /** Units that no process had taken when this process last asked. */
  elsewhere: number
  /** When the minute ends, by `performance.now()`. */
  endsAt: number
  /** The query that all waiting requests of the client share. */
  asking: Promise<void> | undefined
}

type Headers = Record<string, string>

export interface RateLimit {
  /**
   * Takes the cost of a request minus the units that it has `paid` already, and returns the headers of its response; throws 429
   * if too few units are left. Returns immediately if the database need not be asked.
   */
  take(caller: Caller, cost: number, paid?: number): Headers | Promise<Headers>
}

/** `byDefault` is the limit of clients that have no separate limit; 0 for no limit. */
export function rateLimit(db: Db, byDefault: number, workers = 1): RateLimit {
  const shares = new Map<string, Share>()

  async function ask({ clientId, username, readLimits }: Caller, share: Share, wanted: number): Promise<void> {
    const { limit } = share
    const from = performance.now()
    const [row] = await db<{ used: number; seconds: number }[]>`
      insert into rate_use as r (client_id, username, minute, used)
      values (${clientId}, ${readLimits === undefined ? '' : username}, date_trunc('minute', now()), ${wanted})
      on conflict (client_id, username) do update set minute = excluded.minute,
        used = case when r.minute = excluded.minute then r.used else 0 end + excluded.used
      where r.minute <> excluded.minute or r.used < ${limit}
      returning used, extract(epoch from minute + interval '1 minute' - now())::float8 as seconds`
    if (row === undefined) {
      share.elsewhere = 0 // all taken
      if (share.endsAt < from) share.endsAt = from + (await secondsLeft(db)) * 1000
      return
    }
    const endsAt = from + row.seconds * 1000
    const sameMinute = Math.abs(endsAt - share.endsAt) < 5000
    share.left = (sameMinute ? share.left : 0) + wanted - Math.max(0, row.used - limit)
    share.elsewhere = Math.max(0, limit - row.used)
    share.endsAt = endsAt
  }

  /** Whether this process can decide without the database. */
  function decides(share: Share, cost: number): boolean {
    if (performance.now() >= share.endsAt) {
      share.left = 0
      share.elsewhere = 1
    }
    return share.left >= cost || share.elsewhere === 0
  }

  async function askUntilDecided(caller: Caller, share: Share, cost: number): Promise<Headers> {
    const wanted = Math.max(cost, Math.ceil(share.limit / PARTS / workers))
    while (!decides(share, cost)) {
      share.asking ??= ask(caller, share, wanted).finally(() => {
        share.asking = undefined
      })
      await share.asking.catch((error) => {
        throw hasState(error, 'foreign_key_violation') ? invalidToken() : error // the client has just been deleted
      })
    }
    return decide(share, cost)
  }

  return {
    take(caller, fullCost, paid = 0) {
      const limit = caller.rate ?? byDefault
      if (limit === 0) return NO_LIMIT
      const cost = Math.min(fullCost, limit) - paid // every client can request the costliest report once a minute
      const counted = countedAs(caller)
      let share = shares.get(counted)
      if (share?.limit !== limit) {
        share = { limit, left: 0, elsewhere: 1, endsAt: 0, asking: undefined }
        shares.set(counted, share)
      }
      return decides(share, cost) ? decide(share, cost) : askUntilDecided(caller, share, cost)
    },
  }
}

const NO_LIMIT: Headers = {}

function decide(share: Share, cost: number): Headers {
  const { limit } = share
  const enough = share.left >= cost
  if (enough) share.left -= cost
  const seconds = Math.max(1, Math.ceil((share.endsAt - performance.now()) / 1000))
  const headers = {
    // draft-ietf-httpapi-ratelimit-headers
    'ratelimit-policy': `"client";q=${limit};w=60`,
    ratelimit: `"client";r=${share.left + share.elsewhere};t=${seconds}`,
  }
  if (enough) return headers
  throw new Problem('too-many-requests', {
    detail: `This client has used up its ${limit} units of this minute; try again in ${seconds} seconds.`,
    headers: { ...headers, 'retry-after': String(seconds) },
  })
}

async function secondsLeft(db: Db): Promise<number> {
  const [row] = await db<{ seconds: number }[]>`
    select extract(epoch from date_trunc('minute', now()) + interval '1 minute' - now())::float8 as seconds`
  return row?.seconds ?? 60
}
