-- Shared by all queries: each query continues this `with`. MariaDB computes only the parts that a query names.
-- Dolibarr keeps quantities as binary numbers, times in the time zone of its server, and texts of lines as HTML.
with recursive
company as (select cast(coalesce(:entity, '1') as signed) as id),
-- A company's own setting goes before that of all companies.
setting as (
  select s.name, s.value
    from (select s.name, s.value, row_number() over (partition by s.name order by s.entity desc) as nth
            from company c join llx_const s on s.entity in (0, c.id)) s
   where s.nth = 1),
own as (
  select max(case name when 'MAIN_MONNAIE' then trim(value) end) as currency,
         coalesce(max(case name when 'PRODUIT_SOUSPRODUITS' then value end), '0') not in ('', '0') as has_kits,
         coalesce(max(case name when 'FACTURE_DEPOSITS_ARE_JUST_PAYMENTS' then value end), '0') not in ('', '0') as deposits_are_payments,
         coalesce(max(case name when 'MAIN_MAX_DECIMALS_UNIT' then cast(value as signed) end), 5) as decimals
    from setting),
-- MariaDB takes codes for equal that differ in letter case, accents or spaces at their ends; Millbook does not.
product as (
  select p.id, p.name, p.kind, p.tosell, p.tobuy, p.finished, p.price_ttc, p.tva_tx, p.customcode, p.alert, p.pmp, p.fk_default_bom, p.unit, p.created,
         concat(p.code, case when row_number() over (partition by p.code order by p.id) > 1 then concat('#', p.id) else '' end) as sku
    from (select x.rowid as id, trim(x.label) as name, x.fk_product_type as kind, x.tosell, x.tobuy, x.finished, x.price_ttc, x.tva_tx, x.customcode,
                 x.seuil_stock_alerte as alert, x.pmp, x.fk_default_bom, date(coalesce(x.datec, x.tms)) as created,
                 coalesce(nullif(trim(u.short_label), ''), nullif(trim(u.code), ''), 'p') as unit,
                 coalesce(nullif(regexp_replace(x.ref, '^[ \t\r\n]+|[ \t\r\n]+$', ''), ''), concat('P', x.rowid)) as code
            from company c
            join llx_product x on x.entity = c.id and x.fk_product_type in (0, 1)
            left join llx_c_units u on u.rowid = x.fk_unit) p),
place as (
  select e.rowid as id, concat('W', e.rowid) as code, e.ref, e.address, e.zip, e.town, e.fk_departement, e.fk_pays, e.phone
    from company c join llx_entrepot e on e.entity = c.id),
-- The recipe of a product: its default one, or the last that was validated.
recipe as (
  select b.product, b.bom, b.makes
    from (select p.id as product, b.rowid as bom, b.qty as makes,
                 row_number() over (partition by p.id order by b.rowid = p.fk_default_bom desc, b.rowid desc) as nth
            from company c
            join llx_bom_bom b on b.entity = c.id and b.status = 1 and b.bomtype = 0 and b.qty > 0
            join product p on p.id = b.fk_product) b
   where b.nth = 1),
part as (
  select r.product as whole, p.id as product,
         cast(sum(l.qty / r.makes / coalesce(nullif(l.efficiency, 0), 1)) as decimal(31, 10)) as qty
    from recipe r
    join llx_bom_bomline l on l.fk_bom = r.bom
    join product p on p.id = l.fk_product and p.kind = 0 and p.id <> r.product
   group by r.product, p.id),
-- Kits move their parts, if the company has switched that on. A product with a recipe is no kit.
kit_part as (
  select a.fk_product_pere as kit, a.fk_product_fils as product, cast(sum(a.qty) as decimal(20, 4)) as qty
    from own o
    join llx_product_association a on a.incdec = 1 and a.qty > 0 and a.fk_product_pere <> a.fk_product_fils
    join product k on k.id = a.fk_product_pere and k.kind = 0
    join product p on p.id = a.fk_product_fils and p.kind = 0
    left join recipe r on r.product = k.id
   where o.has_kits and r.product is null
   group by a.fk_product_pere, a.fk_product_fils),
-- A service is kept in stock only if it was ever moved.
stocked as (
  select fk_product as id from llx_stock_mouvement
  union select fk_product from llx_product_stock where reel <> 0),
