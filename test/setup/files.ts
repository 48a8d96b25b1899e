/** Writes import files for tests, from a company's rows or from texts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SchemaElement } from 'hyparquet'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { parquetWriteFile } from 'hyparquet-writer/src/node.js'
import { onTestFinished } from 'vitest'
import { entities } from '../../src/import/entities.js'
import type { Company } from './company.js'

export type Format = 'csv' | 'jsonl' | 'parquet'
type FileRow = Record<string, string | null>

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millbook-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Writes the files to a temporary folder, removed after the test, or to the given folder. */
export function folderOf(files: Record<string, string | Buffer>, folder = tempFolder()): string {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return folder
}

/** A Parquet file of one row, with a type for each column. */
export function parquetRow(columns: Record<string, [type: Omit<SchemaElement, 'name'>, value: unknown]>): Buffer {
  const entries = Object.entries(columns)
  const buffer = parquetWriteBuffer({
    columnData: entries.map(([name, [, value]]) => ({ name, data: [value] })),
    schema: [
      { name: 'root', num_children: entries.length },
      ...entries.map(([name, [type]]): SchemaElement => ({ name, repetition_type: 'REQUIRED', ...type })),
    ],
    statistics: false,
  })
  return Buffer.from(buffer)
}

/** A company's rows as an operator's files have them, with codes in place of ids. */
export function rowsByEntity(company: Company): Record<string, FileRow[]> {
  const tables = { ...company, account: [company.account] } as unknown as Record<string, Record<string, unknown>[]>
  const codes: Record<string, ReadonlyMap<number, string>> = {
    item: new Map(company.item.map((item) => [item.id, item.sku])),
    warehouse: new Map(company.warehouse.map((warehouse) => [warehouse.id, warehouse.code])),
  }
  const rows: Record<string, FileRow[]> = {}
  for (const entity of entities) {
    rows[entity.name] = (tables[entity.table] ?? []).map((row) =>
      Object.fromEntries(
        Object.entries(entity.columns).flatMap(([name, column]) => {
          const value = row[column.stored ?? name]
          if (value === undefined) return []
          if (value === null) return [[name, null]]
          if (column.lookup) return [[name, codes[column.lookup.table]?.get(value as number) ?? null]]
          return [[name, Array.isArray(value) ? value.join('|') : String(value)]]
        }),
      ),
    )
  }
  return rows
}

const quoted = (cell: string | null | undefined) =>
  cell === null || cell === undefined ? '' : /^$|[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell

/** Writes each entity that has rows into a folder. */
export function writeFiles(folder: string, rows: Record<string, FileRow[]>, format: (entity: string) => Format): void {
  for (const [name, list] of Object.entries(rows)) {
    if (list.length === 0) continue
    const columns = [...new Set(list.flatMap((row) => Object.keys(row)))]
    const kind = format(name)
    const file = join(folder, `${name}.${kind}`)
    if (kind === 'csv')
      writeFileSync(
        file,
        `\uFEFF${[columns, ...list.map((row) => columns.map((column) => row[column]))].map((cells) => cells.map(quoted).join(',')).join('\r\n')}\r\n`,
      )
    else if (kind === 'jsonl') writeFileSync(file, list.map((row) => JSON.stringify(row)).join('\n'))
    else
      parquetWriteFile({
        filename: file,
        columnData: columns.map((column) => ({
          name: column,
          data: list.map((row) => row[column] ?? null),
          type: 'STRING' as const,
          nullable: true,
        })),
        rowGroupSize: 7,
      })
  }
}
