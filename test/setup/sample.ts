/** The sample company as table rows for the oracle, made from the rows that the loader gets. */
import { parts } from '../../src/demo/rows.js'
import { type SampleOptions, sampleCompany } from '../../src/demo/sample.js'
import { cellText } from '../../src/import/columns.js'
import { type Company, emptyCompany } from './company.js'

type Row = Record<string, string | null>

/** Every row by entity, as in an import file. */
export async function sampleRows(options: SampleOptions): Promise<Record<string, Row[]>> {
  const rows: Record<string, Row[]> = Object.fromEntries(parts.map(({ name }) => [name, []]))
  for await (const chunk of sampleCompany(options).chunks())
    for (const { header, cells } of chunk.rows)
      rows[chunk.part.name]?.push(Object.fromEntries(header.map((name, i) => [name, cellText(cells[i]) ?? null])))
  return rows
}

export function companyOf(rows: Record<string, Row[]>): Company {
  const company = emptyCompany() as unknown as Record<string, unknown>
  const ids = (entity: string, codes: string[]) =>
    new Map(rows[entity]?.flatMap((row, i) => codes.map((code) => [row[code] ?? '', i + 1] as const)))
  const masters: Record<string, ReadonlyMap<string, number>> = {
    item: ids('items', ['sku']),
    warehouse: ids('warehouses', ['key', 'location']),
  }
  for (const { entity } of parts) {
    const list = (rows[entity.name] ?? []).map((row, at) => {
      const made: Record<string, unknown> = {}
      if (['item', 'warehouse'].includes(entity.table)) made['id'] = at + 1
      if (entity.table === 'purchase_order') made['poid'] = at + 1
      if (entity.table === 'sales_order') made['order_id'] = at + 1
      for (const [name, column] of Object.entries(entity.columns)) {
        const cell = row[name]
        const empty = cell === undefined || cell === null || (cell === '' && column.keepsEmpty !== true)
        const text = empty ? column.fallback : cell
        made[column.stored ?? name] =
          text === null
            ? null
            : column.lookup
              ? masters[column.lookup.table]?.get(text)
              : column.sqlType === 'text[]'
                ? text === '{}'
                  ? []
                  : text.split('|')
                : column.sqlType === 'integer'
                  ? Number(text)
                  : column.sqlType === 'boolean'
                    ? text === 'true'
                    : text
      }
      return made
    })
    if (entity.table === 'account') company['account'] = list[0]
    else company[entity.table] = list
  }
  return company as unknown as Company
}
