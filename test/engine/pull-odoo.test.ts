/** The connector for Odoo, on a copy of an Odoo database: Millbook's figures equal Odoo's. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, it, onTestFinished } from 'vitest'
import { connect, type Db } from '../../src/db/connect.js'
import { isOddity, verify } from '../../src/import/pipeline/verify.js'
import { databaseOrigin } from '../../src/pull/origin.js'
import { pull } from '../../src/pull/pull.js'
import { engine, makeTarget, openTestDatabase } from '../setup/database.js'
import { amounts, byKey, ledger, type Row, reported } from '../setup/pulled.js'
import { type Service, startService } from '../setup/service.js'
import { inLongTier } from '../setup/tier.js'

/** The PostgreSQL URL of an Odoo database without other connections; its user may create databases. The test works on a copy. */
const SOURCE = process.env['MILLBOOK_ODOO_URL']
const TIME_ZONE = process.env['MILLBOOK_ODOO_TIME_ZONE'] ?? 'Europe/Berlin'

/** Figures of Odoo's first company, from its own tables. */
async function itsFigures(odoo: Db) {
  const read = async (query: string): Promise<Record<string, string>> => byKey(await odoo.unsafe(query))
  const company = '(select min(id) from res_company)'
  const quants = `
    from stock_quant q
    join stock_location l on l.id = q.location_id and l.usage in ('internal', 'transit') and l.company_id = ${company}
    left join stock_warehouse w on w.id = l.warehouse_id
    join product_product p on p.id = q.product_id
    join product_template t on t.id = p.product_tmpl_id
    left join stock_lot o on o.id = q.lot_id,
    lateral (select coalesce(nullif(p.default_code, ''), 'P' || p.id) as sku, coalesce(w.name, l.complete_name) as place) x`
  const documents = (table: string, states: string, sign = '1') =>
    read(`select d.name as key, concat_ws(' ', round(d.amount_untaxed * ${sign}, 2), round(d.amount_tax * ${sign}, 2),
                                          round(d.amount_total * ${sign}, 2), c.name) as value
            from ${table} d join res_currency c on c.id = d.currency_id
           where d.company_id = ${company} and ${states}`)
  return {
    stock:
      await read(`select x.sku || ' in ' || x.place as key, sum(q.quantity)::numeric(20, 4)::text as value ${quants}
                        group by 1 having round(sum(q.quantity), 4) <> 0`),
    lots: await read(`select x.sku || ' ' || o.name || ' in ' || x.place as key, sum(q.quantity)::numeric(20, 4)::text as value ${quants}
                       where o.id is not null group by 1 having round(sum(q.quantity), 4) <> 0`),
    /** Stock on hand, at the cost of its product or lot. */
    worth: await read(`select x.sku || ' in ' || x.place as key,
                              round(sum(q.quantity * (case when t.lot_valuated then o.standard_price else p.standard_price end ->> ${company}::text)::numeric), 4)::text as value ${quants}
                        where q.owner_id is null or q.owner_id = (select partner_id from res_company where id = ${company})
                        group by 1`),
    sales: await documents('sale_order', `d.state = 'sale'`),
    purchases: await documents('purchase_order', `d.state = 'purchase'`),
    invoices: await documents(
      'account_move',
      `d.state = 'posted' and d.move_type in ('out_invoice', 'out_refund', 'out_receipt')`,
      `case d.move_type when 'out_refund' then -1 else 1 end`,
    ),
    /** Per line of a sale, in its unit: quantity, amount before tax and delivered quantity. */
    sold: await read(`
      select s.name || ' ' || row_number() over (partition by s.id order by l.sequence, l.id) as key,
             concat_ws(' ', round(l.product_uom_qty, 4), round(l.price_subtotal, 2),
                       case when t.is_storable then round(l.qty_delivered, 2) end) as value
        from sale_order s
        join sale_order_line l on l.order_id = s.id and l.display_type is null
        left join product_product p on p.id = l.product_id
        left join product_template t on t.id = p.product_tmpl_id
       where s.company_id = ${company} and s.state = 'sale'`),
    /** Per line of a purchase, in its unit: quantity, amount before tax and received quantity. */
    bought: await read(`
      select o.name || ' ' || row_number() over (partition by o.id order by l.sequence, l.id) as key,
             concat_ws(' ', round(l.product_qty, 4), round(l.price_subtotal, 2), (
               select round(sum(m.quantity * u.factor / v.factor), 2)
                 from stock_move m join uom_uom u on u.id = m.product_uom join uom_uom v on v.id = l.product_uom_id
                 join stock_location f on f.id = m.location_id and f.usage = 'supplier'
                where m.purchase_line_id = l.id and m.state = 'done' and t.is_storable)) as value
        from purchase_order o
        join purchase_order_line l on l.order_id = o.id and l.display_type is null
        left join product_product p on p.id = l.product_id
        left join product_template t on t.id = p.product_tmpl_id
       where o.company_id = ${company} and o.state = 'purchase'`),
    /** Lead times of the vendors that hold today, by item and vendor: of the smallest quantity, of the variant before all variants. */
    terms: await read(`
      select distinct on (1) coalesce(nullif(btrim(p.default_code), ''), 'P' || p.id) || ' ' || coalesce(nullif(btrim(v.ref), ''), 'P' || v.id) as key,
             s.delay::text as value
        from product_supplierinfo s
        join res_partner r on r.id = s.partner_id and r.active
        join res_partner v on v.id = r.commercial_partner_id
        join product_product p on p.product_tmpl_id = s.product_tmpl_id and coalesce(s.product_id, p.id) = p.id
        join product_template t on t.id = p.product_tmpl_id and coalesce(t.company_id, ${company}) = ${company}
       where coalesce(s.company_id, ${company}) = ${company}
         and current_date between coalesce(s.date_start, '-infinity') and coalesce(s.date_end, 'infinity')
       order by 1, s.product_id, s.min_qty, s.sequence, s.id`),
    /** Components and products of a production, by its number and item. */
    made: await read(`
      select o.name || ' ' || coalesce(nullif(p.default_code, ''), 'P' || p.id) as key,
             sum((case when m.production_id is null then -1 else 1 end) * m.quantity * u.factor / v.factor)::numeric(20, 4)::text as value
        from mrp_production o
        join stock_move m on o.id in (m.production_id, m.raw_material_production_id) and m.state = 'done'
        join product_product p on p.id = m.product_id
        join product_template t on t.id = p.product_tmpl_id and t.is_storable
        join uom_uom u on u.id = m.product_uom
        join uom_uom v on v.id = t.uom_id
       where o.company_id = ${company}
       group by 1`),
  }
}

