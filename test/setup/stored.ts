/** The business data of a database, in a form that tests compare with another database. */
import { entities } from '../../src/import/entities.js'
import type { TestDatabase } from './database.js'

/** All business data, with codes in place of ids. */
export async function stored(database: TestDatabase): Promise<Record<string, unknown[]>> {
  const rows: Record<string, unknown[]> = {}
  for (const table of [...entities.map(({ table }) => table), 'stock_closing', 'stock_flow', 'batch_closing']) {
    const found = await database.db.unsafe(`
      select (to_jsonb(t) - 'id' - 'poid' - 'order_id'
              || jsonb_strip_nulls(jsonb_build_object(
                   ${['item_id', 'product_id', 'component_id', 'combo_id', 'material_id', 'for_item_id']
                     .map((name) => `'${name}', (select sku from item i where i.id = (to_jsonb(t) ->> '${name}')::int)`)
                     .join(', ')},
                   'warehouse_id', (select code from warehouse w where w.id = (to_jsonb(t) ->> 'warehouse_id')::int)))
             )::text as row
        from ${table} t`)
    rows[table] = found.map(({ row }) => String(row)).sort()
  }
  return rows
}
