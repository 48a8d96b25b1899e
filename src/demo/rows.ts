/** Rows of the sample on their way to the loader, or to files. */
import { entities } from '../import/entities.js'
import type { Chunk, Part, Rows } from '../import/source.js'

/** The entities that the sample has rows of, for the types of their rows. */
interface Sampled {
  account: typeof import('../import/entities/account.js')
  approvals: typeof import('../import/entities/approvals.js')
  batches: typeof import('../import/entities/batches.js')
  bom: typeof import('../import/entities/bom.js')
  combos: typeof import('../import/entities/combos.js')
  consumption: typeof import('../import/entities/consumption.js')
  customers: typeof import('../import/entities/customers.js')
  goods_receipt_items: typeof import('../import/entities/goods_receipt_items.js')
  goods_receipts: typeof import('../import/entities/goods_receipts.js')
  goods_receipt_taxes: typeof import('../import/entities/goods_receipt_taxes.js')
  invoice_items: typeof import('../import/entities/invoice_items.js')
  invoice_taxes: typeof import('../import/entities/invoice_taxes.js')
  invoices: typeof import('../import/entities/invoices.js')
  item_units: typeof import('../import/entities/item_units.js')
  item_vendors: typeof import('../import/entities/item_vendors.js')
  items: typeof import('../import/entities/items.js')
  purchase_order_items: typeof import('../import/entities/purchase_order_items.js')
  purchase_order_taxes: typeof import('../import/entities/purchase_order_taxes.js')
  purchase_orders: typeof import('../import/entities/purchase_orders.js')
  returns: typeof import('../import/entities/returns.js')
  sales_order_items: typeof import('../import/entities/sales_order_items.js')
  sales_order_taxes: typeof import('../import/entities/sales_order_taxes.js')
  sales_orders: typeof import('../import/entities/sales_orders.js')
  stock_movements: typeof import('../import/entities/stock_movements.js')
  vendors: typeof import('../import/entities/vendors.js')
  warehouses: typeof import('../import/entities/warehouses.js')
  work_order_items: typeof import('../import/entities/work_order_items.js')
  work_orders: typeof import('../import/entities/work_orders.js')
}

export type EntityName = keyof Sampled
/** A row as a file has it; a column that is left out is empty. */
export type RowOf<Name extends EntityName> = {
  [Column in keyof Sampled[Name]['default']['columns']]?: string | null
}
export type Emit = <Name extends EntityName>(entity: Name, row: RowOf<Name>) => void

export const parts: readonly Part[] = entities.map((entity) => ({ entity, name: entity.name }))

/** Collects rows by entity until they are taken. */
export class RowBuffer {
  readonly #waiting = new Map<string, { part: Part; header: string[]; line: number; rows: Rows }>(
    parts.map((part) => [part.entity.name, { part, header: Object.keys(part.entity.columns), line: 1, rows: [] }]),
  )

  readonly emit: Emit = (entity, row) => {
    const place = this.#waiting.get(entity)
    if (place === undefined) throw new Error(`there is no entity ${entity}`)
    const { header } = place
    const cells = header.map((column) => (row as Record<string, string | null | undefined>)[column])
    place.rows.push({ line: ++place.line, header, cells })
  };

  *take(done: number): Generator<Chunk> {
    for (const place of this.#waiting.values()) {
      if (place.rows.length === 0) continue
      const rows = place.rows
      place.rows = []
      yield { part: place.part, rows, done }
    }
  }
}
