/** App passwords of a user: create, list, revoke. */
import type { Queryable, Tx } from '../db/connect.js'
import { MillbookError, Problem } from '../errors.js'
import { commonGroups } from '../groups.js'
import { nearest } from '../nearest.js'
import { newAppPassword } from './app-password-use.js'
import { audit, type By } from './audit.js'
import { APP_PASSWORDS } from './clients.js'
import { checkName } from './names.js'
import type { ReadLimits } from './readable.js'
import { hashToken } from './secrets.js'
import { type Caller, invalidToken } from './tokens.js'

export interface AppPassword extends ReadLimits {
  id: string
  name: string
  username: string
  createdAt: Date
  /** To within a few minutes; null if it was never used. */
  lastUsedAt: Date | null
}

export interface NewAppPassword {
  id: string
  /** Shown once: the database stores only its hash. */
  appPassword: string
}

const MOST_OF_A_USER = 50

/** An app password in the JSON of the command line and of the API. */
export const appPasswordJson = ({ id, name, username, views, reports, createdAt, lastUsedAt }: AppPassword) => ({
  ...{ id, name, username, views, reports },
  ...{ created_at: createdAt, last_used_at: lastUsedAt },
})

/** A name that a user may give to an app password; names are unique per user. */
export const checkAppPasswordName = (name: string): void => checkName('app password', name)

/** Throws if one of these is not an id of a known report or view. */
export function checkIds(
  kind: 'report' | 'view',
  ids: readonly string[] | null,
  known: readonly { readonly id: string }[],
): void {
  const names = known.map(({ id }) => id)
  const unknown = ids?.find((id) => !names.includes(id))
  if (unknown !== undefined)
    throw new MillbookError(
      `there is no ${kind} ${unknown}${nearest(unknown, names) || `; GET /v1/${kind}s lists their ids`}`,
    )
}

export async function createAppPassword(
  tx: Tx,
  username: string,
  name: string,
  { views, reports }: ReadLimits,
  by: By & { client?: string } = {},
): Promise<NewAppPassword> {
  checkAppPasswordName(name)
  const appPassword = newAppPassword()
  const [made] = await tx<{ id: string }[]>`
    insert into app_password (username, name, secret_hash, views, reports)
    values (${username}, ${name}, ${hashToken(appPassword)}, ${views}, ${reports})
    on conflict (username, name) do nothing returning id::text as id`
  if (made === undefined)
    throw new MillbookError(`${username} already has an app password named ${name}; choose another name`, {
      kind: 'conflict',
    })
  // After the insert, whose foreign key has locked the user: a user who is being disabled gets no app password.
  const [user] = await tx<{ count: number; disabled: boolean }[]>`
    select (select count(*)::int from app_password where username = u.username) as count,
           u.disabled_at is not null as disabled
      from api_user u where u.username = ${username}`
  if (user?.disabled)
    throw new MillbookError(`${username} is disabled; run millbook user enable first`, { kind: 'conflict' })
  if (user !== undefined && user.count > MOST_OF_A_USER)
    throw new MillbookError(
      `${username} has ${MOST_OF_A_USER} app passwords, the most there can be; revoke one first`,
      {
        kind: 'conflict',
      },
    )
  const detail = { id: made.id, name, ...(views && { views }), ...(reports && { reports }) }
  await audit(tx, { ...by, act: 'app-password.create', username, detail })
  return { id: made.id, appPassword }
}

/** Throws 403 if an app password would read more than the caller who asks for it. */
export async function requireNoMoreRights(tx: Tx, caller: Caller): Promise<void> {
  const [row] = await tx<(Record<'ofClient' | 'ofUser', string[] | null> & { hides: boolean })[]>`
    select to_json(c.groups) as "ofClient", to_json(u.groups) as "ofUser", c.hide_contacts or u.hide_contacts as hides
      from api_user u join api_client c on c.client_id = ${APP_PASSWORDS} where u.username = ${caller.username}`
  if (row === undefined) throw invalidToken() // the user was deleted during the request
  const groups = commonGroups(row.ofClient, row.ofUser)
  const isCovered = caller.groups === null || groups?.every((group) => caller.groups?.includes(group)) === true
  if (isCovered && (row.hides || !caller.hideContacts)) return
  throw new Problem('forbidden', {
    detail: `This token may read less than an app password of ${caller.username} could; sign in to the console, or get a token without a scope.`,
  })
}

/** The app passwords of one user, or of all users, by name. */
export const listAppPasswords = (db: Queryable, username: string | null): Promise<AppPassword[]> =>
  db<AppPassword[]>`
    select id::text as id, name, username, to_json(views) as views, to_json(reports) as reports,
           created_at as "createdAt", used_at as "lastUsedAt"
      from app_password where ${username}::text is null or username = ${username} order by username, name`

/** Ends an app password, found by its id or its name. */
export async function revokeAppPassword(
  tx: Tx,
  username: string,
  which: { id: string } | { name: string },
  by: By & { client?: string } = {},
): Promise<AppPassword> {
  const found = (await listAppPasswords(tx, username)).find((one) =>
    'id' in which ? one.id === which.id : one.name === which.name,
  )
  const { count } = await tx`delete from app_password where id::text = ${found?.id ?? ''}`
  if (found === undefined || count === 0) {
    const name = 'name' in which ? which.name : which.id
    throw new MillbookError(
      `${username} has no app password ${name}; millbook user app-password list ${username} shows them`,
      { kind: 'unknown' },
    )
  }
  await audit(tx, { ...by, act: 'app-password.revoke', username, detail: { id: found.id, name: found.name } })
  return found
}
