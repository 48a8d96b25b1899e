/** Producible: how much of each product the usable stock would make, through all levels, and what stands in the way of more. */
import { turns } from '../../db/computed.js'
import { Computed, type Sql, sql } from '../../db/sql.js'
import { Lines, Naming, NotAdditive, OrNull, Quantity, Text, WholeText } from '../../kernel/report/fields.js'
import { Optional, TextParam } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { billLines, decimalOf, type Part, readBills, unitsOf } from '../shared/bills.js'
import { asOn, dayOf } from '../shared/insight.js'
import { byCode, exploder, producible } from '../shared/netting.js'
import { item } from '../shared/things.js'
import { usableStock } from '../shared/usable.js'
import { only } from '../shared/words.js'

export default defineReport({
  id: 'insight.producible',
  method: 'POST',
  path: '/v1/insight/producible',
  title: 'Producible',
  summary: 'How much of each product the stock would make, and what is missing for one more',
  askedAs: [
    'what can we make with the stock or materials that we have',
    'how many units of a product could be produced now',
    'which component limits production',
  ],
  description: `One record per product, combos included, that has components on the day \`as_on\`, ordered by \`sku\`.

\`producible_qty\` is the largest quantity that could be made from usable stock: stock on hold and batches that expired before \`as_on\` are not
used. It is netted through all levels: stock of semi-finished goods is used first, and what is missing is made of its components. A part that
several branches need is counted once. The product's own stock is not used. Only the product is made in whole units in
\`producible_whole\` and \`one_more_needs\`; its semi-finished goods may be made in fractions. Services limit nothing, by-products bring
nothing, and stock below 0 counts as 0. If nothing limits a product, the quantities and \`limited_by\` are null.

Movements up to the end of \`as_on\` count.`,
  dependsOnToday: true,
  cost: 10,
  request: {
    as_on: asOn,
    sku: Optional(TextParam('Only the product with this code.', 'FG-0002')),
  },
  record: {
    sku: Naming(Text("The product's code."), item('sku')),
    name: Naming(Text("The product's name."), item('sku')),
    unit: Text('Unit of its quantities.'),
    stock_qty: Quantity(4, 'unit', "The product's own stock, on hold or not."),
    producible_qty: OrNull(
      NotAdditive(Quantity(4, 'unit', 'Quantity that could be made, rounded down; null if nothing limits it.')),
    ),
    producible_whole: OrNull(WholeText('The same in whole units.')),
    limited_by: OrNull(
      Naming(Text('Code of the bought part that runs out first; the first by code if several do.'), item('limited_by')),
    ),
    limited_by_name: OrNull(Naming(Text('Its name.'), item('limited_by'))),
    one_more_needs: Lines('What is missing of bought parts for one more than `producible_whole`, ordered by code.', {
      fields: {
        sku: Naming(Text("The part's code."), item('sku')),
        name: Naming(Text("The part's name."), item('sku')),
        qty: NotAdditive(Quantity(4, 'unit', 'Missing quantity, rounded up.')),
        unit: Text('Its unit.'),
      },
      query: sql`
        select i.sku, i.name, n.qty, i.unit
          from json_to_recordset(parent.one_more_needs) n (item_id integer, qty numeric)
          join item i on i.id = n.item_id`,
      orderBy: ['sku'],
    }),
  },
  people: ['name', 'producible_whole', 'limited_by_name', 'producible_qty', 'stock_qty', 'unit', 'limited_by', 'sku'],
  headings: {
    name: 'Product',
    producible_whole: 'Can be made',
    limited_by_name: 'Limited by',
    producible_qty: 'Exactly',
    stock_qty: 'In stock',
    limited_by: 'Limiting SKU',
  },
  orderBy: ['sku'],
  query: ({ as_on, sku }) => {
    const day = dayOf(as_on)
    return sql`
    select i.sku, i.name, i.unit, p.stock_qty, p.producible_qty, p.producible_whole, l.sku as limited_by,
           l.name as limited_by_name, p.one_more_needs
      from json_to_recordset(${quantities(day, sku)}::json)
             p (item_id integer, stock_qty numeric, producible_qty numeric, producible_whole numeric, limited_by integer,
                one_more_needs json)
      join item i on i.id = p.item_id
      left join item l on l.id = p.limited_by
     where true ${only(sku, (code) => sql`i.sku = ${code}`)}`
  },
})

const quantities = (day: Sql, sku: string | undefined): Computed =>
  new Computed({
    name: 'producible 1',
    given: sku,
    reads: {
      lines: billLines(day),
      stock: { columns: ['item_id', 'stock_qty', 'usable_qty'], query: usableStock(day) },
    },
    async compute({ lines = [], stock = [] }, signal) {
      const bills = readBills(lines)
      const stocks = new Map(stock.map(({ item_id, stock_qty }) => [Number(item_id), stock_qty]))
      const usables = new Map(stock.map(({ item_id, usable_qty }) => [Number(item_id), unitsOf(usable_qty ?? '0')]))
      const usable = ({ id }: Part) => {
        const qty = usables.get(id) ?? 0n
        return qty > 0n ? qty : 0n
      }
      const explode = exploder(bills)
      const takeTurns = turns(signal)
      const records: object[] = []
      for (const product of bills.parts) {
        if (!product.isMade || (sku !== undefined && product.sku !== sku)) continue
        const found = producible(explode(product), usable)
        records.push({
          item_id: product.id,
          stock_qty: stocks.get(product.id) ?? '0',
          producible_qty: found && decimalOf(found.qty),
          producible_whole: found?.whole.toString(),
          limited_by: found?.limitedBy.id,
          one_more_needs: (found?.missing ?? [])
            .toSorted((a, b) => byCode(a.part, b.part))
            .map(({ part, qty }) => ({ item_id: part.id, qty: decimalOf(qty) })),
        })
        await takeTurns()
      }
      return records
    },
  })
