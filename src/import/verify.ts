/** What must hold over all data, held against the raw ledger: closings, references without a foreign key, numbers. */
import type { Db } from '../db/connect.js'
import { checkClosings, rebuildClosings } from '../ledger/closings.js'
import { ledgerReferences } from './references.js'

export interface Finding {
  check: string
  /** How many rows are concerned. */
  count: number
  /** Some of them. */
  examples: string[]
}

const SHOWN = 10

/** Each statement selects what is wrong, as one column of text. */
const checks: Record<string, string> = {
  ...Object.fromEntries(
    ledgerReferences.map(({ column, entity, dangling }) => [
      `a movement’s ${column} is not in ${entity}`,
      `select d.movement_no || ': ' || d.value from (${dangling}) d`,
    ]),
  ),
  'a movement’s number is there twice': 'select movement_no from stock_movement group by 1 having count(*) > 1',
  'a goods receipt’s number is there twice': 'select grn_no from goods_receipt group by 1 having count(*) > 1',
  'an invoice’s number is there twice': 'select invoice_no from invoice group by 1 having count(*) > 1',
}

export async function verify(db: Db, { rebuild }: { rebuild: boolean }): Promise<Finding[]> {
  return await db.begin(rebuild ? '' : 'isolation level repeatable read read only', async (tx) => {
    if (rebuild) await rebuildClosings(tx)
    const findings: Finding[] = []
    const { months, closings } = await checkClosings(tx)
    if (months > 0) findings.push({ check: 'sums per month differ from the ledger', count: months, examples: [] })
    if (closings > 0) findings.push({ check: 'closings differ from the ledger', count: closings, examples: [] })
    for (const [check, statement] of Object.entries(checks)) {
      const rows = await tx.unsafe<{ wrong: string; total: string }[]>(
        `select wrong, count(*) over () as total from (${statement}) as found(wrong) order by wrong limit ${SHOWN}`,
      )
      if (rows.length > 0)
        findings.push({ check, count: Number(rows[0]?.total), examples: rows.map((row) => row.wrong) })
    }
    return findings
  })
}
