-- Shared by all queries: each query continues this `with`. PostgreSQL computes only the parts that a query names.
-- Odoo keeps times in UTC, and has every translated text in English too. Columns of modules that may be missing are read by to_jsonb.
with recursive
company as (
  select c.id, c.currency_id, c.partner_id, c.name, coalesce(:time_zone, p.tz) as zone
    from res_company c join res_partner p on p.id = c.partner_id
   where c.name = :company or :company is null
   order by c.id limit 1),
-- The stock of a warehouse is the stock of all locations inside it. A location outside of any warehouse, such as Transit, counts as one.
place as (
  select l.id, l.usage, case when l.usage in ('internal', 'transit') and l.company_id = c.id then coalesce(w.view_location_id, l.id) end as inside
    from company c
   cross join stock_location l
    left join stock_warehouse w on w.id = l.warehouse_id and w.company_id = c.id),
-- Contacts of a company count for the company.
party as (
  select p.id, coalesce(nullif(p.name, ''), p.code) as name, p.street, p.street2, p.city, s.name as state, k.name ->> 'en_US' as country, p.zip, p.vat,
         p.phone, p.email, p.code || case when row_number() over (partition by p.code order by p.id) > 1 then '#' || p.id else '' end as code
    from (select *, coalesce(nullif(btrim(ref), ''), 'P' || id) as code from res_partner) p
    left join res_country_state s on s.id = p.state_id
    left join res_country k on k.id = p.country_id),
gln as (
  select r.id as partner, j.gln
    from res_partner r cross join lateral (select to_jsonb(r) ->> 'global_location_number' as gln) j where j.gln ~ '^[0-9]{13}$'),
-- The factor is the number of reference units in one of this unit.
unit as (
  select id, name || case when row_number() over (partition by name order by id) > 1 then '#' || id else '' end as symbol, factor
    from (select id, btrim(name ->> 'en_US') as name, factor from uom_uom) u),
variant as (
  select x.product_product_id as product, array_agg(v.id) as options, string_agg(a.name ->> 'en_US', ', ' order by v.attribute_id, v.id) as name
    from product_variant_combination x
    join product_template_attribute_value v on v.id = x.product_template_attribute_value_id
    join product_attribute_value a on a.id = v.product_attribute_value_id
   group by x.product_product_id),
product as (
  select p.id, p.product_tmpl_id as template, (t.name ->> 'en_US') || coalesce(' (' || v.name || ')', '') as name, t.type, t.categ_id, t.sale_ok, t.list_price,
         v.options, t.uom_id, u.symbol as unit, u.factor, p.active and t.active as active, t.type = 'consu' and t.is_storable as is_stocked, t.lot_valuated,
         coalesce((p.standard_price ->> c.id::text)::numeric, 0) as cost, to_jsonb(t) ->> 'l10n_in_hsn_code' as hsn,
         p.code || case when row_number() over (partition by p.code order by p.id) > 1 then '#' || p.id else '' end as sku
    from company c
   cross join (select *, coalesce(nullif(btrim(default_code), ''), 'P' || id) as code from product_product) p
    join product_template t on t.id = p.product_tmpl_id and coalesce(t.company_id, c.id) = c.id
    join unit u on u.id = t.uom_id
    left join variant v on v.product = p.id),
-- The first recipe of each product, and the first that makes it a kit.
recipe as (
  select distinct on (p.id, b.type = 'phantom') p.id as product, b.id as bom, b.type = 'phantom' as is_kit, b.product_qty * u.factor / p.factor as makes
    from company c
   cross join product p
    join mrp_bom b on b.product_tmpl_id = p.template and coalesce(b.product_id, p.id) = p.id and coalesce(b.company_id, c.id) = c.id
    join unit u on u.id = b.product_uom_id
   where b.active and b.product_qty > 0
   order by p.id, b.type = 'phantom', b.sequence, b.product_id, b.id),