/** Order lines as in Odoo's figures above, with the document's quantity and amount, which `given` keeps if they were converted. */
const ourSold = (db: Db): Promise<Row[]> =>
  db.unsafe(`
    with moved as (
      select order_no, order_line_no, item_id, sum(case kind when 'issue' then qty else -qty end) as qty
        from stock_movement where order_no is not null group by 1, 2, 3)
    select l.order_no || ' ' || l.line_no as key,
           concat_ws(' ', coalesce((l.given ->> 'qty')::numeric, l.qty)::numeric(20, 4),
                     coalesce((l.given ->> 'taxable_amt')::numeric, l.taxable_amt)::numeric(20, 2),
                     case i.type when 'SRV' then null
                                 when 'COMBO' then (
                                   select round(min(coalesce(m.qty, 0) / c.qty), 2)
                                     from combo_line c
                                     left join moved m on m.order_no = l.order_no and m.order_line_no = l.line_no and m.item_id = c.component_id
                                    where c.combo_id = i.id)
                                 else round(coalesce(m.qty, 0) * coalesce(u.divisor / u.factor, 1), 2) end) as value
      from sales_order_line l
      join sales_order o on o.order_no = l.order_no and o.state <> 'CANCELLED'
      left join item i on i.id = l.item_id
      left join item_unit u on u.item_id = l.item_id and u.unit = l.unit
      left join moved m on m.order_no = l.order_no and m.order_line_no = l.line_no and m.item_id = l.item_id`)
