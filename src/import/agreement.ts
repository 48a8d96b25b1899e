/**
 * Where documents and the ledger say the same thing twice: receipts and purchases, returns, consumption, production, orders,
 * invoices and the stock itself. Real books contain differences, so a load warns of those among what it touched;
 * `verify` finds all of them.
 */
import type { Queryable } from '../db/connect.js'
import { query } from '../db/query.js'
import { join, raw, type Sql, sql } from '../db/sql.js'
import { signed } from '../ledger/figures.js'
import { changedRows, type Loading, stagedRows } from './changes.js'
import { analyzeRoughly } from './stage.js'

/** Documents, or items, that a check looks at. */
interface Scope {
  /** Its table while a load is checked. */
  readonly name: string
  /** All of them. */
  readonly all: Sql
  /** Those that a load of an entity touches, each perhaps more than once. */
  readonly touched: Readonly<Record<string, Sql>>
  /** Those that the ledger names, for one that is loaded for the first time, alone: each once. */
  readonly named?: Sql
  /** Each touched one once, with what else the checks want to know. */
  readonly each?: (touched: Sql) => Sql
}

export interface Agreement {
  /** What is wrong. */
  readonly check: string
  readonly scope: Scope
  /**
   * Selects what differs among the rows of a scope `x`, as one column of text, in order. Before the month that begins with
   * the day `since`, where there is one, no movement has changed.
   */
  readonly differing: (x: Sql, since?: Sql) => Sql
  /** The same among all that the ledger names, where that takes less than looking up what it names. */
  readonly ofLedger?: Sql
}

const s = stagedRows
const c = changedRows

const receipts: Scope = {
  name: 'receipts',
  all: sql`select po_no, grn_no from goods_receipt`,
  touched: {
    goods_receipt_items: sql`select po_no, grn_no from ${s('goods_receipt_items')}`,
    purchase_order_items: sql`
      select l.po_no, l.grn_no from ${c('purchase_order_items')} c
        join goods_receipt_line l on l.po_no = c.po_no and l.po_line_no = c.line_no`,
    stock_movements: sql`
      select po_no, grn_no from ${s('stock_movements')} where grn_no is not null
      union all select po_no, grn_no from ${c('stock_movements')} where grn_no is not null`,
  },
  named: sql`select distinct po_no, grn_no from stock_movement where grn_no is not null`,
}

/** Order lines with a kind of movement. */
const linesMoved = (kind: 'issue' | 'sales_return') => sql`
  select order_no, order_line_no as line_no from ${s('stock_movements')} where kind = ${raw(`'${kind}'`)}
  union all select order_no, order_line_no from ${c('stock_movements')} where kind = ${raw(`'${kind}'`)}`
const linesOfCombos = sql`
  select l.order_no, l.line_no from ${c('combos')} c join sales_order_line l on l.item_id = c.combo_id`

const orderLines = {
  all: sql`select order_no, line_no, item_id, qty from sales_order_line`,
  each: (touched: Sql) => sql`
    select l.order_no, l.line_no, l.item_id, l.qty
      from sales_order_line l where (l.order_no, l.line_no) in (select order_no, line_no from (${touched}) x)`,
}

const returnedLines: Scope = {
  ...orderLines,
  name: 'returned_lines',
  touched: {
    combos: linesOfCombos,
    sales_order_items: sql`select order_no, line_no from ${c('sales_order_items')}`,
    returns: sql`select order_no, order_line_no as line_no from ${s('returns')}`,
    stock_movements: linesMoved('sales_return'),
  },
}

const soldLines: Scope = {
  ...orderLines,
  name: 'sold_lines',
  touched: {
    combos: linesOfCombos,
    sales_order_items: sql`select order_no, line_no from ${s('sales_order_items')}`,
    invoices: sql`
      select l.order_no, l.order_line_no as line_no from ${s('invoices')} s
        join invoice_line l on l.order_no = s.order_no and l.invoice_no = s.invoice_no`,
    invoice_items: sql`select order_no, order_line_no as line_no from ${s('invoice_items')}`,
    stock_movements: linesMoved('issue'),
  },
}

