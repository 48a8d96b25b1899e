/** Shortage: what a plan needs of every item at every level, and what has to be made and bought for it. */
import { Computed, type Sql, sql } from '../../db/sql.js'
import { Problem } from '../../errors.js'
import { Integer, Naming, NotAdditive, Quantity, Text } from '../../kernel/report/fields.js'
import { Day, Optional, type Param } from '../../kernel/report/params.js'
import { defineReport } from '../../kernel/report/report.js'
import { billLines, decimalOf, type Part, readBills, unitsOf } from '../shared/bills.js'
import { asOn, dayOf } from '../shared/insight.js'
import { netPlan } from '../shared/netting.js'
import { onOrder, onSale } from '../shared/open-orders.js'
import { item } from '../shared/things.js'
import { usableStock } from '../shared/usable.js'

const LONGEST_PLAN = 20_000

/** One item of a plan. A code may have commas and equal signs: it ends at the last equal sign before a quantity and a comma. */
const ENTRY = /\s*(\S(?:[\s\S]*?\S)??)\s*=\s*(\d{1,20}(?:\.\d{1,4})?)\s*(?:,|$)/y

/** The quantities of a plan by code; undefined if the text is not a plan. */
function readPlan(text: string): Map<string, bigint> | undefined {
  const plan = new Map<string, bigint>()
  ENTRY.lastIndex = 0
  while (ENTRY.lastIndex < text.length) {
    const [, sku, qty] = ENTRY.exec(text) ?? []
    if (sku === undefined || qty === undefined) return undefined
    plan.set(sku, (plan.get(sku) ?? 0n) + unitsOf(qty))
  }
  return plan.size > 0 ? plan : undefined
}

const Plan: Param<string> = {
  type: { kind: 'text', longest: LONGEST_PLAN, pattern: '^\\s*\\S[\\s\\S]*=\\s*\\d{1,20}(\\.\\d{1,4})?\\s*,?\\s*$' },
  description: `The plan, such as \`FG-0001=500, FG-0002=200\`: codes with the quantities to have. A code that stands there twice counts twice. If it is left out,
the plan is what customers ordered and did not get.`,
  expects: `codes with quantities such as FG-0001=500, FG-0002=200, of at most ${LONGEST_PLAN} characters`,
  read: (value) =>
    typeof value === 'string' && value.length <= LONGEST_PLAN && !value.includes('\0') && readPlan(value) !== undefined
      ? value
      : undefined,
  required: true,
  example: 'FG-0001=500, FG-0002=200',
}

export default defineReport({
  id: 'insight.shortage',
  method: 'POST',
  path: '/v1/insight/shortage',
  title: 'Shortages',
  summary: 'What a plan needs at every level, and what to make and to buy for it',
  askedAs: [
    'what is missing to make a quantity of a product',
    'production plan: what to make and to buy for it, MRP run, material requirements',
    'shortage of materials for a plan',
  ],
  description: `One record per item of the plan and per item below it at any level, without services, ordered by \`level\` and \`sku\`.

The plan is netted level by level. Each item uses its own usable stock first, items of the plan too; stock on hold and batches that
expired before \`as_on\` are not usable, and usable stock below 0 counts as 0 in \`used_from_stock_qty\`. Then the open purchase orders of the
item count. The rest is made if the item has a bill on the day \`as_on\` or is a combo, and bought if not. What is made needs its components, so
\`needed_qty\` of a component adds up all its uses. By-products bring nothing. Open work orders are left out: they are plans too.

\`plan\` names items and quantities; a code that does not exist is refused with 422. Without it, the plan is the open demand of
customers: order lines with an order date up to \`as_on\` of open orders, less the quantity issued up to \`as_on\`.`,
  dependsOnToday: true,
  cost: 10,
  request: {
    as_on: asOn,
    plan: Optional(Plan),
    until: Optional(
      Day(
        'Only purchase orders count that are due by this day; lines without a delivery date do not. All count if it is left out.',
        '2026-07-31',
      ),
    ),
  },
  record: {
    level: Integer('0 for an item of the plan, else the number of levels below the plan, on the longest path.'),
    sku: Naming(Text("The item's code."), item('sku')),
    name: Naming(Text("The item's name."), item('sku')),
    unit: Text('Unit of the quantities.'),
    needed_qty: Quantity(4, 'unit', 'Quantity that the plan needs.'),
    usable_qty: NotAdditive(Quantity(4, 'unit', 'Usable stock; may be negative.')),
    used_from_stock_qty: Quantity(4, 'unit', 'Part of `needed_qty` that stock covers.'),
    on_order_qty: NotAdditive(Quantity(4, 'unit', 'Ordered from vendors and not yet received.')),
    to_make_qty: Quantity(4, 'unit', 'Quantity to make.'),
    to_buy_qty: Quantity(4, 'unit', 'Quantity to buy.'),
  },
  people: ['name', 'to_buy_qty', 'to_make_qty', 'unit', 'needed_qty', 'usable_qty', 'on_order_qty', 'level', 'sku'],
  headings: {
    name: 'Item',
    to_buy_qty: 'To buy',
    to_make_qty: 'To make',
    needed_qty: 'Needed',
    used_from_stock_qty: 'From stock',
    usable_qty: 'Usable',
    on_order_qty: 'On order',
  },
  better: { to_buy_qty: 'less' },
  orderBy: ['level', 'sku'],
  query: ({ as_on, plan, until }) => {
    const day = dayOf(as_on)
    const due = until === undefined ? undefined : sql`${until}::date`
    return sql`
    select p.level, i.sku, i.name, i.unit, p.needed_qty, p.usable_qty, p.used_from_stock_qty, p.on_order_qty, p.to_make_qty,
           p.to_buy_qty
      from json_to_recordset(${quantities(day, plan, due)}::json)
             p (item_id integer, level integer, needed_qty numeric, usable_qty numeric, used_from_stock_qty numeric,
                on_order_qty numeric, to_make_qty numeric, to_buy_qty numeric)
      join item i on i.id = p.item_id`
  },
})