party as (
  select p.*,
         concat(p.customer, case when row_number() over (partition by p.customer order by p.id) > 1 then concat('#', p.id) else '' end) as customer_code,
         concat(p.vendor, case when row_number() over (partition by p.vendor order by p.id) > 1 then concat('#', p.id) else '' end) as vendor_code
    from (select s.rowid as id, s.client, s.fournisseur, s.address, s.zip, s.town, d.nom as state, k.label as country, s.phone, s.email, s.tva_intra,
                 t.nbjour as credit_days,
                 coalesce(nullif(trim(s.nom), ''), concat('T', s.rowid)) as name,
                 coalesce(nullif(trim(s.code_client), ''), concat('T', s.rowid)) as customer,
                 coalesce(nullif(trim(s.code_fournisseur), ''), concat('T', s.rowid)) as vendor
            from llx_societe s
            left join llx_c_departements d on d.rowid = s.fk_departement
            left join llx_c_country k on k.rowid = s.fk_pays
            left join llx_c_payment_term t on t.rowid = s.cond_reglement_supplier) p),
-- Orders beyond drafts. Amounts are in the currency of the document; the rate is that of Dolibarr, turned round.
sale as (
  select d.rowid as id, trim(d.ref) as number, d.fk_soc as party, d.fk_statut as status, d.fk_warehouse as place,
         case when d.date_commande > '1000-01-01' then d.date_commande else date(coalesce(d.date_valid, d.date_creation, d.tms)) end as day,
         case when d.date_livraison > '1000-01-01' then date(d.date_livraison) end as due, d.ref_client, d.is_foreign,
         if(d.is_foreign, d.multicurrency_code, d.currency) as currency, if(d.is_foreign, round(1 / d.multicurrency_tx, 12), null) as exchange_rate,
         round(if(d.is_foreign, d.multicurrency_total_ht, d.total_ht), 2) as taxable_amt,
         round(if(d.is_foreign, d.multicurrency_total_tva, d.total_tva + coalesce(d.localtax1, 0) + coalesce(d.localtax2, 0)), 2) as tax_amt,
         round(if(d.is_foreign, d.multicurrency_total_ttc, d.total_ttc), 2) as total_amt
    from (select x.*, o.currency, x.multicurrency_tx > 0 and x.multicurrency_code <> o.currency as is_foreign
            from company c cross join own o join llx_commande x on x.entity = c.id and x.fk_statut <> 0) d),
sale_line as (
  select l.*, p.sku, row_number() over (partition by l.document order by l.rang, l.id) as line_no
    from (select d.number, d.is_foreign, l.rowid as id, l.fk_commande as document, l.fk_product as product, l.rang, coalesce(l.qty, 0) as qty, l.tva_tx, l.vat_src_code,
                 l.localtax1_tx, l.localtax2_tx, l.remise_percent, l.product_type, coalesce(nullif(l.description, ''), l.label) as description,
                 coalesce(if(d.is_foreign, l.multicurrency_subprice, l.subprice), l.total_ht / nullif(l.qty, 0), 0) as price,
                 coalesce(if(d.is_foreign, l.multicurrency_total_ht, l.total_ht), 0) as net,
                 coalesce(if(d.is_foreign, l.multicurrency_total_tva, l.total_tva), 0) as vat,
                 if(d.is_foreign, 0, coalesce(l.total_localtax1, 0)) as local1, if(d.is_foreign, 0, coalesce(l.total_localtax2, 0)) as local2
            from sale d join llx_commandedet l on l.fk_commande = d.id and coalesce(l.product_type, 0) <> 9) l
    left join product p on p.id = l.product),
purchase as (
  select d.rowid as id, trim(d.ref) as number, d.fk_soc as party, d.fk_statut as status,
         coalesce(case when d.date_commande > '1000-01-01' then d.date_commande end, date(coalesce(d.date_approve, d.date_valid, d.date_creation, d.tms))) as day,
         case when d.date_livraison > '1000-01-01' then date(d.date_livraison) end as due, d.ref_supplier, d.is_foreign,
         if(d.is_foreign, d.multicurrency_code, d.currency) as currency, if(d.is_foreign, round(1 / d.multicurrency_tx, 12), null) as exchange_rate,
         round(if(d.is_foreign, d.multicurrency_total_ht, d.total_ht), 2) as taxable_amt,
         round(if(d.is_foreign, d.multicurrency_total_tva, d.total_tva + coalesce(d.localtax1, 0) + coalesce(d.localtax2, 0)), 2) as tax_amt,
         round(if(d.is_foreign, d.multicurrency_total_ttc, d.total_ttc), 2) as total_amt
    from (select x.*, o.currency, x.multicurrency_tx > 0 and x.multicurrency_code <> o.currency as is_foreign
            from company c cross join own o join llx_commande_fournisseur x on x.entity = c.id and x.fk_statut >= 2) d),