const producedBatches = sql`select item_id, batch_no from batch where source = 'PRODUCED'`
const loadedBatches = sql`
  select i.id as item_id, s.batch_no from ${s('batches')} s join item i on i.sku = s.sku where s.source = 'PRODUCED'`

const consumingBatches: Scope = {
  name: 'consuming_batches',
  all: producedBatches,
  touched: {
    batches: loadedBatches,
    consumption: sql`select i.id as item_id, s.batch_no from ${s('consumption')} s join item i on i.sku = s.sku`,
    stock_movements: sql`
      select i.id as item_id, s.for_batch_no as batch_no from ${s('stock_movements')} s join item i on i.sku = s.for_sku
      union all select for_item_id, for_batch_no from ${c('stock_movements')} where for_item_id is not null`,
  },
  named: sql`
    select distinct for_item_id as item_id, for_batch_no as batch_no from stock_movement where for_item_id is not null`,
}

const madeBatches: Scope = {
  name: 'made_batches',
  all: producedBatches,
  touched: {
    batches: loadedBatches,
    stock_movements: sql`
      select i.id as item_id, s.batch_no from ${s('stock_movements')} s join item i on i.sku = s.sku
       where s.kind = 'production_receipt' and s.batch_no is not null`,
  },
  named: sql`
    select distinct item_id, batch_no from stock_month where kind = 'production_receipt' and batch_no <> ''`,
}

const movedItems: Scope = {
  name: 'moved_items',
  all: sql`select id as item_id from item`,
  touched: { stock_movements: sql`select item_id from millbook_staging.touched` },
}

/*
 * Each check adds both sides up in one aggregate over `union all`, and joins sums only with tables that have an index for it:
 * how many rows a sum has is a guess to the planner, and a wrong guess about two of them joins each row with all others.
 */

/**
 * What was ordered, issued and invoiced for the order lines of the scope `x`, in parts that add up, in units of the ordered
 * item: issues of the item itself, and of a combo as many whole ones as the issues of its components cover.
 */
const soldOf = (x: Sql) => sql`
  select x.order_no, x.line_no, x.qty as ordered, m.qty as issued, null::numeric as invoiced
    from ${x} x join stock_movement m on m.order_no = x.order_no and m.order_line_no = x.line_no
   where m.kind = 'issue' and m.item_id = x.item_id
  union all
  select order_no, line_no, ordered, 0.0000 + min(combos), null
    from (select x.order_no, x.line_no, x.qty as ordered, k.component_id, div(coalesce(sum(m.qty), 0), k.qty) as combos
            from ${x} x join combo_line k on k.combo_id = x.item_id
            left join stock_movement m on m.order_no = x.order_no and m.order_line_no = x.line_no
                                      and m.item_id = k.component_id and m.kind = 'issue'
           group by x.order_no, x.line_no, x.qty, k.component_id, k.qty) c
   group by 1, 2, 3
  union all
  select x.order_no, x.line_no, x.qty, null, l.qty
    from ${x} x join invoice_line l on l.order_no = x.order_no and l.order_line_no = x.line_no
    join invoice n on n.order_no = l.order_no and n.invoice_no = l.invoice_no
   where n.status = 'Submitted'`

/**
 * The same for all order lines that the ledger issued something for. The lines of combos are few: all others are put
 * together without looking them up.
 */
const soldOfLedger = sql`
  select s.order_no, s.line_no, l.qty as ordered, s.issued, s.invoiced
    from (select order_no, line_no, sum_of_few(issued) as issued, sum_of_few(invoiced) as invoiced
            from (select m.order_no, m.order_line_no as line_no, m.qty::numeric as issued, null::numeric as invoiced
                    from stock_movement m
                    left join combos c on c.order_no = m.order_no and c.line_no = m.order_line_no
                   where m.kind = 'issue' and (c.item_id is null or c.item_id = m.item_id)
                  union all
                  select order_no, line_no, 0.0000 + min(combos), null
                    from (select c.order_no, c.line_no, k.component_id, div(coalesce(sum(m.qty), 0), k.qty) as combos,
                                 count(m.qty) as moved
                            from combos c join combo_line k on k.combo_id = c.item_id
                            left join stock_movement m on m.order_no = c.order_no and m.order_line_no = c.line_no
                                                      and m.item_id = k.component_id and m.kind = 'issue'
                           group by c.order_no, c.line_no, k.component_id, k.qty) c
                   group by 1, 2 having sum(moved) > 0
                  union all
                  select l.order_no, l.order_line_no, null, l.qty
                    from invoice_line l
                   where not exists (select from invoice n where n.order_no = l.order_no and n.invoice_no = l.invoice_no
                                                             and n.status <> 'Submitted')) sold
           group by 1, 2) s
    join sales_order_line l on l.order_no = s.order_no and l.line_no = s.line_no
   where s.issued is not null`

