/** The audit trail: administrative acts, and tokens issued, refused and revoked. It never contains a secret. */
import type { Queryable } from '../db/connect.js'
import { systemUser } from '../system-user.js'
import { unknownName } from './names.js'

export const ACTS = [
  'client.create',
  'client.update',
  'client.disable',
  'client.enable',
  'client.rotate-secret',
  'client.end-old-secret',
  'client.revoke-tokens',
  'client.delete',
  'user.create',
  'user.update',
  'user.link',
  'user.disable',
  'user.enable',
  'user.passwd',
  'user.revoke-tokens',
  'user.delete',
  'view.create',
  'view.update',
  'view.delete',
  'overview.update',
  'app-password.create',
  'app-password.revoke',
  'webhook.create',
  'webhook.rotate-secret',
  'webhook.replay',
  'webhook.disable',
  'webhook.enable',
  'webhook.delete',
  'period.close',
  'period.reopen',
  'load.begin',
  'load.undo',
  'mapping.keep',
  'mapping.remove',
  'token.issue',
  'token.refuse',
  'token.revoke',
] as const
export type Act = (typeof ACTS)[number]

/** The actor and the address of an act. */
export interface By {
  /** A client or an operator over HTTP. Default: the operating system's user, for the command line. */
  actor?: string
  address?: string
}

export interface AuditEntry extends By {
  act: Act
  client?: string
  username?: string
  detail?: Record<string, unknown>
}

/** Call this in the transaction of the act itself, so that no act lacks its entry. */
export async function audit(tx: Queryable, entry: AuditEntry): Promise<void> {
  const { act, actor = systemUser(), client = null, username = null, address = null, detail = {} } = entry
  await tx`
    insert into audit_entry (act, actor, client, username, address, detail)
    values (${act}, ${actor}, ${client}, ${username}, ${address}, ${JSON.stringify(detail)}::text::jsonb)`
}

export type Changes = Record<string, { from: unknown; to: unknown }>

/** The settings that differ, for the detail of an entry. */
export const changesOf = (before: Record<string, unknown>, after: Record<string, unknown>): Changes =>
  Object.fromEntries(
    Object.entries(after)
      .map(([setting, to]) => [setting, { from: before[setting], to }] as const)
      .filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to)),
  )

export interface AuditFilter {
  /** An act; `*` matches any text. */
  act?: string
  /** Its name at the time, or the id of a client that exists now. */
  client?: string
  username?: string
  since?: Date
  /** Only entries before this time. */
  until?: Date
  /** Only entries older than the entry with this id. */
  before?: string
  limit: number
}

export interface PastEntry {
  id: string
  at: Date
  act: string
  actor: string
  client: string | null
  username: string | null
  address: string | null
  detail: Record<string, unknown>
}

export interface PastEntries {
  entries: PastEntry[]
  /** Whether there are older entries. */
  more: boolean
}

/** The latest entries, newest first. */
export async function newestEntries(db: Queryable, filter: AuditFilter): Promise<PastEntries> {
  const { act = null, username = null, since = null, until = null, before = null, limit } = filter
  const pattern = act?.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%') ?? null
  const client = await nameOf(db, filter)
  const newest = await db<PastEntry[]>`
    select id::text as id, at, act, actor, client, username, address, detail from audit_entry
     where (${pattern}::text is null or act like ${pattern})
       and (${client}::text is null or client = ${client})
       and (${username}::text is null or username = ${username})
       and (${since}::timestamptz is null or at >= ${since})
       and (${until}::timestamptz is null or at < ${until})
       and (${before}::bigint is null or (at, id) < (select at, id from audit_entry where id = ${before}))
     order by at desc, audit_entry.id desc limit ${limit + 1}`
  return { entries: newest.slice(0, limit), more: newest.length > limit }
}

/** The latest entries, newest last; throws if the trail has never seen the client or the user. */
export async function readAudit(db: Queryable, filter: AuditFilter): Promise<PastEntries> {
  const { entries, more } = await newestEntries(db, filter)
  if (entries.length === 0) await checkNames(db, await nameOf(db, filter), filter.username ?? null)
  return { entries: entries.reverse(), more }
}

/** The name of the client in the filter. */
async function nameOf(db: Queryable, filter: AuditFilter): Promise<string | null> {
  const client = filter.client ?? null
  const [found] = await db<{ name: string }[]>`
    select name from api_client where ${client} in (name, client_id) order by name = ${client} desc limit 1`
  return found?.name ?? client
}

/** Throws if the trail has never seen this client or user: the name is mistyped. */
async function checkNames(db: Queryable, client: string | null, username: string | null): Promise<void> {
  const clients = await db<{ name: string }[]>`
    select name from api_client union select client from audit_entry where client is not null`
  if (client !== null && !clients.some(({ name }) => name === client))
    throw unknownName(
      'client',
      client,
      clients.map(({ name }) => name),
    )
  const users = await db<{ username: string }[]>`
    select username from api_user union select username from audit_entry where username is not null`
  if (username !== null && !users.some((user) => user.username === username))
    throw unknownName(
      'user',
      username,
      users.map((user) => user.username as string),
    )
}
