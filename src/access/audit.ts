/** The audit trail: administrative acts, and tokens issued, refused and revoked. It never holds a secret. */
import { userInfo } from 'node:os'
import type { Queryable } from '../db/connect.js'
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
  'user.delete',
  'token.issue',
  'token.refuse',
  'token.revoke',
] as const
export type Act = (typeof ACTS)[number]

export interface AuditEntry {
  act: Act
  /** Default: the operating system's user, for the command line. */
  actor?: string
  client?: string
  username?: string
  address?: string
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

function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? '?'}` // many containers run as a user without a name
  }
}

export interface AuditFilter {
  /** An act; `*` matches any text. */
  act?: string
  /** Its name at the time, or the id of a client that exists now. */
  client?: string
  username?: string
  since?: Date
  limit: number
}

export interface PastEntry {
  at: Date
  act: string
  actor: string
  client: string | null
  username: string | null
  address: string | null
  detail: Record<string, unknown>
}

/** The latest entries, newest last, and whether there are older ones. */
export async function readAudit(db: Queryable, filter: AuditFilter): Promise<{ entries: PastEntry[]; more: boolean }> {
  const { act = null, client = null, username = null, since = null, limit } = filter
  const pattern = act?.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%') ?? null
  const [found] = await db<{ name: string }[]>`
    select name from api_client where ${client} in (name, client_id) order by name = ${client} desc limit 1`
  const name = found?.name ?? client
  const newest = await db<PastEntry[]>`
    select at, act, actor, client, username, address, detail from audit_entry
     where (${pattern}::text is null or act like ${pattern})
       and (${name}::text is null or client = ${name})
       and (${username}::text is null or username = ${username})
       and (${since}::timestamptz is null or at >= ${since})
     order by at desc, id desc limit ${limit + 1}`
  if (newest.length === 0) await checkNames(db, name, username)
  return { entries: newest.slice(0, limit).reverse(), more: newest.length > limit }
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