/** Of rows of order lines with what was ordered, issued and invoiced, those that do not agree, as texts. */
const oversold = (e: Sql) => sql`
  select 'line ' || e.line_no || ' of order ' || e.order_no || ': '
         || case v.what when 1 then e.ordered || ' ordered' else e.invoiced || ' invoiced' end
         || ', in the ledger ' || e.issued || ' issued'
    from (${e}) e
   cross join lateral (values (1, e.issued > e.ordered), (2, e.invoiced > e.issued)) v(what, holds)
   where v.holds
   order by v.what, e.order_no, e.line_no`

/** What moved of each item of the scope `x` since a day, and on the day before it what was there; or all that ever moved. */
const movedOf = (x: Sql, since: Sql | undefined): Sql => {
  const moved = sql`m.item_id, m.warehouse_id, m.movement_date as day, ${signed('stock', 'qty')} as stock,
                    ${signed('held', 'qty')} as held`
  if (since === undefined) return sql`select ${moved} from stock_movement m`
  // Item by item (offset 0): for the sake of a month, the planner would read the whole ledger.
  return sql`
    select ${moved} from ${x} x
     cross join lateral (select * from stock_movement m
                          where m.item_id = x.item_id and m.movement_date >= ${since} offset 0) m
    union all
    select c.item_id, c.warehouse_id, ${since} - 1, c.qty, c.held_qty
      from ${x} x join stock_closing c on c.item_id = x.item_id
     where c.month = (${since} - interval '1 month')::date`
}

/**
 * Where stock or held stock is below zero at the end of a day, or more is held in the end than there is. The rows of a day
 * are peers, so each has the balance at its end; adding them up first took longer.
 */
const belowZero = (x: Sql, since?: Sql) => sql`
  select case p.what
           when 1 then 'stock of ' || i.sku || ' in ' || w.location || ' is ' || p.stock || ' on ' || p.day
           when 2 then 'held stock of ' || i.sku || ' in ' || w.location || ' is ' || p.held || ' on ' || p.day
           else p.held || ' of ' || i.sku || ' in ' || w.location || ' is held in the end, and ' || p.stock || ' is there'
         end
    from (select distinct on (b.item_id, b.warehouse_id, v.what) b.*, v.what
            from (select item_id, warehouse_id, day, sum(stock) over cell as stock, sum(held) over cell as held,
                         lead(day) over cell is null as last
                    from (${movedOf(x, since)}) moved
                  window cell as (partition by item_id, warehouse_id order by day)) b
           cross join lateral (values (1, b.stock < 0), (2, b.held < 0),
                                      (3, b.last and b.held > greatest(b.stock, 0))) v(what, holds)
           where (b.stock < 0 or b.held < 0 or b.last and b.held > 0) and v.holds
             ${since ? sql`and b.day >= ${since}` : raw('')}
           order by b.item_id, b.warehouse_id, v.what, b.day) p
    join item i on i.id = p.item_id join warehouse w on w.id = p.warehouse_id
   order by p.what, i.sku, w.location`