const ourBought = (db: Db): Promise<Row[]> =>
  db.unsafe(`
    select l.po_no || ' ' || l.line_no as key,
           concat_ws(' ', coalesce((l.given ->> 'qty')::numeric, l.qty)::numeric(20, 4),
                     coalesce((l.given ->> 'taxable_amt')::numeric, l.taxable_amt)::numeric(20, 2),
                     round(g.qty * coalesce(u.divisor / u.factor, 1), 2)) as value
      from purchase_order_line l
      join purchase_order o on o.po_no = l.po_no and o.state <> 'CANCELLED'
      left join item_unit u on u.item_id = l.item_id and u.unit = l.unit
      left join (select po_no, po_line_no, sum(accepted_qty) as qty from goods_receipt_line group by 1, 2) g
        on g.po_no = l.po_no and g.po_line_no = l.line_no`)

async function compare(service: Service, its: Awaited<ReturnType<typeof itsFigures>>): Promise<void> {
  const { db } = service
  const range = { from_date: '2000-01-01', to_date: new Date().toISOString().slice(0, 10) }
  expect(await ledger(db, `i.sku || ' in ' || w.location`, 'm.qty')).toEqual(its.stock)
  expect(await ledger(db, `i.sku || ' ' || m.batch_no || ' in ' || w.location`, 'm.qty')).toEqual(its.lots)
  const worth = await ledger(db, `i.sku || ' in ' || w.location`, 'm.val')
  const far = [...new Set([...Object.keys(worth), ...Object.keys(its.worth)])].filter(
    (place) => Math.abs(Number(worth[place] ?? 0) - Number(its.worth[place] ?? 0)) > 0.001,
  )
  expect(far.map((place) => [place, worth[place], its.worth[place]])).toEqual([])

  // The stock report shows the same figures.
  const finished = await reported(service, '/v1/inventory/fg-stock-status', { type: 'ALL', tax: '0', ...range })
  for (const row of finished as Row[]) {
    const place = `${row['Product_sku']} in ${row['warehouse']}`
    expect([place, row['Closing_qty']]).toEqual([place, its.stock[place] ?? '0.0000'])
  }
  expect(finished.length).toBeGreaterThan(0)

  const documents = async (path: string, number: string, state: string, names: readonly string[]) =>
    Object.fromEntries(
      (await reported(service, path, range))
        .filter((row: Row) => row[state] !== 'CANCELLED' && row[state] !== 'Cancelled')
        .map((row: Row) => [row[number], amounts(row, names)]),
    )
  const ofOrders = ['taxable_amt', 'tax_amt', 'total_amt']
  expect(await documents('/v1/sales-orders', 'order_no', 'order_status', ofOrders)).toEqual(its.sales)
  expect(await documents('/v1/purchase-orders/list', 'pono', 'po_status', ofOrders)).toEqual(its.purchases)
  const ofInvoices = ['sub_total', 'total_tax', 'final_amt']
  expect(await documents('/v1/sales/invoices', 'invoice_no', 'invoice_status', ofInvoices)).toEqual(its.invoices)
  expect(
    byKey(
      await db`select i.sku || ' ' || t.vendor_code as key, t.lead_days::text as value from item_vendor t join item i on i.id = t.item_id`,
    ),
  ).toEqual(its.terms)
  const transfers: Row[] = await db`
    select transfer_no, item_id, batch_no from stock_movement where kind in ('transfer_in', 'transfer_out')
     group by 1, 2, 3 having sum(case kind when 'transfer_in' then qty else -qty end) <> 0 or transfer_no is null`
  expect(transfers).toEqual([])
  expect(byKey(await ourSold(db))).toEqual(its.sold)
  expect(byKey(await ourBought(db))).toEqual(its.bought)
  expect(await ledger(db, `m.work_order_no || ' ' || i.sku`, 'm.qty')).toEqual(its.made)
}

