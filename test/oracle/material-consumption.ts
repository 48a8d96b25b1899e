/** The consumption of produced batches, row by row or summed per product and material. */
import type { Company } from '../setup/company.js'
import { producedIn } from './batches.js'
import { books, Groups, key } from './books.js'
import { divide, format, parse, sum } from './decimal.js'
import { byText } from './order.js'

interface Params {
  version: 'DETAILED' | 'SUMMARY'
  from_date: string
  to_date: string
}

/** The measures in the order of the record, as units of 4 digits; null if nothing was wasted. */
type Measures = Record<(typeof measures)[number], bigint | null>
const measures = [
  ...(['item_qty', 'item_Val', 'wastage_item_qty', 'wastage_item_Val'] as const),
  ...(['Item_qty_bom', 'item_qty_short', 'item_qty_rej', 'item_qty_ret', 'Total_consumption'] as const),
  ...(['Item_Val_bom', 'item_Val_short', 'item_Val_rej', 'item_Val_ret', 'Total_consumption_Val'] as const),
]
const shown = (row: Measures) =>
  Object.fromEntries(
    measures.map((name) => {
      const units = row[name]
      return [name, units === null ? null : format(units, 4)]
    }),
  )

export function materialConsumption(company: Company, { version, ...range }: Params) {
  const rows = rowsOf(company, range)
  if (version === 'SUMMARY') return summary(rows)
  return rows.map(({ product, batch, material, figures }) => ({
    product_sku: product.sku,
    product_name: product.name,
    batch_no: batch.batch_no,
    batch_date: batch.batch_date,
    warehouse: books(company).warehouse.of(batch.warehouse_id).location,
    batch_qty: format(parse(batch.qty, 4), 4),
    Batch_UOM: product.unit,
    damaged_wastage: format(parse(batch.wastage, 4), 4),
    total_prd_qty: format(parse(batch.qty, 4) - parse(batch.wastage, 4), 4),
    ...material,
    ...shown(figures),
  }))
}

function rowsOf(company: Company, range: Omit<Params, 'version'>) {
  const of = books(company)
  return producedIn(company, range).flatMap((batch) =>
    of.consumed
      .of(key(batch.item_id, batch.batch_no))
      .toSorted((a, b) => a.line_no - b.line_no)
      .map((row) => {
        const used = row.material_id === null ? null : of.item.of(row.material_id)
        const [qty, val] = (['qty', 'val'] as const).map((of) => {
          const [bom, short, rej, ret] = (['bom', 'short', 'rej', 'ret'] as const).map((part) =>
            parse(row[`${of}_${part}`], 4),
          ) as [bigint, bigint, bigint, bigint]
          const whole = bom + short + rej - ret
          const wastage = parse(batch.wastage, 4)
          const wasted = wastage === 0n ? null : divide(whole * wastage, parse(batch.qty, 4))
          return { bom, short, rej, ret, whole, wasted, rest: whole - (wasted ?? 0n) }
        }) as [Part, Part]
        const figures: Measures = {
          ...{ item_qty: qty.rest, item_Val: val.rest, wastage_item_qty: qty.wasted, wastage_item_Val: val.wasted },
          ...{ Item_qty_bom: qty.bom, item_qty_short: qty.short, item_qty_rej: qty.rej, item_qty_ret: qty.ret },
          ...{ Item_Val_bom: val.bom, item_Val_short: val.short, item_Val_rej: val.rej, item_Val_ret: val.ret },
          ...{ Total_consumption: qty.whole, Total_consumption_Val: val.whole },
        }
        const material = {
          category_name: used?.product_category ?? row.cost_head ?? '',
          material_name: used?.name ?? (row.description || (row.cost_head ?? '')),
          material_code: used?.sku ?? '-',
          Mat_UoM: used?.unit ?? null,
        }
        return { product: batch.item, batch, material, material_id: row.material_id, figures }
      }),
  )
}

interface Part extends Record<'bom' | 'short' | 'rej' | 'ret' | 'whole' | 'rest', bigint> {
  wasted: bigint | null
}

function summary(rows: ReturnType<typeof rowsOf>) {
  const groups = new Groups(rows, ({ product, material_id, material }) =>
    key(product.id, ...(material_id === null ? [material.category_name, material.material_name] : [material_id])),
  )
  return [...groups.values()]
    .map((group) => {
      const { product, material } = group[0] as (typeof rows)[0]
      const sums = measures.map((name) => {
        const known = group.flatMap(({ figures }) => figures[name] ?? [])
        return [name, known.length === 0 ? null : sum(known)]
      })
      return {
        product_sku: product.sku,
        product_name: product.name,
        ...material,
        ...shown(Object.fromEntries(sums) as Measures),
        batches: String(new Set(group.map(({ batch }) => batch.batch_no)).size),
      }
    })
    .sort(
      (a, b) =>
        byText(a.product_sku, b.product_sku) ||
        byText(a.material_code, b.material_code) ||
        byText(a.category_name, b.category_name) ||
        byText(a.material_name, b.material_name),
    )
}
