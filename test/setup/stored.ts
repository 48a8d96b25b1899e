/** The business data of a database, in forms that tests compare with another database or with an earlier state. */
import { entities } from '../../src/import/entities.js'
import type { TestDatabase } from './database.js'

const TABLES = [...new Set(entities.map(({ table }) => table)), 'stock_closing', 'stock_flow', 'batch_closing']

/** Every row as it is stored, with ids and without the version that wrote it; all tables in one statement, because planning many takes long. */
export async function storedWithIds({ db }: Pick<TestDatabase, 'db'>): Promise<Record<string, string[]>> {
  const parts = TABLES.map(
    (table) => `select '${table}' as name, (to_jsonb(t) - 'known_from')::text as row from ${table} t`,
  )
  const rows: Record<string, string[]> = Object.fromEntries(TABLES.map((table) => [table, []]))
  for (const { name, row } of await db.unsafe<{ name: string; row: string }[]>(parts.join(' union all ')))
    rows[name]?.push(row)
  for (const list of Object.values(rows)) list.sort()
  return rows
}

/** All business data, with codes in place of ids. */
export async function stored(database: TestDatabase): Promise<Record<string, string[]>> {
  const rows = await storedWithIds(database)
  const codes = (table: string, code: string) =>
    new Map((rows[table] ?? []).map((row) => [String(JSON.parse(row).id), String(JSON.parse(row)[code])]))
  const [items, warehouses] = [codes('item', 'sku'), codes('warehouse', 'code')]
  const named = (row: string) =>
    row
      .replace(/"(id|poid|order_id)": \d+/g, '"$1": 0')
      .replace(
        /"(\w*(?:item|product|component|combo|material)_id)": (\d+)/g,
        (_, column, id) => `"${column}": "${items.get(id)}"`,
      )
      .replace(/"warehouse_id": (\d+)/g, (_, id) => `"warehouse_id": "${warehouses.get(id)}"`)
  return Object.fromEntries(Object.entries(rows).map(([table, list]) => [table, list.map(named).sort()]))
}
