/**
 * What must hold over all data, held against the raw ledger: what is derived from it, what would contradict it, and where
 * documents disagree with it.
 */
import type { Db, Queryable } from '../db/connect.js'
import { checkClosings, rebuildClosings } from '../ledger/closings.js'
import { agreements, allOf as allDifferences } from './agreement.js'
import { allOf as allContradictions, contradictions } from './contradictions.js'
import { ledgerReferences } from './references.js'

export interface Finding {
  /** `derived` is mended by --rebuild; a load lets no contradiction in; of a disagreement it warns. */
  kind: 'derived' | 'contradiction' | 'disagreement'
  check: string
  /** How many rows are concerned. */
  count: number
  /** Some of them. */
  examples: string[]
}

export interface VerifyOptions {
  /** Derive the closings again first. */
  rebuild: boolean
  /** Before each check: its place among all of them. */
  onCheck?: (check: string, at: number, of: number) => void
}

const SHOWN = 10

interface Check {
  kind: Finding['kind']
  check: string
  /** Selects what is wrong, as one column of text. */
  wrong: string
}

export const checks: readonly Check[] = [
  ...ledgerReferences.map(({ column, entity, dangling }) => ({
    kind: 'contradiction' as const,
    check: `a movement’s ${column} is not in ${entity}`,
    wrong: `select d.movement_no || ': ' || d.value from (${dangling}) d`,
  })),
  {
    kind: 'contradiction',
    check: 'a movement’s number is there twice',
    wrong: 'select movement_no from stock_movement group by 1 having count(*) > 1',
  },
  ...contradictions.map((one) => ({
    kind: 'contradiction' as const,
    check: one.check,
    wrong: allContradictions(one).text,
  })),
  ...agreements.map((one) => ({ kind: 'disagreement' as const, check: one.check, wrong: allDifferences(one).text })),
]

export const verify = (db: Db, { rebuild, onCheck }: VerifyOptions): Promise<Finding[]> =>
  db.begin(rebuild ? '' : 'isolation level repeatable read read only', async (tx) => {
    if (rebuild) await rebuildClosings(tx)
    return await findAll(tx, onCheck)
  }) as Promise<Finding[]>

/** Everything that is wrong with what a transaction sees. */
export async function findAll(tx: Queryable, onCheck: VerifyOptions['onCheck'] = () => {}): Promise<Finding[]> {
  const findings: Finding[] = []
  const steps = checks.length + 1
  onCheck('sums per month and closings', 1, steps)
  const { months, closings, starts, batchFlows } = await checkClosings(tx)
  const derived = (count: number, what: string) => {
    if (count > 0) findings.push({ kind: 'derived', check: `${what} differ from the ledger`, count, examples: [] })
  }
  derived(months, 'sums per month')
  derived(closings, 'closings')
  derived(starts, 'first months')
  derived(batchFlows, 'sums per batch')
  for (const [i, { kind, check, wrong }] of checks.entries()) {
    onCheck(check, i + 2, steps)
    const rows = await tx.unsafe<{ wrong: string; total: string }[]>(
      `select wrong, count(*) over () as total from (${wrong}) as found(wrong) order by wrong limit ${SHOWN}`,
    )
    if (rows.length > 0)
      findings.push({ kind, check, count: Number(rows[0]?.total), examples: rows.map((row) => row.wrong) })
  }
  return findings
}

/** How much there is to verify. */
export interface Verified {
  movements: number
  closings: number
  documents: number
}

export async function countVerified(db: Queryable): Promise<Verified> {
  const rows = (tables: string[]) => tables.map((table) => `(select count(*)::int from ${table})`).join(' + ')
  const [counts] = await db.unsafe<Verified[]>(
    `select ${rows(['stock_movement'])} as movements, ${rows(['stock_closing'])} as closings,
            ${rows(['purchase_order', 'goods_receipt', 'batch', 'sales_order', 'sales_return', 'invoice'])} as documents`,
  )
  return counts as Verified
}