-- The parts of one unit. A line may be for some variants only: of each attribute that it names, the product must have one of its values.
part as (
  select r.product as whole, r.is_kit, i.id as product, l.product_qty * u.factor / i.factor / r.makes as qty
    from recipe r
    join product p on p.id = r.product
    join mrp_bom_line l on l.bom_id = r.bom
    join product i on i.id = l.product_id
    join unit u on u.id = l.product_uom_id
   where not exists (
           select from mrp_bom_line_product_template_attribute_value_rel x
             join product_template_attribute_value v on v.id = x.product_template_attribute_value_id
            where x.mrp_bom_line_id = l.id group by v.attribute_id having not coalesce(bool_or(v.id = any (p.options)), false))),
-- Kits are never in stock: Odoo moves their parts, down to goods that are not kits themselves.
in_kit (kit, product, qty) as (
  select whole, product, qty from part where is_kit
  union all
  select k.kit, p.product, k.qty * p.qty from in_kit k join part p on p.whole = k.product and p.is_kit),
kit as (
  select k.kit, k.product, round(sum(k.qty), 4) as qty
    from in_kit k join product p on p.id = k.product and p.is_stocked
   where k.product not in (select whole from part where is_kit)
   group by k.kit, k.product having round(sum(k.qty), 4) > 0),
rate as (
  select r.currency_id, r.name as since, lead(r.name, 1, 'infinity') over (partition by r.currency_id order by r.name) as until, r.rate
    from company c join res_currency_rate r on coalesce(r.company_id, c.id) = c.id),
-- Sales and purchases beyond quotations, and customers' invoices beyond drafts. Expressions over all three are not materialized, so that a
-- query reads only the kind that it names.
document as not materialized (
  select d.kind, d.id, d.state, d.currency_id, k.name as currency_code, p.commercial_partner_id as party,
         coalesce(d.day, (d.at at time zone 'UTC' at time zone c.zone)::date) as day, c.zone,
         round(d.untaxed, 2) as taxable_amt, round(d.tax, 2) as tax_amt, round(d.total, 2) as total_amt,
         case when d.currency_id <> c.currency_id then round(1 / nullif(d.rate, 0), 12) end as exchange_rate,
         d.no || case when row_number() over (partition by d.kind, d.no order by d.id) > 1 then '#' || d.id else '' end as number
    from company c
    join (select 'sale' as kind, id, company_id, btrim(name) as no, date_order as at, null::date as day, partner_id, currency_id, currency_rate as rate,
                 amount_untaxed as untaxed, amount_tax as tax, amount_total as total, state
            from sale_order where state in ('sale', 'cancel')
          union all
          select 'purchase', id, company_id, btrim(name), coalesce(date_approve, date_order), null, partner_id, currency_id, currency_rate,
                 amount_untaxed, amount_tax, amount_total, state
            from purchase_order where state in ('purchase', 'cancel')
          union all
          select 'invoice', m.id, m.company_id, btrim(m.name), null, coalesce(m.invoice_date, m.date), m.partner_id, m.currency_id, m.invoice_currency_rate,
                 m.amount_untaxed * s.sign, m.amount_tax * s.sign, m.amount_total * s.sign, m.state
            from account_move m,
         lateral (select case when m.move_type = 'out_refund' then -1 else 1 end as sign) s
           where m.move_type in ('out_invoice', 'out_refund', 'out_receipt') and m.state in ('posted', 'cancel') and m.name <> '/') d
      on d.company_id = c.id
    join res_partner p on p.id = d.partner_id
    join res_currency k on k.id = d.currency_id
   where d.no <> ''),
