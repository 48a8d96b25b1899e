/** Stock movements: the rows of the ledger behind a figure of the stock reports. */
import { raw, sql } from '../../db/sql.js'
import {
  Amount,
  Explained,
  InWords,
  IsoDate,
  Naming,
  OrNull,
  Quantity,
  Text,
  Word,
} from '../../kernel/report/fields.js'
import { dateRange, OneOf, Optional, OptionalOrEmpty, TextParam, ZeroOrOne } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { behind, figureNames } from '../../ledger/behind.js'
import { batchStory } from '../shared/behind.js'
import { documentColumns, documents, kindColumn, kindWords } from '../shared/movement.js'
import { item } from '../shared/things.js'
import { asWritten, only } from '../shared/words.js'

export default defineReport({
  id: 'inventory.movements',
  method: 'POST',
  path: '/v1/inventory/movements',
  title: 'Stock movements',
  summary: 'The stock movements behind a figure',
  askedAs: [
    'why the stock of an item changed, went up or down',
    'all ins and outs: stock ledger, stock card of an item',
    'every receipt, issue, transfer, adjustment and scrap movement',
    'what makes up a stock figure',
  ],
  description: `One record per movement of the ledger, ordered by \`sku\`, \`date\` and \`movement_no\`.

\`figure\` selects the movements that count in a column of the stock reports. \`qty\` and \`value\` have the sign with which they
count, so that their sums are the figure. \`Opening\` has all movements before \`from_date\`; \`Closing\`, \`Active\` and \`Hold\` all movements up to the
end of \`to_date\`; every other figure the movements of the range. With the item's \`sku\`, and for finished goods the \`warehouse\`, the sums equal one
record of the stock status: \`Opening_qty\` is the sum of \`qty\` with \`figure\` Opening, \`ThatPeriod_CrValue\` the sum of \`value\` with \`figure\` Cr, and
\`final_TrfChrg\` the sum of \`value\` with \`figure\` TrfChrg. \`Qty_Value\`, \`final_value\` and \`Closing_active_value\` are the values of Opening, Closing and
Active. \`Receipts\` and \`Trashed\` count different kinds for materials than for other items, as the two reports do. In the
snapshot of a batch, \`Receipt_qty\`, \`Debit_qty\` and \`Available_qty\` are Cr, Dr and Closing with \`batch\`, from a \`from_date\` before all movements.

Without \`figure\`, the records are the movements of the range that changed the stock, positive where the stock grew.`,
  request: {
    ...dateRange,
    sku: Optional(TextParam('Only movements of the item with this code.', 'FG-0002')),
    warehouse: Optional(TextParam('Only movements in the warehouse with this name.', 'Pune Plant')),
    batch: OptionalOrEmpty(
      TextParam(
        'Only movements of the batch with this number; an empty string for stock that is not kept by batch. Leave it out for all stock.',
        'B260516-001',
      ),
    ),
    figure: Optional(OneOf(figureNames, 'The column of a stock report that the movements count in.')),
    tax: Optional(
      ZeroOrOne('number', '`0`, the default, for values without tax, `1` for values with tax.', {
        0: 'excluded',
        1: 'included',
      }),
    ),
  },
  perPage: 100,
  record: {
    sku: Naming(Text("The item's code."), item('sku')),
    name: Naming(Text("The item's name."), item('sku')),
    unit: Text('Unit of the quantity.'),
    date: IsoDate('Day of the movement.'),
    movement_no: Text('Number of the movement in the ledger.'),
    kind: InWords(Word(kindWords, 'Kind of the movement.'), asWritten(kindWords)),
    ...documents,
    warehouse: Text('Warehouse of the movement.'),
    batch: OrNull(
      Explained(Text('Number of the batch; null for stock that is not kept by batch.'), batchStory('batch', 'sku')),
    ),
    qty: Quantity(4, 'unit', 'Quantity, with the sign with which it counts in the figure.'),
    value: Amount(
      4,
      'Booked value, or for TrfChrg the transfer charge, with the sign with which it counts in the figure.',
    ),
    note: Text('Free text of the movement.'),
  },
  people: ['name', 'date', 'kind', 'qty', 'unit', 'value', 'warehouse', 'batch', 'document_type', 'document_no'],
  headings: { document_type: 'Document', document_no: 'Number' },
  orderBy: ['sku', 'date', 'movement_no'],
  listing: true,
  query: ({ from_date, to_date, sku, warehouse, batch, figure, tax = false }) => {
    // For one item, the ledger's primary key has the order; constants in place of a join let the planner see that.
    const item = (column: 'id' | 'sku' | 'name' | 'unit' | 'type') =>
      sku === undefined ? raw(`i.${column}`) : sql`(select ${raw(column)} from item where sku = ${sku})`
    const range = { from: sql`${from_date}::date`, to: sql`${to_date}::date` }
    const { where, qty, value } = behind({ figure, tax, ...range, type: item('type') })
    return sql`
      select ${item('sku')} as sku, ${item('name')} as name, ${item('unit')} as unit, m.movement_date as date, m.movement_no,
             ${kindColumn} as kind, ${documentColumns},
             (select location from warehouse where id = m.warehouse_id) as warehouse, m.batch_no as batch,
             ${qty} as qty, ${value} as value, m.note
        from stock_movement m ${sku === undefined ? raw('join item i on i.id = m.item_id') : raw('')}
       where ${where}
         ${sku === undefined ? raw('') : sql`and m.item_id = ${item('id')}`}
         ${only(warehouse, (name) => sql`m.warehouse_id = (select id from warehouse where location = ${name})`)}
         ${only(batch, (no) => (no === '' ? sql`m.batch_no is null` : sql`m.batch_no = ${no}`))}`
  },
})
