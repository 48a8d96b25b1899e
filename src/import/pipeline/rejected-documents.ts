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
  /** Its entities, each with the name of a row in words and the column that tells its rows apart. */
  readonly rows: Readonly<Record<string, readonly [called: string, column?: string]>>
}

const HEAD = ['the head'] as const
const LINE = ['line', 'line_no'] as const
const TAX = ['tax', 'name'] as const

const DOCUMENTS: readonly DocumentRows[] = [
  {
    ...{ called: 'purchase order', by: ['po_no'] },
    rows: { purchase_orders: HEAD, purchase_order_items: LINE, purchase_order_taxes: TAX },
  },
  {
    ...{ called: 'goods receipt', by: ['grn_no'] },
    rows: { goods_receipts: HEAD, goods_receipt_items: LINE, goods_receipt_taxes: TAX },
  },
  {
    ...{ called: 'sales order', by: ['order_no'] },
    rows: { sales_orders: HEAD, sales_order_items: LINE, sales_order_taxes: TAX },
  },
  {
    ...{ called: 'invoice', by: ['invoice_no'] },
    rows: { invoices: HEAD, invoice_items: LINE, invoice_taxes: TAX },
  },
  { called: 'work order', by: ['work_order_no'], rows: { work_orders: HEAD, work_order_items: LINE } },
  { called: 'return', by: ['order_no', 'return_no'], rows: { returns: ['order line', 'order_line_no'] } },
  { called: 'the bill of materials of', by: ['product'], rows: { bom: ['component', 'component'] } },
  { called: 'combo', by: ['combo'], rows: { combos: ['component', 'component'] } },
]

/** Separates the parts of a document's key; no code has it. */
const BETWEEN = '\u001f'

interface RejectedDocuments {
  readonly by: readonly string[]
  /** The parts that have rows of such documents. */
  readonly parts: readonly Part[]
  /** By the text of their keys, each with the first reason. */
  readonly rejected: ReadonlyMap<string, { readonly key: readonly string[]; readonly reason: string }>
}

/** The documents of which a row was rejected, of each kind that has any. */
export function rejectedDocuments(parts: readonly Part[], rejects: Rejects): RejectedDocuments[] {
  return DOCUMENTS.flatMap(({ called, by, rows }) => {
    const own = parts.filter(({ entity }) => rows[entity.name] !== undefined)
    const rejected = new Map<string, { key: readonly string[]; reason: string }>()
    for (const part of own) {
      const [name, column] = rows[part.entity.name] as DocumentRows['rows'][string]
      for (const { row, readable } of rejects.of(part)) {
        const key = by.flatMap((one) => readable[one] ?? [])
        if (key.length < by.length || rejected.has(key.join(BETWEEN))) continue
        const which = column === undefined ? name : `${name} ${row[column] ?? 'without a number'}`
        rejected.set(key.join(BETWEEN), { key, reason: `${which} of ${called} ${key.at(-1)} was rejected` })
      }
    }
    return rejected.size === 0 ? [] : [{ by, parts: own, rejected }]
  })
}

/** Of documents with a rejected row, the rows that are still staged. */
async function restOfDocuments(
  db: Queryable,
  parts: readonly Part[],
  rejects: Rejects,
): Promise<{ readonly part: Part; readonly by: readonly string[]; readonly reasons: Map<number, string> }[]> {
  const rest = []
  for (const { by, parts: own, rejected } of rejectedDocuments(parts, rejects)) {
    const keyText = sql`concat_ws(${BETWEEN}, ${join(
      by.map((name) => sql`${identifier(name)}::text`),
      ', ',
    )})`
    for (const part of own) {
      const found = await query<{ line: string; key: string }>(
        db,
        sql`select line::text, ${keyText} as key from ${stagedRows(part.entity.name)}
             where ${keyText} = any(${[...rejected.keys()]}::text[])`,
      )
      const reasons = found.map(({ line, key }) => [Number(line), rejected.get(key)?.reason ?? ''] as const)
      if (found.length > 0) rest.push({ part, by, reasons: new Map(reasons) })
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
