/**
 * What can never be true of the books at the same time. A load after which it would be is refused, whichever of the rows it
 * brought; `verify` looks for it everywhere.
 */
import type { Queryable } from '../db/connect.js'
import { query } from '../db/query.js'
import { join, raw, type Sql, sql } from '../db/sql.js'
import { changedRows, type Loading, stagedRows } from './changes.js'
import { type Problems, SHOWN } from './problems.js'

export interface Contradiction {
  /** What is wrong. */
  readonly check: string
  /** The rows of which one is wrong. */
  readonly of: Subject
  /** What can bring it about when it is loaded. The first that explains a wrong row is shown. */
  readonly causes: readonly Cause[]
  /** What is true of a wrong row `m`, by the joins of its subject. */
  readonly wrong: Sql
  /** A join of its own. */
  readonly join?: Sql
  /** Names the row and what contradicts it; different for each row. */
  readonly message: Sql
}

/** A table and the entity that fills it, with the columns that the checks use: what each is of a staged row `s`. */
interface Subject {
  readonly table: string
  readonly entity: string
  readonly columns: Readonly<Record<string, Sql>>
  /** Joins that turn codes into ids. */
  readonly resolve: Sql
  /**
   * What a row `m` refers to, by alias. The planner leaves out what a statement does not use; what a condition wants to know
   * of masters, or of what few rows refer to, it asks for by `in` or `exists`, since every join costs a tenth of what
   * inserting a movement does.
   */
  readonly refers: Readonly<Record<string, Referred>>
}

/** A table, and which of its columns, together unique, equal what. */
export interface Referred {
  readonly table: string
  readonly by: Readonly<Record<string, string>>
}

interface Cause {
  readonly entity: string
  /** The column that is shown. */
  readonly column: string
  /** Leads from a changed row `c` of another entity to the rows `m` that depend on it. */
  readonly through?: Sql
}

const same = (...names: string[]) => Object.fromEntries(names.map((name) => [name, raw(`s.${name}`)]))

const movements: Subject = {
  ...{ table: 'stock_movement', entity: 'stock_movements' },
  columns: {
    ...same('movement_no', 'kind', 'batch_no', 'order_no', 'order_line_no', 'for_batch_no', 'po_no', 'grn_no'),
    item_id: sql`si.id`,
    for_item_id: sql`sf.id`,
    warehouse_id: sql`coalesce(sk.id, sl.id)`,
  },
  resolve: sql`
    join item si on si.sku = s.sku left join item sf on sf.sku = s.for_sku
    left join warehouse sk on sk.key = s.warehouse left join warehouse sl on sl.location = s.warehouse`,
  refers: {
    i: { table: 'item', by: { id: 'm.item_id' } },
    b: { table: 'batch', by: { item_id: 'm.item_id', batch_no: 'm.batch_no' } },
    fi: { table: 'item', by: { id: 'm.for_item_id' } },
    fb: { table: 'batch', by: { item_id: 'm.for_item_id', batch_no: 'm.for_batch_no' } },
    l: { table: 'sales_order_line', by: { order_no: 'm.order_no', line_no: 'm.order_line_no' } },
    o: { table: 'item', by: { id: 'l.item_id' } },
    g: { table: 'goods_receipt', by: { po_no: 'm.po_no', grn_no: 'm.grn_no' } },
    w: { table: 'warehouse', by: { id: 'm.warehouse_id' } },
    v: { table: 'warehouse', by: { id: 'g.warehouse_id' } },
  },
}
const consumption: Subject = {
  ...{ table: 'consumption', entity: 'consumption' },
  columns: { ...same('batch_no', 'line_no'), item_id: sql`si.id` },
  resolve: sql`join item si on si.sku = s.sku`,
  refers: {
    i: { table: 'item', by: { id: 'm.item_id' } },
    b: { table: 'batch', by: { item_id: 'm.item_id', batch_no: 'm.batch_no' } },
  },
}
const bomLines: Subject = {
  ...{ table: 'bom_line', entity: 'bom' },
  columns: { product_id: sql`sa.id`, component_id: sql`sb.id` },
  resolve: sql`join item sa on sa.sku = s.product join item sb on sb.sku = s.component`,
  refers: {
    a: { table: 'item', by: { id: 'm.product_id' } },
    b: { table: 'item', by: { id: 'm.component_id' } },
  },
}
const comboLines: Subject = {
  ...{ table: 'combo_line', entity: 'combos' },
  columns: { combo_id: sql`sa.id`, component_id: sql`sb.id` },
  resolve: sql`join item sa on sa.sku = s.combo join item sb on sb.sku = s.component`,
  refers: {
    a: { table: 'item', by: { id: 'm.combo_id' } },
    b: { table: 'item', by: { id: 'm.component_id' } },
  },
}
const receipts: Subject = {
  ...{ table: 'goods_receipt', entity: 'goods_receipts', columns: same('po_no', 'grn_no'), resolve: raw('') },
  refers: {},
}
const invoices: Subject = {
  ...{ table: 'invoice', entity: 'invoices', columns: same('order_no', 'invoice_no'), resolve: raw('') },
  refers: {},
}

