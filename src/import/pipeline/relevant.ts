/** Finds the stored rows that can matter to a load, by the numbers, codes and days that its staged rows name. */
import type { Queryable } from '../../db/connect.js'
import type { CopyRows, Wanted } from '../../db/engine.js'
import { insertRows } from '../../db/insert.js'
import { derivedTables } from '../../ledger/closings.js'
import { type Loading, stagedRows } from '../checks.js'
import { entities } from '../entities.js'
import type { Entity } from '../entity.js'
import type { RowKey } from './problems.js'

/** All rows of business data, parents before children, and of the tables derived from the ledger. */
export const allRows: Wanted = {
  tables: [...new Set([...entities.map(({ table }) => table), ...Object.keys(derivedTables)])],
}

/** Rejected rows of a part, with the cells that can be read. */
export interface RejectedPart {
  readonly entity: Pick<Entity, 'name' | 'key'>
  readonly rows: readonly RowKey[]
}

/** The rows that matter to a load. The rejected rows are compared with stored ones too: they may be new versions of them. */
export const relevantRows = (
  { loaded, replaced }: Pick<Loading, 'loaded' | 'replaced'>,
  rejected: readonly RejectedPart[],
): Wanted => ({
  ...allRows,
  ...(replaced.size === 0 &&
    rejected.every(isNamed) && {
      async copyRelevant(tx, stored, copy) {
        if (await changesMasters(tx, loaded)) for (const table of allRows.tables) await copy(table)
        else await copyRowsOf(tx, loaded, stored, copy, await withRejected(tx, rejected))
      },
    }),
})

/** Whether each row says which document, batch or movement it may be a version of: of another one, any stored row may be the earlier version. */
function isNamed({ entity: { name, key }, rows }: RejectedPart): boolean {
  const needed = key.slice(0, name === 'batches' || name === 'consumption' ? 2 : 1)
  return rows.every(
    (row) => needed.every((column) => row[column] != null) || key.every((column) => row[column] == null),
  )
}

/** Where the rows are that name stored rows, by entity: the staged rows, and those that were rejected. */
async function withRejected(tx: Queryable, rejected: readonly RejectedPart[]): Promise<(entity: string) => string> {
  const both = new Set<string>()
  for (const { entity, rows } of rejected) {
    const { name } = entity
    if (rows.length === 0) continue
    both.add(name)
    const staged = stagedRows(name).text
    await tx.unsafe(`create unlogged table millbook_work.rejected_${name} as select * from ${staged} where false`)
    await insertRows(tx, `millbook_work.rejected_${name}`, rows)
    await tx.unsafe(
      `create view millbook_work.named_${name} as select * from ${staged} union all select * from millbook_work.rejected_${name}`,
    )
  }
  return (entity) => (both.has(entity) ? `millbook_work.named_${entity}` : stagedRows(entity).text)
}

const masters = [
  'account',
  'warehouse',
  'item',
  'item_unit',
  'bom_line',
  'combo_line',
  'vendor',
  'customer',
  'item_vendor',
]

/** Documents by the column of their number: the entities that name it, in files and in stored movements, and their tables. */
const documents = {
  order_no: {
    named: [
      'sales_orders',
      'sales_order_items',
      'sales_order_taxes',
      'returns',
      'invoices',
      'invoice_items',
      'stock_movements',
    ],
    tables: ['sales_order', 'sales_order_line', 'sales_order_tax', 'sales_return'],
  },
  po_no: {
    named: [
      'purchase_orders',
      'purchase_order_items',
      'purchase_order_taxes',
      'approvals',
      'goods_receipts',
      'goods_receipt_items',
      'goods_receipt_taxes',
      'stock_movements',
    ],
    tables: [
      'purchase_order',
      'purchase_order_line',
      'purchase_order_tax',
      'purchase_order_approval',
      'goods_receipt',
      'goods_receipt_line',
      'goods_receipt_tax',
    ],
  },
  invoice_no: {
    named: ['invoices', 'invoice_items', 'invoice_taxes', 'stock_movements'],
    tables: ['invoice', 'invoice_line', 'invoice_tax'],
  },
  work_order_no: {
    named: ['work_orders', 'work_order_items', 'stock_movements'],
    tables: ['work_order', 'work_order_line'],
  },
} as const