export const agreements: readonly Agreement[] = [
  {
    check: 'stock or held stock is below zero, or more is held than there is',
    scope: movedItems,
    differing: belowZero,
    ofLedger: belowZero(movedItems.all),
  },
  {
    check: 'what a goods receipt accepted is not what the ledger received',
    scope: receipts,
    differing: (x) => sql`
      select 'receipt ' || e.grn_no || ' of order ' || e.po_no || ': ' || e.accepted || ' of ' || i.sku
             || ' accepted, in the ledger ' || e.received
        from (select po_no, grn_no, item_id, sum_of_few(accepted) as accepted, sum_of_few(received) as received
                from (select l.po_no, l.grn_no, p.item_id, l.accepted_qty::numeric as accepted, 0.0000 as received
                        from ${x} x join goods_receipt_line l on l.po_no = x.po_no and l.grn_no = x.grn_no
                        join purchase_order_line p on p.po_no = l.po_no and p.line_no = l.po_line_no
                        join item i on i.id = p.item_id
                       where i.type <> 'SRV'
                      union all
                      select m.po_no, m.grn_no, m.item_id, 0.0000, m.qty
                        from ${x} x join stock_movement m on m.po_no = x.po_no and m.grn_no = x.grn_no) both_sides
               group by 1, 2, 3 having sum_of_few(accepted) <> sum_of_few(received)) e
        join item i on i.id = e.item_id
       order by e.po_no, e.grn_no, i.sku`,
  },
  {
    check: 'what came back usable on a day is not what the ledger took back',
    scope: returnedLines,
    // Of a combo, the components of those that did not come back as a whole.
    differing: (x) => sql`
      with back as (
        select x.order_no, x.line_no, x.item_id as ordered_id, r.return_date as day, x.item_id,
               r.usable_qty::numeric as due, 0.0000 as found
          from ${x} x join sales_return r on r.order_no = x.order_no and r.order_line_no = x.line_no
        union all
        select x.order_no, x.line_no, x.item_id, m.movement_date, m.item_id, 0.0000, m.qty
          from ${x} x join stock_movement m on m.order_no = x.order_no and m.order_line_no = x.line_no
         where m.kind = 'sales_return'),
      whole as (
        select order_no, line_no, ordered_id, day, sum(due) as due, sum(found) filter (where item_id = ordered_id) as found
          from back group by 1, 2, 3, 4)
      select 'line ' || e.line_no || ' of order ' || e.order_no || ': ' || e.due || ' of ' || i.sku
             || ' came back usable on ' || e.day || ', in the ledger ' || e.found
        from (select order_no, line_no, day, item_id, sum(due) as due, sum(found) as found
                from (select b.order_no, b.line_no, b.day, b.item_id, 0.0000 as due, b.found
                        from back b where b.item_id <> b.ordered_id
                      union all
                      select w.order_no, w.line_no, w.day, coalesce(k.component_id, w.ordered_id),
                             case when k.qty is null then w.due
                                  else round((w.due - coalesce(w.found, 0)) * k.qty, 4) end,
                             case when k.qty is null then coalesce(w.found, 0.0000) else 0.0000 end
                        from whole w left join combo_line k on k.combo_id = w.ordered_id) both_sides
               group by 1, 2, 3, 4 having sum(due) <> sum(found)) e
        join item i on i.id = e.item_id
       order by e.order_no, e.line_no, e.day, i.sku`,
  },
  {
    check: 'what a batch used is not what the ledger consumed for it',
    scope: consumingBatches,
    differing: (x) => sql`
      select 'batch ' || e.batch_no || ' of ' || p.sku || ': ' || e.qty || ' of ' || i.sku || ' used for ' || e.val
             || ' (with tax ' || e.val_tax || '), in the ledger ' || e.ledger_qty || ' for ' || e.ledger_val
             || ' (with tax ' || e.ledger_val_tax || ')'
        from (select item_id, batch_no, material_id, coalesce(sum_of_few(qty), 0.0000) as qty,
                     coalesce(sum_of_few(val), 0.0000) as val, coalesce(sum_of_few(val_tax), 0.0000) as val_tax,
                     coalesce(sum_of_few(ledger_qty), 0.0000) as ledger_qty,
                     coalesce(sum_of_few(ledger_val), 0.0000) as ledger_val,
                     coalesce(sum_of_few(ledger_val_tax), 0.0000) as ledger_val_tax
                from (select c.item_id, c.batch_no, c.material_id, c.qty_bom + c.qty_short + c.qty_rej - c.qty_ret as qty,
                             c.val_bom + c.val_short + c.val_rej - c.val_ret as val,
                             c.val_bom + c.val_short + c.val_rej - c.val_ret + c.tax_val as val_tax,
                             null::numeric as ledger_qty, null::numeric as ledger_val, null::numeric as ledger_val_tax
                        from ${x} x join consumption c on c.item_id = x.item_id and c.batch_no = x.batch_no
                       where c.material_id is not null
                      union all
                      select m.for_item_id, m.for_batch_no, m.item_id, null, null, null, m.qty, m.val, m.val_tax
                        from ${x} x join stock_movement m
                          on m.for_item_id = x.item_id and m.for_batch_no = x.batch_no) both_sides
               group by 1, 2, 3) e
        join item p on p.id = e.item_id join item i on i.id = e.material_id
       where e.qty <> e.ledger_qty or e.val <> e.ledger_val or e.val_tax <> e.ledger_val_tax
       order by p.sku, e.batch_no, i.sku`,
  },
  {
    check: 'the ledger received more of a batch than was made',
    scope: madeBatches,
    // From the sums per month: the ledger has no index by batch.
    differing: (x) => sql`
      select 'batch ' || b.batch_no || ' of ' || i.sku || ': ' || (b.qty - b.wastage) || ' made, in the ledger ' || g.qty
             || ' received'
        from (select m.item_id, m.batch_no, sum(m.qty) as qty
                from ${x} x join stock_month m on m.item_id = x.item_id and m.batch_no = x.batch_no
               where m.kind = 'production_receipt' group by 1, 2) g
        join batch b on b.item_id = g.item_id and b.batch_no = g.batch_no join item i on i.id = b.item_id
       where g.qty > b.qty - b.wastage
       order by i.sku, b.batch_no`,
  },
  {
    check: 'more was issued for an order line than was ordered, or more invoiced than issued',
    scope: soldLines,
    differing: (x) =>
      oversold(sql`
        select order_no, line_no, ordered, coalesce(sum_of_few(issued), 0.0000) as issued, sum_of_few(invoiced) as invoiced
          from (${soldOf(x)}) sold
         group by 1, 2, 3
        having coalesce(sum_of_few(issued), 0) > ordered or sum_of_few(invoiced) > coalesce(sum_of_few(issued), 0)`),
    ofLedger: sql`
      with combos as materialized (
        select l.order_no, l.line_no, l.item_id from sales_order_line l
         where l.item_id in (select combo_id from combo_line))
      ${oversold(sql`${soldOfLedger} and (s.issued > l.qty or s.invoiced > s.issued)`)}`,
  },
]

