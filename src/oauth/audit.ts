/** The audit trail: administrative acts and the tokens that were issued. It never holds a secret. */
import { userInfo } from 'node:os'
import type { Queryable } from '../db/connect.js'

export type Act =
  | `client.${'create' | 'update' | 'disable' | 'enable' | 'rotate-secret' | 'delete'}`
  | `user.${'create' | 'disable' | 'enable' | 'passwd' | 'delete'}`
  | `token.${'issue' | 'refuse' | 'revoke'}`

export interface AuditEntry {
  act: Act
  /** Who did it; the system's user at a command line, unless given. */
  actor?: string
  client?: string
  username?: string
  address?: string
  detail?: Record<string, unknown>
}

/** To be called in the transaction of the act itself: there is no act without its entry. */
export async function audit(tx: Queryable, entry: AuditEntry): Promise<void> {
  const { act, actor = systemUser(), client = null, username = null, address = null, detail = {} } = entry
  await tx`
    insert into audit_entry (act, actor, client, username, address, detail)
    values (${act}, ${actor}, ${client}, ${username}, ${address}, ${JSON.stringify(detail)}::text::jsonb)`
}

function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? '?'}` // a user without a name, as in many containers
  }
}
