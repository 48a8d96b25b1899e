/** What a trace starts with, and the batches that it reaches from there. */
import { Computed, raw, type Sql, sql } from '../../db/sql.js'
import { Problem } from '../../errors.js'
import type { Group } from '../../groups.js'
import { Alternative, Defaulting, OneOf, Optional, TextParam, type Values } from '../../kernel/report/params.js'
import type { ShapeSpec } from '../../kernel/report/report.js'
import { only } from '../shared/words.js'

const shows = ['links', 'batches', 'parties', 'events'] as const
const directions = ['forward', 'backward'] as const
export type Direction = (typeof directions)[number]

export const request = {
  batch_no: Alternative('start', TextParam('Number of a batch.', 'B260516-001')),
  order_no: Alternative('start', TextParam('Number of a sales order, whose batches are followed.', 'SO-000001')),
  invoice_no: Alternative(
    'start',
    TextParam(
      'Number of an invoice: the batches of the order lines that it invoices are followed.',
      'INV/26-27/000001',
    ),
  ),
  grn_no: Alternative('start', TextParam('Number of a goods receipt, whose batches are followed.', 'GRN-00001')),
  sku: Optional(
    TextParam(
      'Start with batches of this item only. Required if batches of several items have the number `batch_no`.',
      'FG-0005',
    ),
  ),
  direction: Defaulting(
    OneOf(['both', ...directions], '`forward` to customers, `backward` to vendors, or `both`.', {
      both: 'Both',
      forward: 'Forward',
      backward: 'Backward',
    }),
    'both',
  ),
  show: Defaulting(
    OneOf(
      shows,
      '`links` between batches, `batches` with their balances, `parties` for a recall list, or `events` for authorities.',
      {
        links: 'Links between batches',
        batches: 'Mass balance',
        parties: 'Recall list',
        events: 'Sheet for authorities',
      },
    ),
    'links',
  ),
}

export type Asked = Values<typeof request>
export type TraceShape = ShapeSpec<typeof request>

const directionsOf = ({ direction }: Pick<Asked, 'direction'>): readonly Direction[] =>
  direction === 'both' ? directions : [direction]

/** The groups whose parties the caller asks to see by name. */
export const groupsNamed = ({ show, ...asked }: Asked): readonly Group[] =>
  show === 'links' || show === 'batches'
    ? []
    : directionsOf(asked).map((direction) => (direction === 'forward' ? 'sales' : 'purchase'))

/** The movements of the order, the invoice or the receipt that the trace starts with; undefined if it starts with a batch. */
function ofDocument({ order_no, invoice_no, grn_no }: Asked): Sql | undefined {
  if (order_no !== undefined) return sql`select m.* from stock_movement m where m.order_no = ${order_no}`
  if (grn_no !== undefined)
    return sql`
      select m.* from stock_movement m
       where (m.po_no, m.grn_no) in (select g.po_no, g.grn_no from goods_receipt g where g.grn_no = ${grn_no})`
  if (invoice_no !== undefined)
    return sql`
      select m.* from stock_movement m where m.invoice_no = ${invoice_no}
      union all
      select m.* from stock_movement m
       where (m.order_no, m.order_line_no) in (
         select x.order_no, x.order_line_no from invoice n join invoice_line x on x.invoice_no = n.invoice_no
          where n.invoice_no = ${invoice_no})`
  return undefined
}

const isOfItem = ({ sku }: Asked): Sql => only(sku, (code) => sql`i.sku = ${code}`)

function startsOf(asked: Asked): Sql {
  const moved = ofDocument(asked)
  return moved === undefined
    ? sql`select b.item_id, b.batch_no, i.sku from batch b join item i on i.id = b.item_id
           where b.batch_no = ${asked.batch_no ?? ''} ${isOfItem(asked)}`
    : sql`select distinct m.item_id, m.batch_no, i.sku from (${moved}) m join item i on i.id = m.item_id
           where m.batch_no is not null ${isOfItem(asked)}`
}

/** A batch. As JSON it is a key of a statement. */
interface Reached {
  readonly item_id: number
  readonly batch_no: string
}

/** Materialized, because Citus joins no function with a distributed table. */
const keysOf = (keys: readonly object[]): Sql => sql`
  with k as materialized (
    select * from json_to_recordset(${JSON.stringify(keys)}::json) k (item_id integer, batch_no text))`

/** The batches that some batches went into, and the batches that went into them. */
const next: Readonly<Record<Direction, (keys: readonly object[]) => Sql>> = {
  forward: (keys) => sql`${keysOf(keys)}
    select distinct m.for_item_id as item_id, m.for_batch_no as batch_no
      from k join stock_movement m on m.item_id = k.item_id and m.batch_no = k.batch_no
     where m.kind = 'consumption' and m.for_batch_no is not null`,
  backward: (keys) => sql`${keysOf(keys)}
    select distinct m.item_id, m.batch_no
      from k join stock_movement m on m.for_item_id = k.item_id and m.for_batch_no = k.batch_no
     where m.batch_no is not null`,
}