-- In the unit and the currency of the document; stock_qty is in the stock unit. Tax is taken out of a price that includes it.
line as not materialized (
  select d.kind, d.id as document, d.number, d.tax_amt as document_tax, l.id, l.product_id as product, l.unit_id, l.name as description, l.discount,
         row_number() over (partition by d.kind, d.id order by l.sequence, l.id) as line_no,
         round(l.qty, 4) as qty, round(l.qty * coalesce(u.factor / p.factor, 1), 4) as stock_qty,
         round(case when l.qty = 0 or l.discount = 100 or abs(l.qty * l.price * (1 - l.discount / 100) - l.untaxed) <= 0.01 then l.price
                    else l.untaxed / l.qty / (1 - l.discount / 100) end, 6) as rate,
         round(l.untaxed, 2) as taxable_amt, l.tax
    from document d
    join (select 'sale' as kind, id, order_id as document, product_id, product_uom_id as unit_id, product_uom_qty as qty, price_unit as price,
                 coalesce(discount, 0) as discount, price_subtotal as untaxed, price_total - price_subtotal as tax, sequence, name
            from sale_order_line where display_type is null
          union all
          select 'purchase', id, order_id, product_id, product_uom_id, product_qty, price_unit, coalesce(discount, 0), price_subtotal,
                 price_total - price_subtotal, sequence, name
            from purchase_order_line where display_type is null
          union all
          select 'invoice', l.id, l.move_id, l.product_id, l.product_uom_id, l.quantity * s.sign, l.price_unit, coalesce(l.discount, 0),
                 l.price_subtotal * s.sign, (l.price_total - l.price_subtotal) * s.sign, l.sequence, l.name
            from account_move_line l join account_move m on m.id = l.move_id,
         lateral (select case when m.move_type = 'out_refund' then -1 else 1 end as sign) s
           where l.display_type = 'product' and m.move_type in ('out_invoice', 'out_refund', 'out_receipt')) l
      on l.kind = d.kind and l.document = d.id
    left join product p on p.id = l.product_id
    left join unit u on u.id = l.unit_id),
sale_item as materialized (select * from line where kind = 'sale'),
purchase_item as materialized (select * from line where kind = 'purchase'),
invoice_item as materialized (select * from line where kind = 'invoice'),
-- A tax with parts is replaced by its parts.
tax_part as (
  select t.id as tax, p.id, btrim(p.name ->> 'en_US') as name, p.amount_type, p.amount
    from account_tax t
    left join account_tax_filiation_rel f on f.parent_tax = t.id and t.amount_type = 'group'
    join account_tax p on p.id = coalesce(f.child_tax, t.id)
   where p.amount_type <> 'group'),
taxed as not materialized (
  select 'sale' as kind, sale_order_line_id as line, account_tax_id as tax from account_tax_sale_order_line_rel
  union all select 'purchase', purchase_order_line_id, account_tax_id from account_tax_purchase_order_line_rel
  union all select 'invoice', account_move_line_id, account_tax_id from account_move_line_account_tax_rel),
-- The tax of a line is distributed over its taxes by the amount that each would have alone.
weight as not materialized (
  select kind, document, number, line_no, document_tax, name, percent, alone * tax / nullif(sum(alone) over (partition by kind, id), 0) as weight
    from (select l.kind, l.document, l.number, l.document_tax, l.id, l.line_no, l.tax, t.name, sum(t.amount) filter (where t.amount_type = 'percent') as percent,
                 sum(case t.amount_type when 'percent' then l.taxable_amt * t.amount / 100 when 'fixed' then l.qty * t.amount else l.tax end) as alone
            from line l
            join taxed x on x.kind = l.kind and x.line = l.id
            join tax_part t on t.tax = x.tax
           where l.tax <> 0
           group by l.kind, l.document, l.number, l.document_tax, l.id, l.line_no, l.tax, t.name) w),
-- Odoo rounds the tax of the document: it is distributed over these parts, and the running sums make the shares add up. Tax that is on no
-- line stays on the document.
tax as not materialized (
  select kind, document, number, line_no, name, case when percent between 0 and 100 then round(percent, 4) end as percent,
         round(document_tax * sum(weight) over w / whole, 2) - round(document_tax * (sum(weight) over w - weight) / whole, 2) as amount
    from (select *, sum(weight) over (partition by kind, document) as whole from weight where weight <> 0) x
   where whole <> 0
  window w as (partition by kind, document order by line_no, name)
  union all
  select d.kind, d.id, d.number, 0, 'Tax', null, d.tax_amt
    from document d
    left join (select kind, document, sum(weight) as whole from weight group by kind, document) x on x.kind = d.kind and x.document = d.id
   where d.tax_amt <> 0 and coalesce(x.whole, 0) = 0),
