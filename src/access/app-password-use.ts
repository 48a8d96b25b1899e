/** Checks app passwords, with limits on guessing that are apart from those of the sign-in page, and records their use. */
import type { Db } from '../db/connect.js'
import { commonGroups } from '../groups.js'
import { network } from '../network.js'
import { audit } from './audit.js'
import { APP_PASSWORDS } from './clients.js'
import type { ReadLimits } from './readable.js'
import { hashToken, newSecret } from './secrets.js'
import { failed, refuseIfTooSoon, succeeded } from './sign-in.js'
import type { Caller } from './tokens.js'

/** Lets people and programs that look for leaked secrets recognise one. No access token has this length. */
const PREFIX = 'millbook_'

export const newAppPassword = (): string => `${PREFIX}${newSecret()}`

export const isAppPassword = (text: string): boolean => text.length === PREFIX.length + 43 && text.startsWith(PREFIX)

export interface FoundAppPassword {
  readonly caller: Caller
  /** Notes that it was used just now. */
  readonly used: () => void
}

/** How old the recorded last use may be before a use is recorded again. */
const RECORD_EVERY_MS = 5 * 60_000

/** The subject of rows that count an address: wrong app passwords must not keep anyone from signing in. */
const ANYONE = hashToken('app-password address')

/** Finds the app password of this user, or of any user if the username is null; throws 429 after too many wrong ones. */
export async function findAppPassword(
  db: Db,
  secret: string,
  username: string | null,
  from: string,
): Promise<FoundAppPassword | undefined> {
  const address = network(from)
  const subject = hashToken(`app-password:${username ?? ''}`)
  const [history, found] = await Promise.all([refuseIfTooSoon(db, subject, address, ANYONE), bySecret(db, secret)])
  if (found !== undefined && (username === null || username === found.caller.username)) {
    await succeeded(db, subject, address, history)
    return found
  }
  // Not over all addresses: nobody guesses 256 random bits, and strangers could lock the user out.
  await failed(db, subject, address, false, ANYONE)
  await auditRefusal(db, username, from)
  return undefined
}

async function bySecret(db: Db, secret: string): Promise<FoundAppPassword | undefined> {
  type Row = Caller & ReadLimits & { id: string; ofUser: string[] | null; unrecordedMs: number | null }
  const [row] = await db<Row[]>`
    select c.client_id as "clientId", c.name, to_json(c.groups) as groups, to_json(u.groups) as "ofUser",
           c.hide_contacts or u.hide_contacts as "hideContacts", c.rate, u.username, u.role,
           p.id::text as id, to_json(p.views) as views, to_json(p.reports) as reports,
           extract(epoch from now() - p.used_at)::float8 * 1000 as "unrecordedMs"
      from app_password p
      join api_user u on u.username = p.username and u.disabled_at is null
      join api_client c on c.client_id = ${APP_PASSWORDS} and c.disabled_at is null
     where p.secret_hash = ${hashToken(secret)}`
  if (row === undefined) return undefined
  const { id, views, reports, ofUser, unrecordedMs, ...caller } = row
  return {
    caller: { ...caller, groups: commonGroups(caller.groups, ofUser), readLimits: { views, reports } },
    used: recorder(db, id, unrecordedMs ?? RECORD_EVERY_MS),
  }
}

/** Records uses, at most one in some minutes: a request must not wait for a write. */
function recorder(db: Db, id: string, unrecordedMs: number): () => void {
  let recordFrom = Date.now() + RECORD_EVERY_MS - unrecordedMs
  return () => {
    const now = Date.now()
    if (now < recordFrom) return
    recordFrom = now + RECORD_EVERY_MS
    db`
      update app_password set used_at = now()
       where id = ${id}::uuid
         and (used_at is null or used_at < now() - make_interval(secs => ${RECORD_EVERY_MS / 1000}))`.catch(() => {}) // the next use that is recorded makes up for it
  }
}

/** Records existing names only: people type passwords into the field for the name. */
async function auditRefusal(db: Db, username: string | null, address: string): Promise<void> {
  const [user] = await db`select from api_user where username = ${username ?? ''}`
  const [client] = await db<{ name: string }[]>`select name from api_client where client_id = ${APP_PASSWORDS}`
  const name = client?.name ?? APP_PASSWORDS
  await audit(db, {
    ...{ act: 'token.refuse', actor: name, client: name, address, detail: { grant: 'app_password' } },
    ...(user !== undefined && username !== null && { username }),
  })
}