/** Each batch of the trace once per direction, with the smallest number of links from a start: level by level. */
function reached(asked: Asked): Computed {
  const columns = ['item_id', 'batch_no']
  return new Computed({
    name: 'trace 1',
    given: { direction: asked.direction, startsWithBatch: asked.batch_no !== undefined },
    reads: { starts: { columns: [...columns, 'sku'], query: startsOf(asked) } },
    asks: {
      forward: (keys) => ({ columns, query: next.forward(keys) }),
      backward: (keys) => ({ columns, query: next.backward(keys) }),
    },
    async compute({ starts = [] }, _signal, ask) {
      if (asked.batch_no !== undefined) refuseSeveral(starts.map(({ sku }) => sku ?? ''))
      const found: object[] = []
      for (const direction of directionsOf(asked)) {
        const seen = new Set<string>()
        let rows = starts
        for (let depth = 0; rows.length > 0; depth++) {
          const level: Reached[] = []
          for (const { item_id, batch_no } of rows) {
            const key = `${item_id} ${batch_no}`
            if (seen.has(key)) continue
            seen.add(key)
            level.push({ item_id: Number(item_id), batch_no: batch_no as string })
          }
          found.push(...level.map((batch) => ({ direction, depth, ...batch })))
          rows = level.length === 0 ? [] : await ask(direction, level)
        }
      }
      return found
    },
  })
}

const MOST_NAMED = 20

function refuseSeveral(skus: readonly string[]): void {
  if (skus.length < 2) return
  const named = skus.toSorted().slice(0, MOST_NAMED).join(', ')
  const more = skus.length > MOST_NAMED ? ` and ${skus.length - MOST_NAMED} more` : ''
  throw new Problem('invalid-parameters', {
    errors: [{ field: 'sku', message: `is required: ${named}${more} have a batch of this number; give one of them` }],
  })
}

/**
 * One row, of which the planner expects 1,000. It expects a thousandth of the movements that a batch has, as if items and batch numbers were
 * independent, and would look for the document of each movement among all others (docs/decisions/0048).
 */
export const MANY = raw(`regexp_split_to_table('one', ',') many`)

/**
 * `reached` has the batches of the trace, once per direction, and `traced` each once. `moved` has the movements between them and
 * customers (forward) or vendors (backward), with the depth of the link; and what the document of the start moved without a batch.
 */
export function tables(asked: Asked): Sql {
  const document = ofDocument(asked)
  const columns =
    raw(`m.kind, m.item_id, m.batch_no, m.warehouse_id, m.movement_date, m.qty, m.order_no, m.order_line_no, m.invoice_no,
                       m.po_no, m.grn_no, m.for_item_id, m.for_batch_no, m.work_order_no`)
  const isForward = raw(`m.kind in ('issue', 'sales_return')`)
  const withoutBatch =
    document &&
    sql`
      union all
      select d.*
        from (select case when ${isForward} then 'forward' else 'backward' end as direction, 1 as depth, ${columns}
                from (${document}) m join item i on i.id = m.item_id
               where m.batch_no is null ${isOfItem(asked)}) d
       where d.direction = any(${[...directionsOf(asked)]}::text[])`
  return sql`
    reached as materialized (
      select * from json_to_recordset(${reached(asked)}::json) r (direction text, depth integer, item_id integer, batch_no text)),
    traced as materialized (select distinct item_id, batch_no from reached),
    found as materialized (
      select r.direction, r.depth + 1 as depth, ${columns}
        from reached r join stock_movement m on m.item_id = r.item_id and m.batch_no = r.batch_no
       where case r.direction when 'forward' then ${isForward} else m.kind in ('purchase_receipt', 'vendor_return') end
      ${withoutBatch ?? raw('')}),
    moved as materialized (select found.* from found cross join ${MANY})`
}

/** Joins movements `m` of the table `from` with the customer `c` or the vendor `v`, and the order `o` with its own address. */
export const withParties = (from: 'moved' | 'sold' | 'happened'): Sql =>
  raw(`
    left join (select order_no, customer_code, shipping_buyer, shipping_address1, shipping_address2, shipping_city, shipping_state,
                      shipping_country, shipping_pincode, shipping_gstn, shipping_phone, shipping_email
                 from sales_order where order_no in (select order_no from ${from})) o on o.order_no = m.order_no
    left join (select invoice_no, coalesce(customer_code, order_customer_code) as customer_code
                 from invoice_with_order where invoice_no in (select invoice_no from ${from})) n on n.invoice_no = m.invoice_no
    left join customer c on c.code = coalesce(o.customer_code, n.customer_code)
    left join (select po_no, vendor_code from purchase_order where po_no in (select po_no from ${from})) po on po.po_no = m.po_no
    left join vendor v on v.code = po.vendor_code`)

/** The number of the document of a movement between the account and a party: of the receipt, the order, or an invoice without one. */
export const documentNo = 'coalesce(m.order_no, m.invoice_no, m.grn_no)'

/** An address in one line, without the parts that are empty. */
export const inOneLine = (parts: readonly string[]): string =>
  `concat_ws(', ', ${parts.map((part) => `nullif(${part}, '')`).join(', ')})`

export const placeParts = ['address1', 'address2', 'city', 'state', 'pincode', 'country'] as const