/** The movements of what changed. */
const ofItem = sql`join stock_movement m on m.item_id = c.item_id`
const ofBatch = sql`join stock_movement m on m.item_id = c.item_id and m.batch_no = c.batch_no`
const intoBatch = sql`join stock_movement m on m.for_item_id = c.item_id and m.for_batch_no = c.batch_no`
const ofOrderLine = sql`join stock_movement m on m.order_no = c.order_no and m.order_line_no = c.line_no`
const ofOrderLinesFor = (item: string) => sql`
  join sales_order_line x on x.item_id = c.${raw(item)}
  join stock_movement m on m.order_no = x.order_no and m.order_line_no = x.line_no`
const ofReceipt = sql`join stock_movement m on m.po_no = c.po_no and m.grn_no = c.grn_no`
const ofReceiptsOfLine = sql`
  join goods_receipt_line x on x.po_no = c.po_no and x.po_line_no = c.line_no
  join stock_movement m on m.po_no = x.po_no and m.grn_no = x.grn_no`

/** Every pair of items of which the first contains the second, directly or not. Only what has contents itself leads on. */
const contains = (table: string, outer: string) =>
  raw(`(with recursive part(a, b) as (
          select ${outer}, component_id from ${table} where component_id in (select ${outer} from ${table})),
        inside(a, b) as (select a, b from part union select i.a, p.b from inside i join part p on p.a = i.b)
        select a, b from inside)`)