purchase_line as (
  select l.*, p.sku, row_number() over (partition by l.document order by l.rang, l.id) as line_no
    from (select d.number, d.is_foreign, l.rowid as id, l.fk_commande as document, l.fk_product as product, l.rang, coalesce(l.qty, 0) as qty, l.tva_tx, l.vat_src_code,
                 l.localtax1_tx, l.localtax2_tx, l.remise_percent, l.product_type, coalesce(nullif(l.description, ''), l.label) as description,
                 coalesce(if(d.is_foreign, l.multicurrency_subprice, l.subprice), l.total_ht / nullif(l.qty, 0), 0) as price,
                 coalesce(if(d.is_foreign, l.multicurrency_total_ht, l.total_ht), 0) as net,
                 coalesce(if(d.is_foreign, l.multicurrency_total_tva, l.total_tva), 0) as vat,
                 if(d.is_foreign, 0, coalesce(l.total_localtax1, 0)) as local1, if(d.is_foreign, 0, coalesce(l.total_localtax2, 0)) as local2
            from purchase d join llx_commande_fournisseurdet l on l.fk_commande = d.id and coalesce(l.product_type, 0) <> 9) l
    left join product p on p.id = l.product),
-- Type 2 is a credit note, 3 a deposit. An abandoned or replaced invoice has status 3.
invoice as (
  select d.rowid as id, trim(d.ref) as number, d.fk_soc as party, d.fk_statut as status, d.type, d.fk_facture_source, d.ref_client, d.is_foreign,
         case when d.datef > '1000-01-01' then d.datef else date(coalesce(d.datec, d.tms)) end as day,
         case when d.date_lim_reglement > '1000-01-01' then d.date_lim_reglement end as due,
         if(d.is_foreign, d.multicurrency_code, d.currency) as currency, if(d.is_foreign, round(1 / d.multicurrency_tx, 12), null) as exchange_rate,
         round(if(d.is_foreign, d.multicurrency_total_ht, d.total_ht), 2) as net,
         round(if(d.is_foreign, d.multicurrency_total_tva, d.total_tva + coalesce(d.localtax1, 0) + coalesce(d.localtax2, 0)), 2) as tax,
         round(if(d.is_foreign, d.multicurrency_total_ttc, d.total_ttc), 2) as gross
    from (select x.*, o.currency, x.multicurrency_tx > 0 and x.multicurrency_code <> o.currency as is_foreign
            from company c cross join own o join llx_facture x on x.entity = c.id and x.fk_statut <> 0 and x.type in (0, 1, 2, 3, 5) and not (x.type = 3 and o.deposits_are_payments)) d),
-- The orders of an invoice, straight or by their shipments.
invoiced as (
  select e.fk_target as invoice, e.fk_source as sale
    from llx_element_element e where e.sourcetype = 'commande' and e.targettype = 'facture'
  union
  select e.fk_target, s.fk_source
    from llx_element_element e
    join llx_element_element s on s.fk_target = e.fk_source and s.sourcetype = 'commande' and s.targettype = 'shipping'
   where e.sourcetype = 'shipping' and e.targettype = 'facture'),
invoice_order as (
  select i.invoice, min(d.id) as sale, min(d.number) as number from invoiced i join sale d on d.id = i.sale group by i.invoice having count(*) = 1),
-- On a credit note, Dolibarr has positive quantities with negative prices. Invoices name no line of an order: the nth line with a
-- product belongs to the order's nth line with it.
invoice_line as (
  select l.*, p.sku, s.number as order_no, s.line_no as order_line_no
    from (select l.*, row_number() over (partition by l.document order by l.rang, l.id) as line_no,
                 row_number() over (partition by l.document, l.product order by l.rang, l.id) as nth
            from (select d.number, d.type, d.is_foreign, l.rowid as id, l.fk_facture as document, l.fk_product as product, l.rang, l.tva_tx, l.vat_src_code,
                         l.localtax1_tx, l.localtax2_tx, l.product_type, coalesce(nullif(l.description, ''), l.label) as description,
                         if(d.type = 2 and l.qty > 0 and l.total_ht < 0, -l.qty, l.qty) as qty,
                         coalesce(if(d.is_foreign, l.multicurrency_total_ht, l.total_ht), 0) as net,
                         coalesce(if(d.is_foreign, l.multicurrency_total_tva, l.total_tva), 0) as vat,
                         if(d.is_foreign, 0, coalesce(l.total_localtax1, 0)) as local1, if(d.is_foreign, 0, coalesce(l.total_localtax2, 0)) as local2
                    from invoice d join llx_facturedet l on l.fk_facture = d.id and coalesce(l.product_type, 0) <> 9) l) l
    left join product p on p.id = l.product
    left join invoice_order o on o.invoice = l.document
    left join (select number, document, product, line_no, row_number() over (partition by document, product order by line_no) as nth
                 from sale_line where product is not null) s
           on s.document = o.sale and s.product = l.product and s.nth = l.nth),
