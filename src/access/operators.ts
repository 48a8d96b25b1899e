/** Operators administer the service in the console. No operator can leave the service without one. */
import type { Tx } from '../db/connect.js'
import { MillbookError, Problem } from '../errors.js'
import type { Role } from './users.js'

/** Throws 403 if the user no longer has one of these roles since the request was admitted. */
export async function requireOneOf(tx: Tx, username: string, roles: readonly Role[]): Promise<void> {
  const found = await tx`
    select from api_user where username = ${username} and role = any (${[...roles]}) and disabled_at is null`
  if (found.length === 0)
    throw new Problem('forbidden', { detail: `${username} is no longer ${roles.join(' or ')}; ask an operator.` })
}

/**
 * Call this before an operator takes the role or the access of a user. If two operators do that to each other at the same time,
 * the second one waits for the lock and is then no longer an operator.
 */
export async function protectOperators(tx: Tx, operator: string, username: string, what: string): Promise<void> {
  await tx`select from api_user where role = 'operator' order by username for update`
  await requireOneOf(tx, operator, ['operator'])
  if (operator === username)
    throw new MillbookError(`you cannot ${what} yourself; ask another operator to do it`, { kind: 'conflict' })
}