export const contradictions: readonly Contradiction[] = [
  {
    check: 'an item that is no combo has items inside',
    of: comboLines,
    causes: [
      { entity: 'combos', column: 'combo' },
      { entity: 'items', column: 'type', through: sql`join combo_line m on m.combo_id = c.item_id` },
    ],
    wrong: sql`a.type <> 'COMBO'`,
    message: sql`a.sku || ' has ' || b.sku || ' inside, and is of type ' || a.type || ', not COMBO'`,
  },
  {
    check: 'a combo is inside itself',
    of: comboLines,
    causes: [{ entity: 'combos', column: 'component' }],
    wrong: sql`(m.component_id, m.combo_id) in ${contains('combo_line', 'combo_id')}`,
    message: sql`a.sku || ' contains ' || b.sku || ', which contains ' || a.sku || ' in its turn'`,
  },
  {
    check: 'a product is needed for itself',
    of: bomLines,
    causes: [{ entity: 'bom', column: 'component' }],
    wrong: sql`(m.component_id, m.product_id) in ${contains('bom_line', 'product_id')}`,
    message: sql`a.sku || ' needs ' || b.sku || ', which needs ' || a.sku || ' in its turn'`,
  },
  {
    check: 'a goods receipt has two orders',
    of: receipts,
    causes: [{ entity: 'goods_receipts', column: 'po_no' }],
    join: sql`join goods_receipt o on o.grn_no = m.grn_no`,
    wrong: sql`o.po_no <> m.po_no`,
    message: sql`'receipt ' || m.grn_no || ' has two orders, ' || least(m.po_no, o.po_no) || ' and '
                 || greatest(m.po_no, o.po_no)`,
  },
  {
    check: 'an invoice has two orders',
    of: invoices,
    causes: [{ entity: 'invoices', column: 'order_no' }],
    join: sql`join invoice o on o.invoice_no = m.invoice_no`,
    wrong: sql`o.order_no <> m.order_no`,
    message: sql`'invoice ' || m.invoice_no || ' has two orders, ' || least(m.order_no, o.order_no) || ' and '
                 || greatest(m.order_no, o.order_no)`,
  },
  {
    check: 'a batch that was not produced has consumption',
    of: consumption,
    causes: [
      { entity: 'consumption', column: 'batch_no' },
      {
        ...{ entity: 'batches', column: 'source' },
        through: sql`join consumption m on m.item_id = c.item_id and m.batch_no = c.batch_no`,
      },
    ],
    wrong: sql`b.source <> 'PRODUCED'`,
    message: sql`'row ' || m.line_no || ' says what batch ' || m.batch_no || ' of ' || i.sku
                 || ' used, which is ' || b.source || ', not PRODUCED'`,
  },
  {
    check: 'a movement is consumption for a batch that was not produced',
    of: movements,
    causes: [
      { entity: 'stock_movements', column: 'for_batch_no' },
      { entity: 'batches', column: 'source', through: intoBatch },
    ],
    wrong: sql`m.kind = 'consumption' and exists (
      select from batch x
       where x.item_id = m.for_item_id and x.batch_no = m.for_batch_no and x.source <> 'PRODUCED')`,
    message: sql`'movement ' || m.movement_no || ' is consumption for batch ' || m.for_batch_no || ' of ' || fi.sku
                 || ', which is ' || fb.source || ', not PRODUCED'`,
  },
  {
    check: 'a movement produces a batch that was not produced',
    of: movements,
    causes: [
      { entity: 'stock_movements', column: 'batch_no' },
      { entity: 'batches', column: 'source', through: ofBatch },
    ],
    wrong: sql`m.kind = 'production_receipt' and b.source <> 'PRODUCED'`,
    message: sql`'movement ' || m.movement_no || ' produces batch ' || m.batch_no || ' of ' || i.sku
                 || ', which is ' || b.source || ', not PRODUCED'`,
  },
  {
    check: 'a movement buys a batch that was produced',
    of: movements,
    causes: [
      { entity: 'stock_movements', column: 'batch_no' },
      { entity: 'batches', column: 'source', through: ofBatch },
    ],
    wrong: sql`m.kind = 'purchase_receipt' and b.source = 'PRODUCED'`,
    message: sql`'movement ' || m.movement_no || ' buys batch ' || m.batch_no || ' of ' || i.sku || ', which is PRODUCED'`,
  },
  {
    check: 'a movement is of a service',
    of: movements,
    causes: [
      { entity: 'stock_movements', column: 'sku' },
      { entity: 'items', column: 'type', through: ofItem },
    ],
    wrong: sql`m.item_id in (select id from item where type = 'SRV')`,
    message: sql`'movement ' || m.movement_no || ' is of ' || i.sku || ', a service, and services have no stock'`,
  },
  {
    check: 'an issue or a return is of another item than its order line',
    of: movements,
    causes: [
      { entity: 'stock_movements', column: 'sku' },
      { entity: 'sales_order_items', column: 'sku', through: ofOrderLine },
      { entity: 'combos', column: 'combo', through: ofOrderLinesFor('combo_id') },
      { entity: 'items', column: 'type', through: ofOrderLinesFor('item_id') },
    ],
    wrong: sql`
      m.kind in ('issue', 'sales_return') and m.item_id <> l.item_id
        and ((l.item_id, m.item_id) not in (select combo_id, component_id from combo_line)
             or l.item_id not in (select id from item where type = 'COMBO'))`,
    message: sql`'movement ' || m.movement_no || ' (' || m.kind || ') is of ' || i.sku || ', and line '
                 || m.order_line_no || ' of order ' || m.order_no || ' is for ' || o.sku
                 || case when o.type = 'COMBO' then ', which does not contain it' else '' end`,
  },
  {
    check: 'a movement names a goods receipt that has no line for its item',
    of: movements,
    causes: [
      { entity: 'stock_movements', column: 'sku' },
      { entity: 'goods_receipt_items', column: 'po_line_no', through: ofReceipt },
      { entity: 'purchase_order_items', column: 'sku', through: ofReceiptsOfLine },
    ],
    wrong: sql`
      m.grn_no is not null and not exists (
        select from goods_receipt_line l join purchase_order_line p on p.po_no = l.po_no and p.line_no = l.po_line_no
         where l.po_no = m.po_no and l.grn_no = m.grn_no and p.item_id = m.item_id)`,
    message: sql`'movement ' || m.movement_no || ' is of ' || i.sku || ', and receipt ' || m.grn_no || ' of order '
                 || m.po_no || ' has no line for it'`,
  },
  {
    check: 'a movement names a goods receipt of another warehouse',
    of: movements,
    causes: [
      { entity: 'stock_movements', column: 'warehouse' },
      { entity: 'goods_receipts', column: 'warehouse', through: ofReceipt },
    ],
    wrong: sql`m.grn_no is not null and exists (
      select from goods_receipt x
       where x.po_no = m.po_no and x.grn_no = m.grn_no and x.warehouse_id <> m.warehouse_id)`,
    message: sql`'movement ' || m.movement_no || ' is in ' || w.location || ', and receipt ' || m.grn_no || ' of order '
                 || m.po_no || ' came in at ' || v.location`,
  },
]

