/** Operators administer the service in the console. No operator can leave the service without one. */
import type { Tx } from '../db/connect.js'
import { MillbookError, Problem } from '../errors.js'

/** Throws 403 if the user is no longer an operator since the request was admitted. */
export async function requireOperator(tx: Tx, username: string): Promise<void> {
  const found = await tx`
    select from api_user where username = ${username} and role = 'operator' and disabled_at is null`
  if (found.length === 0)
    throw new Problem('forbidden', { detail: `${username} is no longer an operator; ask another operator.` })
}

/**
 * Call this before an operator takes the role or the access of a user. If two operators do that to each other at the same time,
 * the second one waits for the lock and is then no longer an operator.
 */
export async function protectOperators(tx: Tx, operator: string, username: string, what: string): Promise<void> {
  await tx`select from api_user where role = 'operator' order by username for update`
  await requireOperator(tx, operator)
  if (operator === username)
    throw new MillbookError(`you cannot ${what} yourself; ask another operator to do it`, { kind: 'conflict' })
}
