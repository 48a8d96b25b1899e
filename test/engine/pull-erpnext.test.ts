/** The connector for ERPNext, on the database of a site: Millbook's stock and sales figures equal ERPNext's. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { findMariadb } from '../../scripts/test-needs.mjs'
import type { Db } from '../../src/db/connect.js'
import { verify } from '../../src/import/pipeline/verify.js'
import { kinds } from '../../src/ledger/kinds.js'
import { databaseOrigin } from '../../src/pull/origin.js'
import { pull } from '../../src/pull/pull.js'
import { type Mariadb, startMariadb } from '../setup/mariadb.js'
import { startService } from '../setup/service.js'
import { inLongTier } from '../setup/tier.js'

/** A dump of a site's database, as mariadb-dump writes it, compressed by gzip or not. */
const DUMP = process.env['MILLBOOK_ERPNEXT_DUMP']
const TIME_ZONE = process.env['MILLBOOK_ERPNEXT_TIME_ZONE'] ?? 'Europe/Berlin'

/** Every site has these tables, but a dump of the others is enough for the figures. */
const SMALL_TABLES = Object.entries({
  'Item Supplier': 'parent, parenttype, supplier',
  'Item Default': 'parent, parenttype, company, default_supplier',
  'Item Barcode': 'parent, parenttype, barcode, barcode_type, uom',
  'Item Price': 'item_code, uom, price_list, supplier, batch_no, currency',
})
  .map(([name, texts]) => {
    const columns = texts.split(', ').map((column) => `${column} varchar(140)`)
    const more =
      name === 'Item Price'
        ? `packing_unit int(11) not null default 0, buying int(1) not null default 0, valid_from date, valid_upto date,
           lead_time_days int(11) not null default 0, price_list_rate decimal(21, 9) not null default 0,`
        : ''
    return `create table if not exists \`tab${name}\` (name varchar(140) primary key, creation datetime(6),
              idx int(8) not null default 0, ${more} ${columns.join(', ')})`
  })
  .join(';')

type Figures = Record<string, string>
const figures = (rows: readonly Record<string, unknown>[]): Figures =>
  Object.fromEntries(rows.map(({ place, qty, val }) => [String(place), `${qty} ${val}`]))

/** Quantity and value of every item in every warehouse. */
const itsStock = async (erp: Mariadb) =>
  figures(
    await erp.run(
      'site',
      `select concat(item_code, ' in ', warehouse) as place, round(actual_qty, 4) as qty, round(stock_value, 2) as val
         from tabBin where actual_qty <> 0 or abs(stock_value) >= 0.005`,
    ),
  )
const ourStock = async (db: Db) => {
  const sign = Object.entries(kinds).map(([kind, { stock }]) => `when '${kind}' then ${stock}`)
  return figures(
    await db.unsafe(`
      select i.sku || ' in ' || w.code as place, sum(s.sign * m.qty)::numeric(20, 4)::text as qty,
             sum(s.sign * m.val)::numeric(20, 2)::text as val
        from stock_movement m join item i on i.id = m.item_id join warehouse w on w.id = m.warehouse_id,
             lateral (select case m.kind::text ${sign.join(' ')} end as sign) s
       group by 1 having sum(s.sign * m.qty) <> 0 or abs(sum(s.sign * m.val)) >= 0.005`),
  )
}

/** Net amount of every customer's submitted invoices. */
const itsSales = async (erp: Mariadb) =>
  figures(
    await erp.run(
      'site',
      `select customer as place, count(*) as qty, round(sum(base_net_total), 2) as val
         from \`tabSales Invoice\` where docstatus = 1 group by customer`,
    ),
  )
const ourSales = async (db: Db) =>
  figures(
    await db`
    select coalesce(i.customer_code, o.customer_code) as place, count(distinct i.invoice_no)::text as qty,
           sum(l.taxable_value)::text as val
      from invoice i join invoice_line l using (invoice_no) left join sales_order o on o.order_no = i.order_no
     where i.status = 'Submitted' group by 1`,
  )