line_tax as not materialized (
  select kind, document, line_no, sum(amount) as tax_amt from tax group by kind, document, line_no),
lot as (
  select l.id, l.product_id as product, l.cost, l.expires,
         l.no || case when row_number() over (partition by l.product_id, l.no order by l.id) > 1 then '#' || l.id else '' end as batch_no
    from (select s.id, s.product_id, coalesce(nullif(btrim(s.name), ''), 'L' || s.id) as no, (s.standard_price ->> c.id::text)::numeric as cost,
                 ((to_jsonb(s) ->> 'expiration_date')::timestamp at time zone 'UTC' at time zone c.zone)::date as expires
            from company c join stock_lot s on coalesce(s.company_id, c.id) = c.id) l),
-- Lines of done moves into or out of stock, or between warehouses. Moves inside a warehouse do not count.
move as (
  select m.*,
         -- Odoo values a move as a whole, and only goods that the company owns. Goods that stay in the company have their present cost.
         round(case when not m.is_own then 0 when m.came_from is not null and m.went_to is not null then m.qty * m.cost
                    when m.value > 0 then m.value * sum(m.qty) over w / sum(m.qty) over (partition by m.move, m.is_own, m.came_from is null) else 0 end, 4)
       - round(case when not m.is_own or m.value <= 0 or (m.came_from is not null and m.went_to is not null) then 0
                    else m.value * (sum(m.qty) over w - m.qty) / sum(m.qty) over (partition by m.move, m.is_own, m.came_from is null) end, 4) as val
    from (select l.id, m.id as move, m.product_id as product, l.lot_id as lot, (m.date at time zone 'UTC' at time zone c.zone)::date as day,
                 m.picking_id as picking, m.raw_material_production_id as production_input, m.production_id as production_output,
                 m.sale_line_id as sale_line, m.purchase_line_id as purchase_line, m.is_inventory as is_count, m.scrap_id is not null as is_scrap,
                 coalesce(m.to_refund, true) as to_refund, round(l.quantity_product_uom, 4) as qty, coalesce(m.value, 0) as value,
                 f.inside as came_from, t.inside as went_to, f.usage as from_type, t.usage as to_type,
                 coalesce(l.owner_id, c.partner_id) = c.partner_id as is_own, case when p.lot_valuated then coalesce(o.cost, p.cost) else p.cost end as cost
            from company c
            join stock_move m on m.company_id = c.id and m.state = 'done'
            join stock_move_line l on l.move_id = m.id and l.state = 'done'
            join place f on f.id = l.location_id
            join place t on t.id = l.location_dest_id
            join product p on p.id = m.product_id and p.is_stocked
            left join lot o on o.id = l.lot_id) m
   where m.came_from is distinct from m.went_to and m.qty > 0
  window w as (partition by m.move, m.is_own, m.came_from is null order by m.id)),
-- Lots that productions brought in, and the one lot of each production that has only one.
made as (
  select product, lot, min(day) as day, min(went_to) as inside, sum(qty) as qty
    from move where production_output is not null and went_to is not null and lot is not null group by product, lot),
made_by as (
  select o.id as production, o.product_id as product, case when count(distinct coalesce(m.lot, 0)) = 1 then min(m.lot) end as lot
    from mrp_production o
    left join move m on m.production_output = o.id and m.product = o.product_id and m.went_to is not null
   group by o.id, o.product_id),
