/** What must hold over all data, held against the raw ledger: closings, references without a foreign key, numbers. */
import type { Db } from '../db/connect.js'
import { checkClosings, rebuildClosings } from '../ledger/closings.js'

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
  'a movement names an order line that is not there': `
    select m.movement_no || ': ' || m.order_no || ' line ' || m.order_line_no from stock_movement m
     where m.order_no is not null and not exists (
       select from sales_order_line t where t.order_no = m.order_no and t.line_no = m.order_line_no)`,
  'a movement names a batch that is not there': `
    select m.movement_no || ': ' || m.batch_no from stock_movement m
     where m.batch_no is not null and not exists (
       select from batch t where t.item_id = m.item_id and t.batch_no = m.batch_no)`,
  'a consumption names a produced batch that is not there': `
    select m.movement_no || ': ' || m.for_batch_no from stock_movement m
     where m.for_batch_no is not null and not exists (
       select from batch t where t.item_id = m.for_item_id and t.batch_no = m.for_batch_no)`,
  'a movement names a goods receipt that is not there': `
    select m.movement_no || ': ' || m.grn_no from stock_movement m
     where m.grn_no is not null and not exists (
       select from goods_receipt t where t.po_no = m.po_no and t.grn_no = m.grn_no)`,
  'a movement’s number is there twice': 'select movement_no from stock_movement group by 1 having count(*) > 1',
  'a goods receipt’s number is there twice': 'select grn_no from goods_receipt group by 1 having count(*) > 1',
  'an invoice’s number is there twice': 'select invoice_no from invoice group by 1 having count(*) > 1',
  'more is released than was held': `
    select i.sku || ' in ' || w.location || ' on hold: ' || sum(case m.kind when 'hold' then m.qty else -m.qty end)
      from stock_movement m join item i on i.id = m.item_id join warehouse w on w.id = m.warehouse_id
     where m.kind in ('hold', 'release') group by i.sku, w.location
    having sum(case m.kind when 'hold' then m.qty else -m.qty end) < 0`,
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