/** Changes a sale, deletes another, and adds a purchase and its receipt dated before all others, in Odoo's tables. */
const CHANGE = `
  update sale_order set client_order_ref = 'CHANGED' where id = (select min(id) from sale_order where state = 'sale');
  delete from sale_order where id = (select min(id) from sale_order where state = 'cancel');
  create temporary table back as
    select o.id as purchase, l.id as line, m.id as move, m.picking_id as picking, d.id as move_line, q.id as quant, d.quantity_product_uom as qty
      from purchase_order o
      join purchase_order_line l on l.order_id = o.id
      join stock_move m on m.purchase_line_id = l.id and m.state = 'done' and m.is_in
      join stock_move_line d on d.move_id = m.id
      join stock_quant q on q.product_id = m.product_id
     order by m.id, d.id, q.id limit 1;
  insert into purchase_order select (jsonb_populate_record(t, '{"id": 900001, "name": "BACK-1", "date_order": "2020-02-03T10:00:00", "date_approve": "2020-02-03T10:00:00"}')).*
    from purchase_order t join back on t.id = back.purchase;
  insert into purchase_order_line select (jsonb_populate_record(t, '{"id": 900001, "order_id": 900001}')).* from purchase_order_line t join back on t.id = back.line;
  insert into stock_picking select (jsonb_populate_record(t, '{"id": 900001, "name": "BACK/IN/1"}')).* from stock_picking t join back on t.id = back.picking;
  insert into stock_move select (jsonb_populate_record(t, jsonb_build_object('id', 900001, 'picking_id', 900001, 'purchase_line_id', 900001,
                                  'date', '2020-02-05T10:00:00', 'quantity', t.quantity * back.qty / d.whole))).*
    from stock_move t join back on t.id = back.move
    join (select move_id, sum(quantity_product_uom) as whole from stock_move_line group by 1) d on d.move_id = t.id;
  insert into stock_move_line select (jsonb_populate_record(t, '{"id": 900001, "move_id": 900001, "picking_id": 900001}')).* from stock_move_line t join back on t.id = back.move_line;
  insert into stock_quant select (jsonb_populate_record(t, jsonb_build_object('id', 900001, 'location_id', d.location_dest_id, 'lot_id', d.lot_id,
                                   'quantity', back.qty, 'reserved_quantity', 0, 'owner_id', null))).*
    from stock_quant t join back on t.id = back.quant join stock_move_line d on d.id = back.move_line;
  update purchase_order d set amount_untaxed = l.price_subtotal, amount_tax = l.price_total - l.price_subtotal, amount_total = l.price_total
    from purchase_order_line l where d.id = 900001 and l.order_id = d.id`

it('a credit note belongs to the return of the same lines and quantities, the nth to the nth', async () => {
  const database = await openTestDatabase()
  onTestFinished(() => database.drop())
  const invoices = await readFile(new URL('../../connectors/odoo/invoices.sql', import.meta.url), 'utf8')
  // The parts of common.sql that the query reads, as tables.
  const found = await database.db.begin(async (tx) => {
    await tx.unsafe(`
      create temporary table account_move (id, move_type, state, reversed_entry_id, invoice_date_due, ref) on commit drop as
        select id, type, state, case when type = 'out_refund' then 1 end, null::date, null
          from (values (1, 'out_invoice', 'posted'), (2, 'out_refund', 'posted'), (3, 'out_refund', 'posted'), (4, 'out_refund', 'posted'),
                       (5, 'out_refund', 'cancel'), (6, 'out_refund', 'posted')) v (id, type, state);
      create temporary table document on commit drop as
        select 'invoice' as kind, id, 'INV/' || id as number, 7 as party, '2026-05-01'::date as day, state, 100 as taxable_amt, 0 as tax_amt,
               100 as total_amt, 'EUR' as currency_code, null::numeric as exchange_rate from account_move;
      create temporary table party on commit drop as select 7 as id, 'C7' as code;
      create temporary table account_move_line (move_id int, amount_currency numeric, display_type text, tax_repartition_line_id int) on commit drop;
      create temporary table sale_item (id, number, line_no) on commit drop as values (11, 'S1', 1), (12, 'S1', 2);
      create temporary table invoice_item (document, id, stock_qty) on commit drop as
        values (1, 100, 10.0), (1, 101, 5.0), (2, 102, -2.00), (3, 103, -2.0), (4, 104, -2.0), (4, 105, -1.0), (5, 106, -2.0), (6, 107, -4.0);
      create temporary table sale_order_line_invoice_rel (invoice_line_id, order_line_id) on commit drop as
        values (100, 11), (101, 12), (102, 11), (103, 11), (104, 11), (105, 12), (106, 11), (107, 11);
      create temporary table returned (return_no, order_no, order_line_no, day, qty, taxable_amt) on commit drop as
        values ('R3', 'S1', 1, '2026-04-03'::date, 2.0, 20), ('R1', 'S1', 1, '2026-04-01'::date, 1.5, 15), ('R1', 'S1', 1, '2026-04-01'::date, 0.5, 5),
               ('R2', 'S1', 1, '2026-04-02'::date, 2.0, 20), ('R2', 'S1', 2, '2026-04-02'::date, 1.0, 10),
               ('R4', 'S1', 1, '2026-04-01'::date, 4.0, 0)`)
    return tx.unsafe(`with nothing as (select 1)${invoices}`)
  })
  expect(found.map((row) => [row['invoice_no'], row['kind'], row['credit_for'], row['return_no']])).toEqual([
    ['INV/1', 'INVOICE', null, null],
    ['INV/2', 'CREDIT NOTE', 'INV/1', 'R1'],
    ['INV/3', 'CREDIT NOTE', 'INV/1', 'R3'],
    ['INV/4', 'CREDIT NOTE', 'INV/1', 'R2'],
    ['INV/5', 'CREDIT NOTE', 'INV/1', null], // cancelled
    ['INV/6', 'CREDIT NOTE', 'INV/1', null], // the goods came back without a credit: another matter
  ])
})