function quantities(day: Sql, plan: string | undefined, until: Sql | undefined): Computed {
  const named = plan === undefined ? undefined : (readPlan(plan) as Map<string, bigint>)
  return new Computed({
    name: 'shortage 1',
    given: plan,
    reads: {
      lines: billLines(day),
      stock: { columns: ['item_id', 'usable_qty'], query: usableStock(day) },
      orders: { columns: ['item_id', 'qty'], query: onOrder(day, until) },
      plan: {
        columns: ['item_id', 'sku', 'type', 'qty'],
        query:
          named === undefined
            ? sql`select d.item_id, i.sku, i.type, d.qty from (${onSale(day)}) d join item i on i.id = d.item_id`
            : sql`select id as item_id, sku, type, null as qty from item where sku = any(${[...named.keys()]}::text[])`,
      },
    },
    compute({ lines = [], stock = [], orders = [], plan: planned = [] }) {
      if (named !== undefined) refuseUnknown(named, new Set(planned.map(({ sku }) => sku)))
      const usables = quantitiesOf(stock.map(({ item_id, usable_qty }) => [item_id, usable_qty]))
      const ordered = quantitiesOf(orders.map(({ item_id, qty }) => [item_id, qty]))
      const { parts, digits } = readBills(lines)
      const inBills = new Set(parts.map(({ id }) => id))
      const wanted = planned.filter(({ type }) => type !== 'SRV')
      const others = wanted
        .filter(({ item_id }) => !inBills.has(Number(item_id)))
        .map(({ item_id, sku }): Part => ({ id: Number(item_id), sku: sku ?? '', isMade: false, needs: [] }))
      const quantities = new Map(
        wanted.map(({ item_id, sku, qty }) => [Number(item_id), named?.get(sku ?? '') ?? unitsOf(qty ?? '0')]),
      )
      const aboveZero = (known: ReadonlyMap<number, bigint>) => (part: Part) => {
        const qty = known.get(part.id) ?? 0n
        return qty > 0n ? qty : 0n
      }
      return netPlan([...parts, ...others], digits, quantities, aboveZero(usables), aboveZero(ordered)).map(
        ({ part, level, digits, needed, fromStock, left }) => ({
          item_id: part.id,
          level,
          needed_qty: decimalOf(needed, digits),
          usable_qty: decimalOf(usables.get(part.id) ?? 0n),
          used_from_stock_qty: decimalOf(fromStock, digits),
          on_order_qty: decimalOf(ordered.get(part.id) ?? 0n),
          to_make_qty: part.isMade ? decimalOf(left, digits) : '0',
          to_buy_qty: part.isMade ? '0' : decimalOf(left, digits),
        }),
      )
    },
  })
}

const quantitiesOf = (rows: readonly (readonly [id: string | null | undefined, qty: string | null | undefined])[]) =>
  new Map(rows.map(([id, qty]) => [Number(id), unitsOf(qty ?? '0')]))

function refuseUnknown(plan: ReadonlyMap<string, bigint>, known: ReadonlySet<string | null | undefined>): void {
  const unknown = [...plan.keys()].filter((sku) => !known.has(sku))
  if (unknown.length === 0) return
  const [first = ''] = unknown
  const more = unknown.length > 1 ? ` and ${unknown.length - 1} more` : ''
  throw new Problem('invalid-parameters', {
    errors: [
      { field: 'plan', message: `names ${JSON.stringify(first.slice(0, 60))}${more}, which no item has as its code` },
    ],
  })
}