/** Every difference, as rows of one text. */
export const allOf = ({ scope, differing }: Agreement): Sql => differing(sql`(${scope.all})`)

/** The checks that a load calls for, each as a statement over what the load touched. To be called after the merge. */
export async function touchedOf(tx: Queryable, { loaded, replaced, first }: Loading): Promise<Sql[]> {
  const made = new Set<Scope>()
  const statements: Sql[] = []
  const since = first ? undefined : sql`(select min(month) from millbook_staging.touched)`
  for (const agreement of agreements) {
    const { scope, differing, ofLedger } = agreement
    const entities = Object.keys(scope.touched).filter((entity) => loaded.has(entity))
    if (entities.length === 0) continue
    // Where a file is the whole truth, anything may have gone.
    if (entities.some((entity) => replaced.has(entity))) {
      statements.push(allOf(agreement))
      continue
    }
    const alone = first && entities.every((entity) => entity === 'stock_movements')
    if (alone && ofLedger !== undefined) {
      statements.push(ofLedger)
      continue
    }
    const table = raw(`millbook_staging.${scope.name}`)
    if (!made.has(scope)) {
      const parts = entities.map((entity) => scope.touched[entity] as Sql)
      // A table, so that the planner knows how much it is: a few documents are looked up, many are joined.
      const touched = join(parts, ' union all ')
      const named = alone ? scope.named : undefined
      const each = named ?? scope.each?.(touched) ?? sql`select distinct * from (${touched}) x`
      await query(tx, sql`create unlogged table ${table} as ${each}`)
      await tx.unsafe(analyzeRoughly(table.text))
      made.add(scope)
    }
    statements.push(differing(table, since))
  }
  return statements
}
