/** Figures of a Dolibarr company from its own tables, and the same figures in Millbook. */
import { expect } from 'vitest'
import type { Db } from '../../src/db/connect.js'
import { byKey, ledger, type Row } from './pulled.js'

/** Runs a query in Dolibarr's database; its rows have a key and a value. */
export type Ask = (query: string) => Promise<Record<string, string | null>[]>
type Figures = Record<string, string>

const SKU = `trim(p.ref)`
const OF_BASE = `(select value from llx_const where name = 'MAIN_MONNAIE' and entity in (0, 1) order by entity desc limit 1)`
/** A document's amounts, in its own currency. */
const amounts = (ht: string, ttc: string) =>
  ['ht', 'ttc']
    .map((which, i) => {
      const own = [ht, ttc][i]
      return `round(if(d.multicurrency_tx > 0 and d.multicurrency_code <> ${OF_BASE}, d.multicurrency_total_${which}, ${own}), 2)`
    })
    .join(`, ' ', `)

export async function itsFigures(ask: Ask) {
  const read = async (query: string) => byKey((await ask(query)) as Row[])
  const documents = (table: string, holds: string) =>
    read(
      `select trim(d.ref) as \`key\`, concat(${amounts('d.total_ht', 'd.total_ttc')}) as value from ${table} d where d.entity = 1 and ${holds}`,
    )
  return {
    stock: await read(`
      select concat(${SKU}, ' in ', trim(w.ref)) as \`key\`, cast(s.reel as decimal(20, 4)) as value
        from llx_product_stock s join llx_product p on p.rowid = s.fk_product join llx_entrepot w on w.rowid = s.fk_entrepot
       where cast(s.reel as decimal(20, 4)) <> 0 and p.entity = 1`),
    lots: await read(`
      select concat(${SKU}, ' ', trim(b.batch), ' in ', trim(w.ref)) as \`key\`, cast(sum(b.qty) as decimal(20, 4)) as value
        from llx_product_batch b join llx_product_stock s on s.rowid = b.fk_product_stock
        join llx_product p on p.rowid = s.fk_product join llx_entrepot w on w.rowid = s.fk_entrepot
       where trim(b.batch) <> '' group by 1 having value <> 0`),
    /** Stock at the average cost, which Dolibarr shows as the value of a warehouse. */
    worth: await read(`
      select concat(${SKU}, ' in ', trim(w.ref)) as \`key\`, round(cast(s.reel as decimal(20, 4)) * p.pmp, 4) as value
        from llx_product_stock s join llx_product p on p.rowid = s.fk_product join llx_entrepot w on w.rowid = s.fk_entrepot
       where round(cast(s.reel as decimal(20, 4)) * p.pmp, 4) <> 0 and p.entity = 1`),
    sales: await documents('llx_commande', 'd.fk_statut > 0'),
    purchases: await documents('llx_commande_fournisseur', 'd.fk_statut in (2, 3, 4, 5)'),
    invoices: await documents('llx_facture', 'd.fk_statut in (1, 2)'),
    /** Shipped quantity of each order and product. */
    shipped: await read(`
      select concat(trim(o.ref), ' ', ${SKU}) as \`key\`, cast(sum(d.qty) as decimal(20, 4)) as value
        from llx_expeditiondet d join llx_expedition e on e.rowid = d.fk_expedition and e.fk_statut in (1, 2)
        join llx_commandedet l on l.rowid = d.fk_elementdet join llx_commande o on o.rowid = l.fk_commande
        join llx_product p on p.rowid = l.fk_product and p.fk_product_type = 0
       where exists (select 1 from llx_stock_mouvement m where m.origintype = 'shipping' and m.fk_origin = e.rowid and m.fk_product = p.rowid)
         and p.rowid not in (select fk_product_pere from llx_product_association)
       group by 1 having value <> 0`),
    received: await read(`
      select concat(trim(o.ref), ' ', ${SKU}) as \`key\`, cast(sum(b.qty) as decimal(20, 4)) as value
        from llx_receptiondet_batch b left join llx_reception r on r.rowid = b.fk_reception
        join llx_commande_fournisseurdet l on l.rowid = b.fk_elementdet join llx_commande_fournisseur o on o.rowid = l.fk_commande
        join llx_product p on p.rowid = b.fk_product
       where b.fk_reception is null or r.fk_statut in (1, 2) group by 1 having value <> 0`),
    made: await read(`
      select concat(trim(o.ref), ' ', ${SKU}) as \`key\`, cast(sum(if(l.role = 'produced', l.qty, -l.qty)) as decimal(20, 4)) as value
        from llx_mrp_production l join llx_mrp_mo o on o.rowid = l.fk_mo and o.mrptype = 0 and o.status <> 0
        join llx_product p on p.rowid = l.fk_product
       where l.role in ('produced', 'consumed') and l.fk_stock_movement > 0 group by 1 having value <> 0`),
  }
}

const figures = async (db: Db, query: string): Promise<Figures> => byKey(await db.unsafe(query))

/** Expects all of Dolibarr's figures in Millbook. */
export async function compare(db: Db, its: Awaited<ReturnType<typeof itsFigures>>): Promise<void> {
  expect(await ledger(db, `i.sku || ' in ' || w.location`, 'm.qty')).toEqual(its.stock)
  expect(await ledger(db, `i.sku || ' ' || m.batch_no || ' in ' || w.location`, 'm.qty')).toEqual(its.lots)
  const worth = await ledger(db, `i.sku || ' in ' || w.location`, 'm.val')
  const far = [...new Set([...Object.keys(worth), ...Object.keys(its.worth)])].filter(
    (place) => Math.abs(Number(worth[place] ?? 0) - Number(its.worth[place] ?? 0)) > 0.0002,
  )
  expect(far.map((place) => [place, worth[place], its.worth[place]])).toEqual([])
  const given = (name: string) => `round(coalesce((given ->> '${name}')::numeric, ${name}), 2)`
  const documents = (table: string, number: string, net: string, total: string, holds: string) =>
    figures(
      db,
      `select ${number} as key, ${given(net)} || ' ' || ${given(total)} as value from ${table} where ${holds}`,
    )
  expect(await documents('sales_order', 'order_no', 'taxable_amt', 'total_amt', `state <> 'CANCELLED'`)).toEqual(
    its.sales,
  )
  expect(await documents('purchase_order', 'po_no', 'taxable_amt', 'total_amt', `state <> 'CANCELLED'`)).toEqual(
    its.purchases,
  )
  expect(await documents('invoice', 'invoice_no', 'sub_total', 'final_amt', `status = 'Submitted'`)).toEqual(
    its.invoices,
  )
  expect(
    await figures(
      db,
      `select m.order_no || ' ' || i.sku as key, sum(m.qty)::numeric(20, 4)::text as value
         from stock_movement m
         join item i on i.id = m.item_id
         join sales_order_line l on l.order_no = m.order_no and l.line_no = m.order_line_no and l.item_id = m.item_id
        where m.kind = 'issue' group by 1`,
    ),
  ).toEqual(its.shipped)
  expect(
    await figures(
      db,
      `select l.po_no || ' ' || i.sku as key, sum(l.accepted_qty)::numeric(20, 4)::text as value
         from goods_receipt_line l
         join purchase_order_line p on p.po_no = l.po_no and p.line_no = l.po_line_no
         join item i on i.id = p.item_id group by 1`,
    ),
  ).toEqual(its.received)
  expect(await ledger(db, `m.work_order_no || ' ' || i.sku`, 'm.qty')).toEqual(its.made)
}
