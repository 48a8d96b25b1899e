/** Whether the books are empty: only then may the sample company be loaded. */
import type { Queryable } from '../db/connect.js'
import { MillbookError } from '../errors.js'

export async function hasRows(db: Queryable): Promise<boolean> {
  const [row] = await db<{ any: boolean }[]>`
    select exists (select from item) or exists (select from customer) or exists (select from vendor)
           or exists (select from warehouse) as any`
  return row?.any ?? false
}

export async function requireEmpty(db: Queryable): Promise<void> {
  if (await hasRows(db))
    throw new MillbookError(
      'there are books already, and the sample would mix with them: it loads into an empty account only',
      {
        kind: 'conflict',
      },
    )
}