inLongTier(
  'stock, sales and purchases equal those of Odoo, at first and after a change, a deletion and a back-dated document',
  async (context) => {
    if (engine !== 'server') return context.skip('the copy of an Odoo database is pulled by both engines in one test')
    if (SOURCE === undefined) return context.skip('MILLBOOK_ODOO_URL names no database of an Odoo 19')
    const original = new URL(SOURCE).pathname.slice(1)
    const copy = `millbook_copy_${randomBytes(6).toString('hex')}`
    const at = (name: string) => Object.assign(new URL(SOURCE), { pathname: `/${name}` }).href
    const admin = await connect({ url: at('postgres') })
    await admin.db.unsafe(`create database ${copy} template "${original}"`)
    const odoo = await connect({ url: at(copy) })
    const service = await startService()
    const { database, db } = service
    const small = await makeTarget('migrated', 'embedded')
    const embedded = await connect(small.target)
    try {
      const origin = databaseOrigin('odoo', at(copy), { time_zone: TIME_ZONE })
      const first = await pull(database, origin)
      expect([first.errors, first.committed]).toEqual([{ count: 0, first: [] }, true])
      await compare(service, await itsFigures(odoo.db))
      expect((await verify(database, { rebuild: false })).filter((finding) => !isOddity(finding))).toEqual([])
      expect((await pull(database, origin)).dataVersion).toBe(1)
      expect((await pull(embedded, origin)).entities).toEqual(first.entities)

      await odoo.db.unsafe(CHANGE)
      for (const one of [embedded, database]) {
        const { errors, entities, dataVersion } = await pull(one, origin)
        expect([errors.first, dataVersion]).toEqual([[], 2])
        expect(entities).toMatchObject({
          sales_orders: { new: 0, changed: 1, removed: 1 },
          purchase_orders: { new: 1, changed: 0, removed: 0 },
          purchase_order_items: { new: 1, changed: 0, removed: 0 },
          goods_receipts: { new: 1, changed: 0, removed: 0 },
        })
        expect((await pull(one, origin)).dataVersion).toBe(2)
      }
      const figures = await itsFigures(odoo.db)
      await compare(service, figures)
      expect(await ledger(embedded.db, `i.sku || ' in ' || w.location`, 'm.qty')).toEqual(figures.stock)
      const [earliest] = await db`select min(movement_date)::text as day from stock_movement`
      expect(earliest).toEqual({ day: '2020-02-05' })
    } finally {
      await embedded.close()
      await small.drop()
      await service.close()
      await odoo.close()
      await admin.db.unsafe(`drop database ${copy} with (force)`)
      await admin.close()
    }
  },
)
