/** Documents of which a row was rejected: their other rows are rejected too, so that no document is loaded in part. */
import type { Db, Queryable } from '../../db/connect.js'
import { query } from '../../db/query.js'
import { identifier, join, sql } from '../../db/sql.js'
import { stagedRows } from '../checks.js'
import type { Part } from '../source.js'
import type { RowKey } from './problems.js'
import type { Rejects, Wrong } from './rejects.js'
import { keyOf, stagedCells } from './staged-cells.js'

interface DocumentRows {
  /** A document in words. */
  readonly called: string
  /** The columns that identify it, in all of its entities; the last one is shown. */
  readonly by: readonly string[]
  /** The entity of its head; lines that refer to a head with an error refuse the load instead. */
  readonly head?: string
  /** The entities of its rows, each with the column that tells them apart and its name in words. */
  readonly rows: Readonly<Record<string, readonly [column: string, called: string]>>
}

const LINE = ['line_no', 'line'] as const
const TAX = ['name', 'tax'] as const

const DOCUMENTS: readonly DocumentRows[] = [
  {
    ...{ called: 'purchase order', by: ['po_no'], head: 'purchase_orders' },
    rows: { purchase_order_items: LINE, purchase_order_taxes: TAX },
  },
  {
    ...{ called: 'goods receipt', by: ['po_no', 'grn_no'], head: 'goods_receipts' },
    rows: { goods_receipt_items: LINE, goods_receipt_taxes: TAX },
  },
  {
    ...{ called: 'sales order', by: ['order_no'], head: 'sales_orders' },
    rows: { sales_order_items: LINE, sales_order_taxes: TAX },
  },
  { called: 'invoice', by: ['invoice_no'], head: 'invoices', rows: { invoice_items: LINE, invoice_taxes: TAX } },
  { called: 'work order', by: ['work_order_no'], head: 'work_orders', rows: { work_order_items: LINE } },
  { called: 'return', by: ['order_no', 'return_no'], rows: { returns: ['order_line_no', 'order line'] } },
  { called: 'the bill of materials of', by: ['product'], rows: { bom: ['component', 'component'] } },
  { called: 'combo', by: ['combo'], rows: { combos: ['component', 'component'] } },
]

/** Separates the parts of a document's key; no code has it. */
const BETWEEN = '\u001f'

/** Of documents with a rejected row, the rows that are still staged. */
async function restOfDocuments(
  db: Queryable,
  parts: readonly Part[],
  rejects: Rejects,
): Promise<{ readonly part: Part; readonly by: readonly string[]; readonly reasons: Map<number, string> }[]> {
  const rest = []
  for (const { called, by, head, rows } of DOCUMENTS) {
    /** Why each document is rejected, by its key. */
    const why = new Map<string, string>()
    for (const part of parts) {
      const kind = rows[part.entity.name]
      for (const { row, readable } of kind === undefined ? [] : rejects.of(part)) {
        const key = by.map((name) => readable[name])
        if (kind === undefined || key.some((cell) => cell == null) || why.has(key.join(BETWEEN))) continue
        const [column, name] = kind
        why.set(
          key.join(BETWEEN),
          `${name} ${row[column] ?? 'without a number'} of ${called} ${key.at(-1)} was rejected`,
        )
      }
    }
    if (why.size === 0) continue
    const keyText = sql`concat_ws(${BETWEEN}, ${join(
      by.map((name) => sql`${identifier(name)}::text`),
      ', ',
    )})`
    for (const part of parts) {
      const { name } = part.entity
      if (name !== head && rows[name] === undefined) continue
      const found = await query<{ line: string; key: string }>(
        db,
        sql`select line::text, ${keyText} as key from ${stagedRows(name)} where ${keyText} = any(${[...why.keys()]}::text[])`,
      )
      if (found.length > 0)
        rest.push({ part, by, reasons: new Map(found.map(({ line, key }) => [Number(line), why.get(key) ?? ''])) })
    }
  }
  return rest
}

/** Whether rows of documents are staged of which another row was rejected. */
export const hasPartOfDocument = async (db: Queryable, parts: readonly Part[], rejects: Rejects): Promise<boolean> =>
  (await restOfDocuments(db, parts, rejects)).length > 0

/** Rejects the staged rows of documents of which another row was rejected. Resolves to whether there were any. */
export async function rejectDocuments(db: Db, parts: readonly Part[], rejects: Rejects): Promise<boolean> {
  const rest = await restOfDocuments(db, parts, rejects)
  for (const { part, by, reasons } of rest) {
    const cells = await stagedCells(db, part.entity, [...reasons.keys()])
    const column = by.at(-1) as string
    const wrong = [...cells].map(([line, row]: [number, RowKey]): [number, Wrong] => [
      line,
      {
        ...{ line, key: keyOf(part.entity, row), row },
        reasons: [{ column, value: row[column] ?? null, message: reasons.get(line) ?? '' }],
      },
    ])
    await rejects.takeOut(db, part, new Map(wrong))
  }
  return rest.length > 0
}