/** Every contradiction of a kind, as rows with the column `message`. */
export const allOf = (contradiction: Contradiction): Sql =>
  sql`select distinct ${contradiction.message} as message from ${raw(contradiction.of.table)} m ${wrongOf(contradiction)}`

const wrongOf = ({ of, join: own = raw(''), wrong }: Contradiction): Sql =>
  sql`${joined(of.refers)} ${own} where ${wrong}`

/** Left joins, one for each. */
export const joined = (refers: Readonly<Record<string, Referred>>): Sql =>
  raw(
    Object.entries(refers)
      .map(([alias, { table, by }]) => {
        const same = Object.entries(by).map(([column, equal]) => `${alias}.${column} = ${equal}`)
        return `left join ${table} ${alias} on ${same.join(' and ')}`
      })
      .join(' '),
  )

/** What a movement refers to, and what must not be true of it together with that. */
export const ofMovements = {
  refers: movements.refers,
  wrong: join(
    contradictions.filter(({ of }) => of === movements).map(({ wrong }) => sql`(${wrong})`),
    ' or ',
  ),
}

/** To be called after the merge: adds a problem for each contradiction that the load would bring about. */
export async function findContradictions(
  tx: Queryable,
  parts: readonly { readonly entity: { readonly name: string }; readonly name: string }[],
  loading: Loading,
  problems: Problems,
): Promise<void> {
  for (const contradiction of contradictions) {
    const causes = contradiction.causes.filter(({ entity }) => loading.loaded.has(entity) && !loading.sound.has(entity))
    if (causes.length === 0) continue
    const { message } = contradiction
    const suspects = causes.map((cause, rank) => suspectsBy(contradiction.of, cause, rank))
    const rows = await query<{ rank: number; line: string | null; value: string | null; message: string; n: string }>(
      tx,
      sql`select *, count(*) over () as n
            from (select distinct on (message) *
                    from (select m.rank, m.line, m.value, ${message} as message
                            from (${join(suspects, ' union all ')}) m ${wrongOf(contradiction)}) found
                   order by message, rank, line) each
           order by rank, line, message limit ${SHOWN}::int`,
    )
    for (const { rank, line, value, message } of rows) {
      const { entity, column } = causes[rank] as Cause
      const file = parts.find((part) => part.entity.name === entity)?.name ?? entity
      problems.add({ file, line: Number(line ?? 1), column, value, message })
    }
    problems.count += Math.max(0, Number(rows[0]?.n ?? 0) - rows.length)
  }
}

/** The rows that a cause brought or concerns. */
function suspectsBy({ columns, resolve, entity: own }: Subject, cause: Cause, rank: number): Sql {
  const { entity, column, through } = cause
  const head = sql`select ${raw(String(rank))} as rank, s.line, s.${raw(column)}::text as value`
  const names = Object.keys(columns)
  if (through !== undefined)
    return sql`${head}, ${raw(names.map((name) => `m.${name}`).join(', '))}
                 from ${changedRows(entity)} c left join ${stagedRows(entity)} s on s.line = c.line ${through}`
  const values = Object.entries(columns).map(([name, value]) => sql`${value} as ${raw(name)}`)
  return sql`${head}, ${join(values, ', ')} from ${stagedRows(own)} s ${resolve}`
}