/**
 * Whether the load changes a master in a way that rows of any document or movement depend on: then all rows matter. To be
 * called before anything is merged.
 */
async function changesMasters(tx: Queryable, loaded: ReadonlySet<string>): Promise<boolean> {
  const staged = (entity: string) => stagedRows(entity).text
  const changes: Record<string, string> = {
    account: `select from ${staged('account')} s, account t where s.currency is distinct from t.currency`,
    items: `select from ${staged('items')} s join item t on t.sku = s.sku where t.type <> s.type or t.unit <> s.unit`,
    item_units: `
      select from ${staged('item_units')} s join item i on i.sku = s.sku
        join item_unit t on t.item_id = i.id and t.unit = s.unit
       where (t.factor, t.divisor) is distinct from (s.factor, s.divisor)`,
    combos: `
      select from ${staged('combos')} s join item c on c.sku = s.combo left join item p on p.sku = s.component
        left join combo_line t on t.combo_id = c.id and t.component_id = p.id
       where t.qty is distinct from s.qty`,
  }
  for (const [entity, statement] of Object.entries(changes))
    if (loaded.has(entity) && (await tx.unsafe(`${statement} limit 1`)).length > 0) return true
  return false
}

/** Copies the rows that the load names: whole documents, and the rows that checks compare them with. `staged` says where an entity's rows are. */
async function copyRowsOf(
  tx: Queryable,
  loaded: ReadonlySet<string>,
  stored: (table: string) => string,
  copy: CopyRows,
  staged: (entity: string) => string,
): Promise<void> {
  for (const table of masters) await copy(table)
  const movements = loaded.has('stock_movements')
  /** Creates a table of keys from queries that select them. */
  const keys = async (name: string, queries: readonly string[], empty: string) => {
    const union = queries.length === 0 ? `select ${empty} where false` : queries.join(' union ')
    await tx.unsafe(`create unlogged table millbook_work.key_${name} as ${union}; analyze millbook_work.key_${name}`)
  }
  const in_ = (name: string) => `(select * from millbook_work.key_${name})`
  const add = (name: string, query: string) =>
    tx.unsafe(`insert into millbook_work.key_${name} ${query} except select * from millbook_work.key_${name}`)

  // Stored movements that the load may change, with everything that they belong to.
  await tx.unsafe(
    `create unlogged table millbook_work.key_movement as select * from ${stored('stock_movement')} limit 0`,
  )
  if (movements)
    await tx.unsafe(
      `insert into millbook_work.key_movement select * from ${stored('stock_movement')}
        where movement_no in (select movement_no from ${staged('stock_movements')})`,
    )

  for (const [no, { named }] of Object.entries(documents)) {
    const queries = named
      .filter((entity) => loaded.has(entity))
      .map((entity) => `select ${no}::text collate "C" as no from ${staged(entity)} where ${no} is not null`)
    if (no === 'invoice_no' && loaded.has('invoices'))
      queries.push(`select credit_for::text collate "C" from ${staged('invoices')} where credit_for is not null`)
    await keys(
      no,
      [...queries, `select ${no} from millbook_work.key_movement where ${no} is not null`],
      'null::text as no',
    )
  }
  // A receipt's number is unique over all orders.
  for (const entity of ['goods_receipts', 'goods_receipt_items', 'goods_receipt_taxes'])
    if (loaded.has(entity))
      await add(
        'po_no',
        `select po_no from ${stored('goods_receipt')} where grn_no in (select grn_no from ${staged(entity)})`,
      )
  // A credit note may name a return without its order.
  if (loaded.has('invoices'))
    await add(
      'order_no',
      `select order_no from ${stored('sales_return')}
        where return_no in (select return_no from ${staged('invoices')} where order_no is null)`,
    )
  // Orders that the invoices were for, then all invoices of the orders.
  for (const table of ['invoice', 'invoice_line'])
    await add(
      'order_no',
      `select order_no from ${stored(table)} where order_no is not null and invoice_no in ${in_('invoice_no')}`,
    )
  for (const table of ['invoice', 'invoice_line'])
    await add('invoice_no', `select invoice_no from ${stored(table)} where order_no in ${in_('order_no')}`)
  for (const [no, { tables }] of Object.entries(documents))
    for (const table of tables) await copy(table, `where ${no} in ${in_(no)}`)

  const batches = [
    ...['batches', 'consumption', 'stock_movements']
      .filter((entity) => loaded.has(entity))
      .map(
        (
          entity,
        ) => `select i.id as item_id, s.batch_no::text collate "C" as batch_no from ${staged(entity)} s join item i on i.sku = s.sku
                    where s.batch_no is not null`,
      ),
    ...(movements
      ? [
          `select i.id, s.for_batch_no::text from ${staged('stock_movements')} s join item i on i.sku = s.for_sku where s.for_batch_no is not null`,
        ]
      : []),
    `select item_id, batch_no from millbook_work.key_movement where batch_no is not null`,
    `select for_item_id, for_batch_no from millbook_work.key_movement where for_batch_no is not null`,
  ]
  await keys('batch', batches, 'null::integer as item_id, null::text as batch_no')
  for (const table of ['batch', 'consumption']) await copy(table, `where (item_id, batch_no) in ${in_('batch')}`)

  await tx.unsafe(`insert into millbook_work.stock_movement select * from millbook_work.key_movement`)
  for (const no of Object.keys(documents)) await copy('stock_movement', `where ${no} in ${in_(no)}`)
  await copy('stock_movement', `where (item_id, batch_no) in ${in_('batch')}`)
  await copy('stock_movement', `where (for_item_id, for_batch_no) in ${in_('batch')}`)

  if (!movements) return
  // Items that move: everything since their last closings before the first month that the load touches.
  await tx.unsafe(`
    create unlogged table millbook_work.key_moved as
    select i.id as item_id, s.movement_date::date as day from ${staged('stock_movements')} s join item i on i.sku = s.sku
    union select item_id, movement_date from millbook_work.key_movement`)
  const [first] = await tx<{ month: string | null }[]>`
    select date_trunc('month', min(day)::timestamp)::date::text as month from millbook_work.key_moved`
  if (first?.month == null) return
  await keys('item', ['select item_id from millbook_work.key_moved'], '')
  // On each shard, item by item (src/ledger/condensed.ts).
  const last = (table: string) => `
    coalesce((select max(c.day) from ${stored(table)} c where c.item_id = k.item_id and c.day <= '${first.month}'), '-infinity')`
  const since = `
    (select k.item_id, least(${last('stock_closing')}, ${last('batch_closing')}) as day
       from ${stored('stocked_item_key')} k where k.item_id in ${in_('item')} order by null::integer) k`
  const sinceThen = (column: string) => `join ${since} on k.item_id = t.item_id and t.${column} >= k.day`
  await copy('stock_movement', sinceThen('movement_date'))
  for (const table of ['stock_closing', 'stock_flow', 'batch_closing']) await copy(table, sinceThen('day'))
  // The totals of batches that were not in stock at the last closing.
  await copy(
    'batch_closing',
    `join (select b.item_id, b.batch_no, max(b.day) as day from ${stored('batch_closing')} b
             join ${since} on k.item_id = b.item_id and b.day < k.day group by 1, 2) l
       on l.item_id = t.item_id and l.batch_no = t.batch_no and l.day = t.day`,
  )
}
