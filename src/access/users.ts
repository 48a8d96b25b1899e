/** Administration of users: the people for whom clients get tokens. */
import type { Queryable, Tx } from '../db/connect.js'
import { MillbookError } from '../errors.js'
import { audit, type By, type Changes, changesOf } from './audit.js'
import { type Ended, endTokensOfUser } from './end-tokens.js'
import { checkName, unknownName } from './names.js'
import { hashSecret } from './secrets.js'

/** A loader may also bring in files in the console, an operator administer the service too. */
export const ROLES = ['reader', 'loader', 'operator'] as const
export type Role = (typeof ROLES)[number]

/** Restrictions in addition to the client's. */
export interface UserSettings {
  role: Role
  /** Groups of reports that the user may use; null for all. */
  groups: string[] | null
  /** Send phone numbers and email addresses as empty strings. */
  hideContacts: boolean
}

export interface User extends UserSettings {
  username: string
  createdAt: Date
  disabledAt: Date | null
  /** Number of valid tokens. */
  tokens: number
  lastTokenAt: Date | null
}

export async function createUser(
  tx: Tx,
  username: string,
  password: string,
  { role = 'reader', groups = null, hideContacts = false }: Partial<UserSettings> = {},
  by: By = {},
): Promise<UserSettings> {
  checkName('user', username)
  checkPassword(username, password)
  const made = await tx`
    insert into api_user (username, password_hash, role, groups, hide_contacts)
    values (${username}, ${await hashSecret(password)}, ${role}, ${groups}, ${hideContacts})
    on conflict do nothing returning 1`
  if (made.length === 0)
    throw new MillbookError(`there is already a user named ${username}; choose another name`, { kind: 'conflict' })
  const settings = { role, groups, hideContacts }
  await audit(tx, { ...by, act: 'user.create', username, detail: describeSettings(settings) })
  return settings
}

/** Settings for the audit trail. */
const describeSettings = ({ role, groups, hideContacts }: UserSettings): Record<string, unknown> => ({
  ...{ role, groups: groups ?? 'all', hide_contacts: hideContacts },
})

/** Throws a sentence about a password that nobody may have. */
export function checkPassword(username: string, password: string): void {
  if ([...password].length < 8) throw new MillbookError('a password must have at least 8 characters')
  if (Buffer.byteLength(password) > 1024) throw new MillbookError('a password must have at most 1024 bytes')
  // RFC 6749 appendix A.16: a request cannot carry other characters.
  if (/(?!\t)\p{Cc}/u.test(password)) throw new MillbookError('a password must be one line, without control characters')
  if (password.toLowerCase() === username.toLowerCase())
    throw new MillbookError('a password must not be the name of its user; choose another one')
}

/** A user in the JSON of the command line and of the API. */
export const userJson = (user: User) => ({
  username: user.username,
  ...userSettingsJson(user),
  created_at: user.createdAt,
  disabled_at: user.disabledAt,
  tokens: user.tokens,
  last_token_at: user.lastTokenAt,
})

export const userSettingsJson = ({ role, groups, hideContacts }: UserSettings) => ({
  ...{ role, groups, hide_contacts: hideContacts },
})

export const listUsers = (db: Queryable): Promise<User[]> => users(db, null)

export async function findUser(db: Queryable, username: string): Promise<User> {
  const [user] = await users(db, username)
  if (user !== undefined) return user
  const known = await db<{ username: string }[]>`select username from api_user`
  throw unknownName(
    'user',
    username,
    known.map((row) => row.username),
  )
}

/** The audit trail adds the last issue of deleted tokens; entries of earlier users with the same name are skipped. */
const users = async (db: Queryable, username: string | null): Promise<User[]> =>
  await db<User[]>`
    select u.username, u.role, to_json(u.groups) as groups, u.hide_contacts as "hideContacts", u.created_at as "createdAt", u.disabled_at as "disabledAt",
           t.valid as tokens, greatest(t.newest, a.newest) as "lastTokenAt"
      from api_user u
     cross join lateral (select count(*) filter (where expires_at > now())::int as valid, max(created_at) as newest
                           from api_token where username = u.username) t
     cross join lateral (select max(at) as newest from audit_entry
                          where username = u.username and act = 'token.issue' and at >= u.created_at) a
     where ${username}::text is null or u.username = ${username}
     order by u.username`

/** Finds the user and locks its row until the transaction ends. */
async function lockUser(tx: Tx, username: string): Promise<User> {
  await tx`select from api_user where username = ${username} for update`
  return await findUser(tx, username)
}

/** Returns the changed settings, which also apply to existing tokens. */
export async function updateUser(
  tx: Tx,
  username: string,
  change: Partial<UserSettings>,
  by: By = {},
): Promise<Changes> {
  const user = await lockUser(tx, username)
  const settings = { ...user, ...change }
  const changed = changesOf(describeSettings(user), describeSettings(settings))
  if (Object.keys(changed).length === 0) return changed
  const { role, groups, hideContacts } = settings
  await tx`
    update api_user set role = ${role}, groups = ${groups}, hide_contacts = ${hideContacts} where username = ${username}`
  await audit(tx, { ...by, act: 'user.update', username, detail: changed })
  return changed
}

/** Ends the user's tokens and app passwords and returns how many; undefined if the user was disabled already. */
export async function disableUser(tx: Tx, username: string, by: By = {}): Promise<Ended | undefined> {
  const { disabledAt } = await lockUser(tx, username)
  if (disabledAt !== null) return undefined
  const ended = await endTokensOfUser(tx, username)
  await tx`update api_user set disabled_at = now() where username = ${username}`
  await audit(tx, { ...by, act: 'user.disable', username, detail: { ...ended } })
  return ended
}

/** Returns false if the user was not disabled. */
export async function enableUser(tx: Tx, username: string, by: By = {}): Promise<boolean> {
  const { disabledAt } = await lockUser(tx, username)
  if (disabledAt === null) return false
  await endTokensOfUser(tx, username) // a token that was being issued while the user was disabled
  await tx`update api_user set disabled_at = null where username = ${username}`
  await audit(tx, { ...by, act: 'user.enable', username, detail: { disabled_since: disabledAt } })
  return true
}

/** Ends the user's tokens and app passwords and returns how many. */
export async function changePassword(tx: Tx, username: string, password: string, by: By = {}): Promise<Ended> {
  checkPassword(username, password)
  const hash = await hashSecret(password)
  await lockUser(tx, username)
  const ended = await endTokensOfUser(tx, username)
  await tx`update api_user set password_hash = ${hash} where username = ${username}`
  await audit(tx, { ...by, act: 'user.passwd', username, detail: { ...ended } })
  return ended
}

/** Ends the user's tokens and app passwords and returns how many. */
export async function deleteUser(tx: Tx, username: string, by: By = {}): Promise<Ended> {
  const { createdAt } = await lockUser(tx, username)
  const ended = await endTokensOfUser(tx, username)
  await tx`delete from api_user where username = ${username}`
  await audit(tx, { ...by, act: 'user.delete', username, detail: { created_at: createdAt, ...ended } })
  return ended
}

/** Ends the user's tokens at every client and the app passwords, and returns how many. */
export async function revokeTokensOfUser(tx: Tx, username: string, by: By = {}): Promise<Ended> {
  await lockUser(tx, username)
  const ended = await endTokensOfUser(tx, username)
  await audit(tx, { ...by, act: 'user.revoke-tokens', username, detail: { ...ended } })
  return ended
}