-- Productions beyond drafts.
production as (
  select o.*, p.sku, round(o.product_qty * u.factor / p.factor, 4) as planned_qty
    from company c
    join mrp_production o on o.company_id = c.id
    join product p on p.id = o.product_id
    join unit u on u.id = o.product_uom_id
   where o.state in ('confirmed', 'progress', 'to_close', 'done', 'cancel') and o.name <> '' and round(o.product_qty * u.factor / p.factor, 4) > 0),
-- Receipts of purchases, in their currency. A receipt for several purchases becomes one goods receipt per purchase.
received as (
  select *, coalesce(picking_no, 'MOVE-' || move) || case when nth > 1 then '/' || nth else '' end as grn_no
    from (select m.id, m.move, m.product, m.qty, m.day, m.went_to, l.number as po_no, l.line_no as po_line_no,
                 coalesce(l.taxable_amt * m.qty / nullif(l.stock_qty, 0), 0) as price, coalesce(x.tax_amt * m.qty / nullif(l.stock_qty, 0), 0) as tax_amt,
                 case when d.exchange_rate is not null then round(coalesce(own.rate, 1) / its.rate, 12) end as exchange_rate,
                 btrim(k.name) as picking_no, dense_rank() over (partition by coalesce('P' || m.picking, 'M' || m.move) order by l.document) as nth
            from company c
           cross join move m
            join purchase_item l on l.id = m.purchase_line and l.product = m.product
            join document d on d.kind = 'purchase' and d.id = l.document
            left join line_tax x on x.kind = 'purchase' and x.document = l.document and x.line_no = l.line_no
            left join stock_picking k on k.id = m.picking
            left join made b on b.product = m.product and b.lot = m.lot
            left join rate its on its.currency_id = d.currency_id and m.day >= its.since and m.day < its.until
            left join rate own on own.currency_id = c.currency_id and m.day >= own.since and m.day < own.until
           where m.from_type = 'supplier' and m.went_to is not null and b.lot is null) r),
-- The line of a sale that a move is for. For a kit, the move is of one of its `parts` parts, with `part_qty` in one kit.
sold as (
  select m.id, l.document, l.number as order_no, l.line_no as order_line_no, l.stock_qty, l.taxable_amt, coalesce(k.qty, 1) as part_qty, coalesce(k.parts, 1) as parts
    from move m
    join sale_item l on l.id = m.sale_line
    left join (select *, count(*) over (partition by kit) as parts from kit) k on k.kit = l.product and k.product = m.product
   where l.product = m.product or k.kit is not null),
-- Goods of sales that came back, at the price of the order. The amount is 0 if the order itself has the line that takes goods back.
-- A kit came back if all its parts did.
returned as (
  select r.order_no, r.order_line_no, r.day, r.return_no, r.qty,
         case when r.to_refund and r.stock_qty > 0 then r.taxable_amt * r.qty / r.stock_qty else 0 end as taxable_amt,
         case when r.to_refund and r.stock_qty > 0 then coalesce(x.tax_amt, 0) * r.qty / r.stock_qty else 0 end as tax_amt
    from (select document, order_no, order_line_no, stock_qty, taxable_amt, day, return_no, to_refund, round(min(qty), 4) as qty
            from (select s.document, s.order_no, s.order_line_no, s.stock_qty, s.taxable_amt, s.parts, m.day, m.to_refund,
                         coalesce(btrim(k.name), 'MOVE-' || m.move) as return_no, sum(m.qty) / s.part_qty as qty
                    from move m
                    join sold s on s.id = m.id
                    left join stock_picking k on k.id = m.picking
                   where m.from_type = 'customer' and m.went_to is not null
                   group by s.document, s.order_no, s.order_line_no, s.stock_qty, s.taxable_amt, s.parts, s.part_qty, m.day, m.to_refund, m.product, 9) p
           group by document, order_no, order_line_no, stock_qty, taxable_amt, parts, day, return_no, to_refund having count(*) = parts) r
    left join line_tax x on x.kind = 'sale' and x.document = r.document and x.line_no = r.order_line_no
   where r.qty > 0)