-- Goods that came in for a purchase: by a reception, or dispatched from the order itself. A reception for several orders becomes one
-- goods receipt per order, and what was dispatched on one day from an order is one goods receipt.
received as (
  select r.*, if(r.reception is not null,
                 concat(r.reference_no, if(dense_rank() over (partition by r.reception order by r.document) = 1, '', concat('/', dense_rank() over (partition by r.reception order by r.document)))),
                 concat(r.po_no, '/', date_format(r.day, '%Y%m%d'))) as grn_no
    from (select b.rowid as id, b.fk_reception as reception, trim(k.ref) as reference_no, k.ref_supplier as reference, l.number as po_no, l.line_no as po_line_no,
                 l.document, l.product, b.fk_entrepot as place, cast(b.qty as decimal(20, 4)) as qty,
                 date(if(k.rowid is null, coalesce(b.datec, b.tms), coalesce(k.date_reception, k.date_delivery, k.date_valid, k.date_creation))) as day,
                 coalesce(l.net / nullif(l.qty, 0), 0) as price, coalesce((l.vat + l.local1 + l.local2) / nullif(l.qty, 0), 0) as tax
            from llx_receptiondet_batch b
            join purchase_line l on l.id = b.fk_elementdet and l.product = b.fk_product
            join place w on w.id = b.fk_entrepot
            left join llx_reception k on k.rowid = b.fk_reception
           where b.qty <> 0 and (b.fk_reception is null or k.fk_statut in (1, 2))) r),
-- Goods that were dispatched and taken back are left out.
received_line as (
  select grn_no, po_no, po_line_no, reception, document, product, place, min(day) as day, min(reference) as reference, sum(qty) as qty,
         max(price) as price, max(tax) as tax
    from received
   group by grn_no, po_no, po_line_no, reception, document, product, place having sum(qty) > 0),
production as (
  select m.rowid as id, trim(m.ref) as number, m.fk_product as product, p.sku, m.fk_warehouse as place, m.status, m.label, cast(m.qty as decimal(20, 4)) as qty,
         date(coalesce(m.date_start_planned, m.date_valid, m.date_creation)) as starts,
         date(coalesce(m.date_end_planned, m.date_start_planned, m.date_valid, m.date_creation)) as ends
    from company c
    join llx_mrp_mo m on m.entity = c.id and m.status <> 0 and m.mrptype = 0 and m.qty > 0
    join product p on p.id = m.fk_product),
-- One spelling per lot, also of lots that are only in stock or in movements. Their texts are too long for a key of MariaDB's derived tables, and
-- without one it compares all rows with all: joins on lots use a hash of 16 bytes, which is equal for equal spellings.
lot as (
  select l.product, l.batch, min(unhex(md5(concat(l.product, '/', hex(weight_string(l.batch)))))) as mark,
         coalesce(min(case when l.nth = 1 then l.batch end), min(l.batch)) as batch_no, max(l.expires) as expires, max(l.made) as made
    from (select fk_product as product, trim(batch) as batch, 1 as nth, date(coalesce(eatby, sellby)) as expires, date(manufacturing_date) as made from llx_product_lot
          union all
          select s.fk_product, trim(b.batch), 2, null, null from llx_product_batch b join llx_product_stock s on s.rowid = b.fk_product_stock
          union all
          select distinct fk_product, trim(batch), 3, null, null from llx_stock_mouvement where batch <> '') l
    join product p on p.id = l.product
   where l.batch <> ''
   group by l.product, l.batch),
