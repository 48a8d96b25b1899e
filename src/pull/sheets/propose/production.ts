/** Rules for production: logs of batches, what they used, and bills of materials. */
import { type Context, type Draft, only, RANK } from './context.js'
import { itemsOf } from './parties.js'
import type { Doubt, FromObject } from './proposal.js'
import { skuFrom, warehouseFrom } from './stock.js'

const QC: readonly (readonly [RegExp, string])[] = [
  [/^(pass\w*|ok|accepted|approved|yes|good)$/i, 'QC Pass'],
  [/^(fail\w*|rejected|not ok|no|bad)$/i, 'QC Fail'],
  [/^(hold|on hold|pending|awaited)$/i, 'QC Hold'],
]

/** One row per batch: a day, a product, and how much of it was made. */
export function productionLog(context: Context): Draft[] | undefined {
  const item = context.field('item', 'particulars', 'item_code')
  const day = context.field('batch_date', 'date', 'mfg_date')
  const isAbout = context.about('production', 'sale', 'purchase') === 'production'
  const made =
    context.field('produced_qty') ?? (isAbout || context.has('batch_date') ? context.field('qty') : undefined)
  if (item === undefined || day === undefined || made === undefined || context.has('material', 'component'))
    return undefined
  const [batch, good, waste, qc] = [
    context.field('batch_no'),
    context.field('good_qty'),
    context.field('wastage'),
    context.field('qc_status'),
  ]
  const warehouse = warehouseFrom(context)
  const sku = skuFrom(context, item)
  const isWhole = batch !== undefined && batch.evidence.filled === context.table.rows
  const isUnique = isWhole && batch.evidence.texts.size === context.table.rows
  const shared = only({ warehouse: warehouse.from })
  const constant: Record<string, string> = warehouse.constant === undefined ? {} : { warehouse: warehouse.constant }
  const usable: FromObject =
    good?.name ?? (waste === undefined ? made.name : { calc: `{${made.name}} - {${waste.name}}` })
  const words = qc?.evidence.words?.map((word) => [word, QC.find(([pattern]) => pattern.test(word))?.[1]] as const)
  const qcValues = words?.every(([, status]) => status !== undefined)
    ? (Object.fromEntries(words) as Record<string, string>)
    : undefined
  const doubts: Doubt[] = [
    ...(waste === undefined ? [] : [{ column: 'wastage', reason: `${made.name} was taken to include ${waste.name}` }]),
  ]
  const batches: Draft[] = !isWhole
    ? []
    : [
        {
          entity: 'batches',
          rank: 0,
          columns: only({
            ...{
              sku,
              batch_no: batch.name,
              batch_date: day.name,
              mfg_date: context.field('mfg_date')?.name ?? day.name,
            },
            ...{ expiry_date: context.field('expiry_date')?.name, ...shared, qty: made.name, wastage: waste?.name },
            ...(qc !== undefined && qcValues !== undefined && { qc_status: { column: qc.name, values: qcValues } }),
          }),
          constants: { source: 'PRODUCED', ...constant, ...(waste === undefined && { wastage: '0' }) },
          first: 'true',
          doubts: [
            ...doubts,
            ...(isUnique
              ? []
              : [{ column: 'batch_no', reason: `${batch.name} is repeated: the first row of each batch counts` }]),
          ],
        },
      ]
  const price = context.field('cost', 'rate')
  const value =
    context.field('amount')?.name ??
    (price === undefined || typeof usable !== 'string'
      ? undefined
      : { calc: `{${usable}} * {${price.name}}`, round: '4' })
  return [
    ...itemsOf(context, { name: item, code: context.itemCode, rank: RANK.made, quantities: [made, good] }),
    ...warehouse.drafts,
    ...batches,
    {
      entity: 'stock_movements',
      rank: 0,
      columns: only({
        movement_no: { text: `MADE/{${day.name}|date}/${isWhole ? `{${batch.name}}` : `{${item.name}}`}/{#}` },
        ...{ movement_date: day.name, sku, ...(isWhole && { batch_no: batch.name }), ...shared, qty: usable },
        ...{ val: value, val_tax: value, unit: context.field('unit')?.name },
      }),
      constants: { kind: 'production_receipt', ...constant, ...(value === undefined && { val: '0', val_tax: '0' }) },
      leaveOut: [],
      unless: made.name,
      doubts:
        value === undefined
          ? [{ column: 'val', reason: 'no column states what the goods cost, so they come into stock with value 0' }]
          : [],
    },
  ]
}

/** One row per material that a batch used. */
export function consumptionLog(context: Context): Draft[] | undefined {
  const material = context.field('material', 'component')
  const product = context.field('item', 'particulars')
  const [batch, qty, day] = [context.field('batch_no'), context.field('qty'), context.field('date', 'batch_date')]
  if (material === undefined || product === undefined || batch === undefined || qty === undefined) return undefined
  const price = context.field('cost', 'rate')
  const value: FromObject | undefined =
    context.field('amount')?.name ?? (price && { calc: `{${qty.name}} * {${price.name}}`, round: '4' })
  const warehouse = warehouseFrom(context)
  const constant: Record<string, string> = warehouse.constant === undefined ? {} : { warehouse: warehouse.constant }
  const [sku, materialSku] = [context.code('items', product), context.code('items', material)]
  const noValue: Doubt[] =
    value === undefined
      ? [{ column: 'val', reason: 'no column states what the materials cost, so they leave stock with value 0' }]
      : []
  return [
    ...itemsOf(context, { name: material, code: undefined, rank: RANK.used, quantities: [qty], type: 'MAT' }),
    {
      entity: 'consumption',
      rank: 0,
      columns: only({
        ...{ sku, batch_no: context.cell(batch), line_no: { count: `{${product.name}}/{${batch.name}}` } },
        ...{ material: materialSku, qty_bom: qty.name, val_bom: value },
      }),
      doubts: noValue,
    },
    ...(day === undefined
      ? []
      : [
          ...warehouse.drafts,
          {
            entity: 'stock_movements',
            rank: 4,
            columns: only({
              movement_no: { text: `USED/{${day.name}|date}/{${batch.name}}/{${material.name}}/{#}` },
              ...{
                movement_date: context.cell(day, 'all'),
                sku: materialSku,
                warehouse: warehouse.from,
                qty: qty.name,
              },
              ...{
                for_sku: context.code('items', product, 'all'),
                for_batch_no: context.cell(batch, 'all'),
                val: value,
                val_tax: value,
                unit: context.field('unit')?.name,
              },
            }),
            constants: { kind: 'consumption', ...constant, ...(value === undefined && { val: '0', val_tax: '0' }) },
            unless: qty.name,
            doubts: noValue,
          },
        ]),
  ]
}

/** Which components go into a product. */
export function billOfMaterials(context: Context): Draft[] | undefined {
  const component = context.field('component', 'material')
  const [product, qty] = [context.field('item', 'particulars'), context.field('qty')]
  if (
    component === undefined ||
    product === undefined ||
    qty === undefined ||
    context.has('batch_no', 'date', 'batch_date')
  )
    return undefined
  return [
    ...itemsOf(context, { name: product, code: undefined, rank: RANK.made, quantities: [] }),
    ...itemsOf(context, { name: component, code: undefined, rank: RANK.used, quantities: [qty], type: 'MAT' }),
    {
      entity: 'bom',
      rank: 0,
      columns: only({
        ...{ product: context.code('items', product), component: context.code('items', component), qty: qty.name },
        valid_from: context.field('valid_from')?.name,
      }),
      doubts: [{ column: 'qty', reason: `${qty.name} was taken for one unit of the product` }],
    },
  ]
}
