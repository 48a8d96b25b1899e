/**
 * What a load is about to change of rows that others depend on. It is noted before the merge, since afterwards the old rows
 * are gone, and it keeps the checks away from whatever a load leaves as it is: a master file that is loaded again whole
 * touches nothing.
 */
import type { Queryable } from '../db/connect.js'
import { query } from '../db/query.js'
import { raw, type Sql, sql } from '../db/sql.js'
import { analyzeRoughly } from './stage.js'

/** Which entities a load brings, and for which of them its file is the whole truth. */
export interface Loading {
  readonly loaded: ReadonlySet<string>
  readonly replaced: ReadonlySet<string>
  /** Those whose rows are known to contradict nothing. */
  readonly sound: ReadonlySet<string>
  /** Whether the ledger was empty before. */
  readonly first: boolean
}

/** The rows that a load brought, as its file has them. */
export const stagedRows = (entity: string): Sql => raw(`millbook_staging.${entity}`)

/** The stored rows that it changes or removes, each with the line of the file that does so; null where they are removed. */
export const changedRows = (entity: string): Sql => raw(`millbook_staging.changed_${entity}`)

interface Change {
  changed: (loading: Loading) => Sql
  /** Under `--replace`: the rows that the file does not have. */
  removed?: Sql
}

const s = stagedRows

const changes: Record<string, Change> = {
  items: {
    changed: () => sql`
      select s.line, t.id as item_id from ${s('items')} s join item t on t.sku = s.sku where t.type <> s.type`,
  },
  combos: {
    changed: () => sql`
      select s.line, c.id as combo_id
        from ${s('combos')} s join item c on c.sku = s.combo left join item p on p.sku = s.component
        left join combo_line t on t.combo_id = c.id and t.component_id = p.id
       where t.qty is distinct from s.qty`,
    removed: sql`
      select null, t.combo_id
        from combo_line t join item c on c.id = t.combo_id join item p on p.id = t.component_id
       where not exists (select from ${s('combos')} s where s.combo = c.sku and s.component = p.sku)`,
  },
  purchase_order_items: {
    changed: () => sql`
      select s.line, t.po_no, t.line_no
        from ${s('purchase_order_items')} s
        join purchase_order_line t on t.po_no = s.po_no and t.line_no = s.line_no
        join item i on i.id = t.item_id
       where i.sku <> s.sku`,
  },
  goods_receipts: {
    // Names may be given to other warehouses by the same load: then only a key is surely the same.
    changed: ({ loaded }) => sql`
      select s.line, t.po_no, t.grn_no
        from ${s('goods_receipts')} s
        join goods_receipt t on t.po_no = s.po_no and t.grn_no = s.grn_no
        join warehouse w on w.id = t.warehouse_id
       where s.warehouse <> w.key and ${loaded.has('warehouses') ? raw('true') : sql`s.warehouse <> w.location`}`,
  },
  goods_receipt_items: {
    changed: () => sql`
      select s.line, t.po_no, t.grn_no
        from ${s('goods_receipt_items')} s
        join goods_receipt_line t on t.po_no = s.po_no and t.grn_no = s.grn_no and t.line_no = s.line_no
       where t.po_line_no <> s.po_line_no`,
    removed: sql`
      select null, t.po_no, t.grn_no from goods_receipt_line t
       where not exists (select from ${s('goods_receipt_items')} s
                          where s.po_no = t.po_no and s.grn_no = t.grn_no and s.line_no = t.line_no)`,
  },
  batches: {
    changed: () => sql`
      select s.line, t.item_id, t.batch_no
        from ${s('batches')} s join item i on i.sku = s.sku
        join batch t on t.item_id = i.id and t.batch_no = s.batch_no
       where t.source <> s.source`,
  },
  sales_order_items: {
    changed: () => sql`
      select s.line, t.order_no, t.line_no
        from ${s('sales_order_items')} s
        join sales_order_line t on t.order_no = s.order_no and t.line_no = s.line_no
        join item i on i.id = t.item_id
       where i.sku <> s.sku`,
  },
  // What a movement belonged to before it belongs to something else.
  stock_movements: {
    changed: () => sql`
      select s.line, t.kind, t.item_id, t.batch_no, t.order_no, t.order_line_no, t.for_item_id, t.for_batch_no,
             t.po_no, t.grn_no
        from ${s('stock_movements')} s
        join stock_movement t on t.movement_no = s.movement_no
        join item i on i.id = t.item_id left join item f on f.id = t.for_item_id
       where (t.kind, i.sku, t.batch_no, t.order_no, t.order_line_no, f.sku, t.for_batch_no, t.po_no, t.grn_no)
             is distinct from
             (s.kind, s.sku, s.batch_no, s.order_no, s.order_line_no, s.for_sku, s.for_batch_no, s.po_no, s.grn_no)`,
  },
}

/** To be called before the merge. */
export async function noteChanges(tx: Queryable, loading: Loading): Promise<void> {
  for (const [entity, { changed, removed }] of Object.entries(changes)) {
    if (!loading.loaded.has(entity)) continue
    const gone = removed !== undefined && loading.replaced.has(entity) ? sql` union all ${removed}` : raw('')
    await query(tx, sql`create unlogged table ${changedRows(entity)} as ${changed(loading)}${gone}`)
    await tx.unsafe(analyzeRoughly(changedRows(entity).text))
  }
}