-- Stock movements with their part in a manufacturing order. The kind of document is a number, because joins on numbers use keys.
move as (
  select m.rowid as id, m.fk_product as product, m.fk_entrepot as place, l.batch_no, l.mark as lot, date(coalesce(m.datem, m.tms)) as day,
         cast(m.value as decimal(20, 4)) as moved, m.type_mouvement as direction, m.price, m.fk_origin as document,
         case m.origintype when 'shipping' then 1 when 'commande' then 2 when 'facture' then 3 when 'reception' then 4 when 'order_supplier' then 5
                           when 'invoice_supplier' then 6 when 'mo' then 7 when 'inventory' then 8 else 0 end as origin,
         coalesce(nullif(m.inventorycode, ''), m.datem) as together, m.label, r.role, o.id as production, o.product as makes
    from llx_stock_mouvement m
    join product p on p.id = m.fk_product
    join place w on w.id = m.fk_entrepot
    left join lot l on l.mark = unhex(md5(concat(m.fk_product, '/', hex(weight_string(trim(m.batch))))))
    left join (select fk_stock_movement, min(role) as role, min(fk_mo) as production from llx_mrp_production
                where role in ('consumed', 'produced') and fk_stock_movement > 0 group by fk_stock_movement) r on r.fk_stock_movement = m.rowid
    left join production o on o.id = r.production
   where cast(m.value as decimal(20, 4)) <> 0),
made as (
  select product, batch_no, min(lot) as lot, min(day) as day, min(place) as place, sum(moved) as qty
    from move where production is not null and role = 'produced' and moved > 0 and batch_no is not null group by product, batch_no),
-- The one lot of each manufacturing order that has only one.
made_by as (
  select production, makes as product, min(batch_no) as batch_no
    from move where production is not null and role = 'produced' and moved > 0 and product = makes
   group by production, makes having count(distinct coalesce(batch_no, '')) = 1),
-- Dolibarr's stock, by lot and without one.
on_hand as (
  select s.fk_product as product, s.fk_entrepot as place, l.batch_no, sum(cast(b.qty as decimal(20, 4))) as qty
    from llx_product_stock s
    join llx_product_batch b on b.fk_product_stock = s.rowid
    join lot l on l.product = s.fk_product and l.batch = trim(b.batch)
   group by s.fk_product, s.fk_entrepot, l.batch_no
  union all
  select s.fk_product, s.fk_entrepot, null, cast(s.reel as decimal(20, 4)) - coalesce(b.qty, 0)
    from llx_product_stock s
    left join (select fk_product_stock, sum(cast(qty as decimal(20, 4))) as qty from llx_product_batch where trim(batch) <> '' group by fk_product_stock) b
      on b.fk_product_stock = s.rowid),
-- Stock that no movement explains was there before the first one.
opening as (
  select x.product, x.place, x.batch_no, sum(x.qty) as qty
    from (select product, place, batch_no, qty from on_hand
          union all
          select product, place, batch_no, -moved from move) x
    join product p on p.id = x.product
    join place w on w.id = x.place
   group by x.product, x.place, x.batch_no having sum(x.qty) <> 0),
-- Dolibarr stores the price of goods that come in, and one average cost per product, as of now. The average at each movement is computed
-- again from them in the order of entry, as Dolibarr did: goods that come in with a price change it, all others have it.
-- The variables hold the product, its quantity and its average cost; MariaDB assigns them row by row, from left to right.
valued as (
  select t.id, @cost := if(t.product = @product, @cost, t.start_cost) as cost, @stock := if(t.product = @product, @stock, t.start_qty) as stock,
         case when t.is_priced then t.price else @cost end as unit_cost,
         @cost := case when not t.is_priced then @cost
                       when @cost > 0 and greatest(@stock, 0) + t.moved > 0
                         then round((greatest(@stock, 0) * @cost + t.moved * t.price) / (greatest(@stock, 0) + t.moved), t.decimals)
                       else t.price end as new_cost,
         @stock := @stock + t.moved as new_stock, @product := t.product as same
    from (select m.id, m.product, m.moved + 0e0 as moved, m.price, m.direction in (0, 3) and m.moved > 0 and m.price > 0 as is_priced, o.decimals,
                 coalesce(b.qty, 0) + 0e0 as start_qty, if(b.qty <> 0, p.pmp, 0e0) as start_cost
            from move m
           cross join own o
            join product p on p.id = m.product
            left join (select product, sum(qty) as qty from opening group by product) b on b.product = m.product
           order by m.product, m.id limit 18446744073709551615) t
   cross join (select @product := 0, @stock := 0e0, @cost := 0e0) start)
