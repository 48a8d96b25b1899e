/** Links to further pages. A walk over pages keeps the version of the data and the day with which it began. */
import { createHash } from 'node:crypto'
import { isCalendarDate } from '../../calendar.js'
import { decoded } from './options.js'
import { wrong } from './tokens.js'

/** The place of a page in its walk. */
export interface Place {
  /** Records before it, without the ones that `$skip` leaves out. */
  readonly at: number
  /** The day from which this month and the periods of views are counted. */
  readonly day: string
  readonly pin: string
}

const TOKEN = /^(\d{1,12})\.(\d{4}-\d\d-\d\d)\.(\d{1,18}-\d{1,18}(?:-\d{4}-\d\d-\d\d)?)\.([\w-]{16})$/

/** The place as `$skiptoken`, for this path and the other options of the query string. */
export function tokenOf({ at, day, pin }: Place, path: string, rest: string): string {
  // Decoded, because programs may encode a link in another way.
  const options = rest.split('&').map(decoded).sort()
  const check = createHash('sha256').update(JSON.stringify([at, day, pin, decoded(path), options]))
  return `${at}.${day}.${pin}.${check.digest('base64url').slice(0, 16)}`
}

export function readToken(token: string, path: string, rest: string): Place {
  const [, at = '', day = '', pin = ''] = TOKEN.exec(token) ?? []
  const place = { at: Number(at), day, pin }
  if (!isCalendarDate(day) || tokenOf(place, path, rest) !== token)
    throw wrong(
      'This $skiptoken does not belong to this query; follow @odata.nextLink as it stands, or leave $skiptoken out to begin again.',
    )
  return place
}