inLongTier(
  'stock and sales equal those of ERPNext, at first and after changes, deletions and back-dated vouchers',
  async (context) => {
    if (DUMP === undefined) context.skip('MILLBOOK_ERPNEXT_DUMP names no dump of an ERPNext site')
    if (findMariadb() === undefined) context.skip('MariaDB is not installed')
    const erp = await startMariadb()
    const service = await startService()
    const { database, db } = service
    try {
      await erp.run('mysql', 'create database site character set utf8mb4 collate utf8mb4_unicode_ci')
      const dump = readFileSync(DUMP as string)
      erp.load('site', dump[0] === 0x1f ? gunzipSync(dump) : dump)
      await erp.run('site', SMALL_TABLES)
      const origin = databaseOrigin('erpnext', erp.url('site'), { time_zone: TIME_ZONE })
      const compare = async () => {
        expect(await ourStock(db)).toEqual(await itsStock(erp))
        expect(await ourSales(db)).toEqual(await itsSales(erp))
      }

      const first = await pull(database, origin)
      expect([first.errors, first.committed]).toEqual([{ count: 0, first: [] }, true])
      await compare()
      expect(Object.keys(await ourStock(db)).length).toBeGreaterThan(3)
      expect(await verify(database, { rebuild: false })).toEqual([])
      expect((await pull(database, origin)).dataVersion).toBe(1)

      // The stock report shows the same figures.
      const today = new Date().toISOString().slice(0, 10)
      const stock = await service.call({
        path: '/v1/inventory/fg-stock-status',
        body: { from_date: today, to_date: today, type: 'FG', tax: 0 },
      })
      const closing = Object.fromEntries(
        stock
          .json()
          .data.flatMap((row: Record<string, string>) =>
            Number(row['Closing_qty']) === 0
              ? []
              : [[`${row['Product_sku']} in ${row['warehouse']}`, row['Closing_qty']]],
          ),
      )
      const theirs = await erp.run(
        'site',
        `select concat(b.item_code, ' in ', w.warehouse_name) as place, round(b.actual_qty, 4) as qty
         from tabBin b join tabWarehouse w on w.name = b.warehouse where b.actual_qty <> 0 and b.item_code like 'FG-%'`,
      )
      expect(closing).toEqual(Object.fromEntries(theirs.map(({ place, qty }) => [place, qty])))

      // ERPNext's hourly renaming of entries makes no new version.
      await erp.run('site', 'update `tabStock Ledger Entry` set name = concat("renamed-", name)')
      expect((await pull(database, origin)).dataVersion).toBe(1)

      // One changed order, one deleted invoice, one cancelled transfer, and a receipt that is dated before others.
      await erp.run(
        'site',
        `set @order = (select min(name) from \`tabSales Order\`), @invoice = (select max(name) from \`tabSales Invoice\`);
       update \`tabSales Order\` set po_no = 'PO-77' where name = @order;
       delete from \`tabSales Invoice Item\` where parent = @invoice; delete from \`tabSales Invoice\` where name = @invoice;
       set @transfer = (select max(name) from \`tabStock Entry\` where purpose = 'Material Issue' and docstatus = 1);
       update \`tabStock Entry\` set docstatus = 2 where name = @transfer;
       update \`tabStock Ledger Entry\` set is_cancelled = 1 where voucher_no = @transfer;
       set @receipt = (select max(e.name) from \`tabStock Entry\` e join \`tabStock Entry Detail\` d on d.parent = e.name
                        where e.purpose = 'Material Receipt' and e.docstatus = 1 and d.item_code = 'RAW-SUGAR');
       create temporary table e as select * from \`tabStock Entry\` where name = @receipt;
       create temporary table d as select * from \`tabStock Entry Detail\` where parent = @receipt;
       create temporary table l as select * from \`tabStock Ledger Entry\` where voucher_no = @receipt;
       update e set name = 'BACK-1', posting_date = posting_date - interval 3 day;
       update d set name = 'back-1', parent = 'BACK-1';
       update l set name = 'back-1', voucher_no = 'BACK-1', voucher_detail_no = 'back-1', actual_qty = 7, qty_after_transaction = 7,
              stock_value_difference = 21, posting_date = posting_date - interval 3 day,
              posting_datetime = posting_datetime - interval 3 day;
       insert into \`tabStock Entry\` select * from e; insert into \`tabStock Entry Detail\` select * from d;
       insert into \`tabStock Ledger Entry\` select * from l;
       -- As the reposting leaves them: quantities after, and the value that the count takes away.
       update \`tabStock Ledger Entry\` s join \`tabStock Ledger Entry\` c on c.name like '%' and c.voucher_no = @transfer
          set s.qty_after_transaction = s.qty_after_transaction - c.actual_qty
        where s.item_code = c.item_code and s.warehouse = c.warehouse and s.is_cancelled = 0
          and s.posting_datetime > c.posting_datetime and s.voucher_type <> 'Stock Reconciliation';
       update \`tabStock Ledger Entry\` set qty_after_transaction = qty_after_transaction + 7
        where item_code = 'RAW-SUGAR' and warehouse = 'Stores - LB' and is_cancelled = 0 and voucher_no <> 'BACK-1'
          and voucher_type <> 'Stock Reconciliation';
       set @lost = (select stock_value_difference from \`tabStock Ledger Entry\` where voucher_no = @transfer);
       update \`tabStock Ledger Entry\` set stock_value_difference = stock_value_difference - 21 + @lost
        where voucher_type = 'Stock Reconciliation'`,
      )
      const changed = await pull(database, origin)
      expect([changed.errors.first, changed.dataVersion]).toEqual([[], 2])
      expect(changed.entities).toMatchObject({
        sales_orders: { new: 0, changed: 1, removed: 0 },
        invoices: { new: 0, changed: 0, removed: 1 },
        stock_movements: { new: 1, changed: 1, removed: 1 }, // the receipt; the count; the cancelled issue
      })
      await compare()
      expect((await pull(database, origin)).dataVersion).toBe(2)

      // The demand of each line is in the warehouse of the line.
      await erp.run(
        'site',
        `set @line = (select max(l.name) from \`tabSales Order Item\` l join \`tabSales Order\` o on o.name = l.parent
                       where o.docstatus = 1 and o.status <> 'Closed' and l.delivered_qty = 0);
         update \`tabSales Order Item\` set warehouse = 'Stores - LB' where name = @line`,
      )
      expect((await pull(database, origin)).errors.first).toEqual([])
      const whole = { from_date: '2000-01-01', to_date: '2099-12-31' }
      const ask = async (path: string, body: object, query = {}) =>
        (await service.call({ path, body, query: { 'per-page': 5000, ...query } })).json().data
      const demanded = await ask('/v1/sales/demand-status', { type: 'CONSOLIDATED', ...whole })
      const open = await erp.run(
        'site',
        `select concat(l.item_code, ' in ', w.warehouse_name) as place, round(sum(l.stock_qty - coalesce(d.qty, 0)), 4) as qty
           from \`tabSales Order Item\` l join \`tabSales Order\` o on o.name = l.parent join tabWarehouse w on w.name = l.warehouse
           left join (select x.so_detail, sum(x.stock_qty) as qty from \`tabDelivery Note Item\` x
                        join \`tabDelivery Note\` n on n.name = x.parent and n.docstatus = 1 and n.is_return = 0
                       group by x.so_detail) d on d.so_detail = l.name
          where o.docstatus = 1 and o.status <> 'Closed' and l.stock_qty > coalesce(d.qty, 0) group by 1`,
      )
      expect(open.length).toBeGreaterThan(1)
      expect(
        Object.fromEntries(
          demanded.map((row: Record<string, string>) => [
            `${row['product_sku']} in ${row['warehouse']}`,
            row['Remaining_qty'],
          ]),
        ),
      ).toEqual(Object.fromEntries(open.map(({ place, qty }) => [place, qty])))

      // A credit note that ERPNext makes from a return of goods is not subtracted a second time.
      const margin = async () =>
        (
          await ask(
            '/v1/sales/gross-margin',
            { type: 'CONSOLIDATED', tax: 0, source: 'INV', ...whole },
            { totals: 'yes' },
          )
        )[0]['profit']
      const before = await margin()
      await erp.run(
        'site',
        `set @back = (select min(n.name) from \`tabDelivery Note\` n join \`tabDelivery Note Item\` l on l.parent = n.name
                       where n.is_return = 1 and n.docstatus = 1 and l.so_detail <> '');
         set @invoice = (select min(i.name) from \`tabSales Invoice\` i where i.docstatus = 1 and i.is_return = 0);
         create temporary table note as select * from \`tabSales Invoice\` where name = @invoice;
         update note set name = 'CN-1', is_return = 1, return_against = @invoice, net_total = -36, grand_total = -36, rounding_adjustment = 0;
         create temporary table line as select * from \`tabSales Invoice Item\` where parent = @invoice limit 1;
         update line x join \`tabDelivery Note Item\` b on b.parent = @back and b.so_detail <> ''
            set x.name = 'cn-1', x.parent = 'CN-1', x.idx = 1, x.item_code = b.item_code, x.qty = b.qty, x.stock_qty = b.stock_qty,
                x.uom = b.uom, x.stock_uom = b.stock_uom, x.conversion_factor = b.conversion_factor,
                x.net_amount = -36, x.so_detail = b.so_detail, x.dn_detail = b.name, x.delivery_note = @back;
         insert into \`tabSales Invoice\` select * from note; insert into \`tabSales Invoice Item\` select * from line`,
      )
      const credited = await pull(database, origin)
      expect([credited.errors.first, credited.warnings.first]).toEqual([[], []])
      expect(await db`select return_no is not null as linked from invoice where invoice_no = 'CN-1'`).toMatchObject([
        { linked: true },
      ])
      expect(await margin()).toBe(before)

      // The suppliers of an item with their terms, the item's number at GS1, and both sides of a transfer.
      await erp.run(
        'site',
        `set @currency = (select default_currency from tabCompany order by creation limit 1),
             @company = (select name from tabCompany order by creation limit 1);
         insert into tabSupplier (name, supplier_name) values ('S-1', 'One'), ('S-2', 'Two'), ('S-3', 'Three');
         update tabItem set lead_time_days = 9, min_order_qty = 25, shelf_life_in_days = 30 where name = 'RAW-SUGAR';
         insert into \`tabUOM Conversion Detail\` (name, idx, parent, parenttype, uom, conversion_factor)
           values ('sack', 9, 'RAW-SUGAR', 'Item', 'Sack', 50);
         insert into \`tabItem Supplier\` (name, parent, parenttype, supplier) values ('s1', 'RAW-SUGAR', 'Item', 'S-1');
         insert into \`tabItem Default\` (name, parent, parenttype, company, default_supplier)
           values ('d1', 'RAW-SUGAR', 'Item', @company, 'S-2'), ('d2', 'RAW-SUGAR', 'Item', 'Another', 'S-3');
         insert into \`tabItem Barcode\` (name, idx, parent, parenttype, barcode, barcode_type, uom)
           values ('b1', 1, 'RAW-SUGAR', 'Item', '4006381333931', 'EAN', 'Sack'), ('b2', 2, 'RAW-SUGAR', 'Item', 'X-1', 'CODE-39', null),
                  ('b3', 3, 'RAW-SUGAR', 'Item', '4006381333948', 'EAN', null);
         insert into \`tabItem Price\` (name, item_code, uom, supplier, currency, buying, price_list_rate, packing_unit, lead_time_days, valid_from, valid_upto)
           values ('p1', 'RAW-SUGAR', null, null, @currency, 1, 0.95, 0, 0, '2020-01-01', null),
                  ('p2', 'RAW-SUGAR', null, null, @currency, 0, 2, 0, 0, '2021-01-01', null),
                  ('p3', 'RAW-SUGAR', 'Sack', 'S-2', @currency, 1, 40, 2, 4, '2021-01-01', null),
                  ('p4', 'RAW-SUGAR', null, 'S-2', @currency, 1, 0.1, 0, 0, '2022-01-01', '2022-12-31'),
                  ('p5', 'RAW-SUGAR', null, 'S-2', 'XXX', 1, 0.2, 0, 0, '2023-01-01', null)`,
      )
      expect((await pull(database, origin)).errors.first).toEqual([])
      expect(
        await db`select i.gtin, i.shelf_life_days, v.vendor_code, v.lead_days, v.min_qty::text, v.multiple::text, v.price::text
                   from item_vendor v join item i on i.id = v.item_id where i.sku = 'RAW-SUGAR' order by v.vendor_code`,
      ).toEqual(
        [
          { vendor_code: 'S-1', lead_days: 9, multiple: null, price: '0.950000' },
          { vendor_code: 'S-2', lead_days: 4, multiple: '100.0000', price: '0.800000' },
        ].map((terms) => ({ gtin: '4006381333948', shelf_life_days: 30, min_qty: '25.0000', ...terms })),
      )
      const transfers = await db`
        select transfer_no, item_id, batch_no, sum(case kind when 'transfer_in' then qty else -qty end)::int as rest, count(*)::int as sides
          from stock_movement where kind in ('transfer_in', 'transfer_out') group by 1, 2, 3`
      expect(transfers.length).toBeGreaterThan(0)
      for (const { transfer_no, rest, sides } of transfers)
        expect([transfer_no, rest, Number(sides) % 2]).toEqual([expect.stringMatching(/./), 0, 0])
    } finally {
      await service.close()
      await erp.stop()
    }
  },
)
