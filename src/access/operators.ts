/** Operators administer the service in the console. None of them can shut all of them out. */
import type { Tx } from '../db/connect.js'
import { MillbookError, Problem } from '../errors.js'

/** Throws 403 if the user has ceased to be an operator since the request was admitted. */
export async function requireOperator(tx: Tx, username: string): Promise<void> {
  const found = await tx`
    select from api_user where username = ${username} and role = 'operator' and disabled_at is null`
  if (found.length === 0)
    throw new Problem('forbidden', { detail: `${username} is not an operator any more; ask another operator.` })
}

/**
 * Call this before an operator takes the role or the access of a user. Two who do that to each other at the same time come one
 * after the other here, and the second is no operator any more.
 */
export async function protectOperators(tx: Tx, operator: string, username: string, what: string): Promise<void> {
  await tx`select from api_user where role = 'operator' order by username for update`
  await requireOperator(tx, operator)
  if (operator === username)
    throw new MillbookError(`you cannot ${what} yourself; ask another operator to do it`, { kind: 'conflict' })
}
