-- Shared by all queries: each query continues this `with`. PostgreSQL computes only the parts that a query names.
-- Columns that not every series of Tryton has are read by to_jsonb; taxes of lines are in tables whose names changed.
with recursive
company as (
  select c.id, c.currency, c.party, p.name, c.timezone
    from company_company c join party_party p on p.id = c.party
   where p.name = :company or :company is null
   order by c.id limit 1),
-- The stock of a warehouse is the stock of all storage locations inside it. A location outside of any warehouse, such as Transit, counts as one.
place (id, type, inside) as (
  select id, type, case when type in ('warehouse', 'storage') then id end from stock_location where parent is null
  union all
  select l.id, l.type, case when l.type = 'warehouse' then l.id when p.inside is not null then p.inside
                            when l.type = 'storage' then l.id end
    from stock_location l join place p on p.id = l.parent),
party as (
  select id, coalesce(nullif(btrim(code), ''), 'P' || id) as code, coalesce(nullif(name, ''), code, 'P' || id) as name from party_party),
-- One of this unit is factor/divisor of its category's base unit; of the two numbers that Tryton keeps, the one with fewer digits is exact.
unit as (
  select id, symbol || case when row_number() over (partition by symbol order by id) > 1 then '#' || id else '' end as symbol,
         case when length(rate::text) < length(factor::text) then 1 else factor::numeric end as factor,
         case when length(rate::text) < length(factor::text) then rate::numeric else 1 end as divisor
    from product_uom),
product as (
  select p.id, p.template, t.name, t.type, u.id as unit_id, u.symbol as unit, u.divisor / u.factor as per_base, p.active and t.active as active,
         p.code || case when row_number() over (partition by p.code order by p.id) > 1 then '#' || p.id else '' end as sku
    from (select id, template, active, coalesce(nullif(btrim(code), ''), 'P' || id) as code from product_product) p
    join product_template t on t.id = p.template
    join unit u on u.id = t.default_uom),
rate as (
  select currency, date as since, lead(date, 1, 'infinity') over (partition by currency order by date) as until, rate
    from currency_currency_rate),
-- Sales, purchases and customers' invoices beyond drafts. Expressions over all three are not materialized, so that a query reads only the
-- kind that it names.
document as not materialized (
  select d.*, k.code as currency_code, k.digits,
         case when d.currency <> c.currency then round(coalesce(own.rate, 1) / its.rate, 12) end as exchange_rate,
         d.no || case when row_number() over (partition by d.kind, d.no order by d.id) > 1 then '#' || d.id else '' end as number
    from company c
    join (select 'sale' as kind, id, company, btrim(number) as no, coalesce(sale_date, create_date::date) as day, party, currency,
                 coalesce(tax_amount_cache, 0) as tax_amt, state, origin
            from sale_sale where state in ('confirmed', 'processing', 'done', 'cancelled')
          union all
          select 'purchase', id, company, btrim(number), coalesce(purchase_date, create_date::date), party, currency,
                 coalesce(tax_amount_cache, 0), state, origin
            from purchase_purchase where state in ('confirmed', 'processing', 'done', 'cancelled')
          union all
          select 'invoice', i.id, i.company, btrim(i.number), i.invoice_date, i.party, i.currency, coalesce(t.amount, 0), i.state, null
            from account_invoice i
            left join (select invoice, sum(amount) as amount from account_invoice_tax group by invoice) t on t.invoice = i.id
           where i.type = 'out' and i.state in ('posted', 'paid', 'cancelled')) d on d.company = c.id
    join currency_currency k on k.id = d.currency
    left join rate its on its.currency = d.currency and d.day >= its.since and d.day < its.until
    left join rate own on own.currency = c.currency and d.day >= own.since and d.day < own.until
   where d.no <> ''),
-- In the unit and the currency of the document; stock_qty is in the stock unit.
line as not materialized (
  select d.kind, d.id as document, d.number, l.id, l.product, l.unit, l.origin, l.description, round(l.unit_price, 6) as rate,
         row_number() over (partition by d.kind, d.id order by l.sequence nulls first, l.id) as line_no,
         row_number() over (partition by d.kind, d.id, l.product order by l.sequence nulls first, l.id) as nth,
         count(*) over (partition by d.kind, d.id, l.product) as same,
         round(l.quantity::numeric, 4) as qty,
         round(l.quantity::numeric * coalesce(u.factor * p.per_base / u.divisor, 1), 4) as stock_qty,
         -- Tryton rounds halves to the even digit.
         case when abs(l.quantity::numeric * l.unit_price) * 10::numeric ^ d.digits % 2 = 0.5
              then trunc(l.quantity::numeric * l.unit_price, d.digits)
              else round(l.quantity::numeric * l.unit_price, d.digits) end as taxable_amt
    from document d
    join (select 'sale' as kind, id, sale as document, product, unit, quantity, unit_price, sequence, description, null as origin
            from sale_line where type = 'line'
          union all
          select 'purchase', id, purchase, product, unit, quantity, unit_price, sequence, description, null
            from purchase_line where type = 'line'
          union all
          select 'invoice', id, invoice, product, unit, quantity, unit_price, sequence, description, origin
            from account_invoice_line where type = 'line') l on l.kind = d.kind and l.document = d.id
    left join product p on p.id = l.product
    left join unit u on u.id = l.unit),
sale_item as materialized (select * from line where kind = 'sale'),
purchase_item as materialized (select * from line where kind = 'purchase'),
invoice_item as materialized (select * from line where kind = 'invoice'),
total as not materialized (
  select d.kind, d.id as document, coalesce(l.taxable_amt, 0) as taxable_amt, d.tax_amt, coalesce(l.taxable_amt, 0) + d.tax_amt as total_amt
    from document d
    left join (select kind, document, sum(taxable_amt) as taxable_amt from line group by kind, document) l
      on l.kind = d.kind and l.document = d.id),
taxed (kind, line, tax) as not materialized (
  select t.kind, x.line, x.tax
    from (values ('sale', coalesce(to_regclass('"sale_line-account_tax"'), to_regclass('sale_line_account_tax'))),
                 ('purchase', coalesce(to_regclass('"purchase_line-account_tax"'), to_regclass('purchase_line_account_tax'))),
                 ('invoice', coalesce(to_regclass('"account_invoice_line-account_tax"'), to_regclass('account_invoice_line_account_tax'))))
           t (kind, name),
         xmltable('/table/row' passing query_to_xml('select line, tax from ' || t.name, false, false, '') columns line int, tax int) x),
-- A tax with parts is replaced by its parts.
tax_part (tax, name, rate) as (
  select id, btrim(name), rate from account_tax where type = 'percentage'
  union all
  select parent, btrim(name), rate from account_tax where type = 'percentage' and parent is not null),
-- Tryton keeps the tax of the whole document. It is distributed over lines and taxes by net amount times rate; the running sums make the
-- shares add up. Tax that is on no line by a rate stays on the document.
tax as not materialized (
  select kind, document, number, line_no, name, case when percent between 0 and 100 then percent end as percent,
         round(tax_amt * sum(weight) over w / whole, 2) - round(tax_amt * (sum(weight) over w - weight) / whole, 2) as amount
    from (select l.kind, l.document, l.number, l.line_no, t.name, round(sum(t.rate) * 100, 4) as percent, d.tax_amt,
                 sum(l.taxable_amt * t.rate) as weight, sum(sum(l.taxable_amt * t.rate)) over (partition by l.kind, l.document) as whole
            from line l
            join document d on d.kind = l.kind and d.id = l.document
            join taxed x on x.kind = l.kind and x.line = l.id
            join tax_part t on t.tax = x.tax
           group by l.kind, l.document, l.number, l.line_no, t.name, d.tax_amt) x
   where whole <> 0
  window w as (partition by kind, document order by line_no, name)
  union all
  select d.kind, d.id, d.number, 0, 'Tax', null, d.tax_amt
    from document d
   where d.tax_amt <> 0 and not exists (
           select from line l join taxed x on x.kind = l.kind and x.line = l.id join tax_part t on t.tax = x.tax
            where l.kind = d.kind and l.document = d.id)),
-- Tryton returns goods by a sale with negative quantities. If all its lines are lines of the sale that it comes from, it is a return of
-- that order; else it is an order with lines that take goods back.
taken_back as (
  select r.id, r.document, o.number as order_no, o.line_no as order_line_no,
         bool_and(o.id is not null and r.stock_qty < 0) over (partition by r.document) as whole
    from document d
    join sale_item r on r.document = d.id
    left join sale_item o on o.document = split_part(d.origin, ',', 2)::int
     and o.product = r.product and o.nth = least(r.nth, o.same)
   where d.kind = 'sale' and d.origin like 'sale.sale,%'),
-- The order's line that each line of a sale counts for.
sold as (
  select l.id, l.document, l.product, l.number, l.line_no, l.stock_qty, l.taxable_amt, coalesce(b.order_no, l.number) as order_no,
         coalesce(b.order_line_no, l.line_no) as order_line_no, b.id is not null as is_return
    from sale_item l left join taken_back b on b.id = l.id and b.whole),
lot as (
  select id, product, number || case when row_number() over (partition by product, number order by id) > 1 then '#' || id else '' end as batch_no
    from (select id, product, coalesce(nullif(btrim(number), ''), 'L' || id) as number from stock_lot) l),
-- Done moves into or out of stock, or between warehouses. Moves inside a warehouse do not count.
move as (
  select m.id, m.product, m.lot, m.effective_date as day, m.shipment, m.production_input, m.production_output,
         round(m.internal_quantity::numeric, 4) as qty, m.came_from, m.went_to, m.from_type, m.to_type,
         case when m.origin like 'sale.line,%' then split_part(m.origin, ',', 2)::int end as sale_line,
         case when m.origin like 'purchase.line,%' then split_part(m.origin, ',', 2)::int end as purchase_line,
         m.origin like 'stock.inventory.line,%' as is_count, m.price, m.exchange_rate,
         -- Average and FIFO costs are the paid prices; a fixed cost is not. A move without a cost has the cost of the product's move before.
         round(case when m.method <> 'fixed' and m.price is not null then m.price * coalesce(m.exchange_rate, 1)
                    else m.internal_quantity::numeric * coalesce(first_value(m.cost_price) over (partition by m.product, m.costs order by m.effective_date, m.id), 0)
                    end, 4) as val
    from (select s.*, f.type as from_type, t.type as to_type, coalesce(g.cost_price_method, 'fixed') as method,
                 case when f.type = 'storage' then f.inside end as came_from, case when t.type = 'storage' then t.inside end as went_to,
                 count(s.cost_price) over (partition by s.product order by s.effective_date, s.id) as costs,
                 case when f.type in ('supplier', 'production') or t.type = 'supplier'
                      then s.unit_price * s.quantity::numeric end as price,
                 case when s.currency <> c.currency then round(coalesce(own.rate, 1) / its.rate, 12) end as exchange_rate
            from company c
            join stock_move s on s.company = c.id and s.state = 'done'
            join place f on f.id = s.from_location
            join place t on t.id = s.to_location
            join product p on p.id = s.product
            left join product_cost_price_method g on g.template = p.template and g.company = c.id
            left join rate its on its.currency = s.currency and s.effective_date >= its.since and s.effective_date < its.until
            left join rate own on own.currency = c.currency and s.effective_date >= own.since and s.effective_date < own.until) m
   where m.came_from is distinct from m.went_to and round(m.internal_quantity::numeric, 4) > 0),
-- Lots that productions brought in, and the one lot of each production that has only one.
made as (
  select product, lot, min(day) as day, min(went_to) as inside, sum(qty) as qty
    from move where production_output is not null and went_to is not null and lot is not null group by product, lot),
made_by as (
  select p.id as production, p.product, case when count(distinct coalesce(m.lot, 0)) = 1 then min(m.lot) end as lot
    from production p
    left join move m on m.production_output = p.id and m.product = p.product
   group by p.id, p.product),
line_tax as not materialized (
  select kind, document, line_no, sum(amount) as tax_amt from tax group by kind, document, line_no),
-- Receipts of purchases, in their currency. A shipment for several purchases becomes one goods receipt per purchase.
received as (
  select *, coalesce(shipment_no, 'MOVE-' || id) || case when nth > 1 then '/' || nth else '' end as grn_no
    from (select m.id, m.product, m.qty, coalesce(m.price, 0) as price, m.exchange_rate, m.day, m.went_to, l.number as po_no, l.line_no as po_line_no,
                 coalesce(x.tax_amt * m.qty / nullif(l.stock_qty, 0), 0) as tax_amt, btrim(s.number) as shipment_no, s.reference,
                 dense_rank() over (partition by coalesce(m.shipment, m.id::text) order by l.document) as nth
            from move m
            join purchase_item l on l.id = m.purchase_line and l.product = m.product
            left join line_tax x on x.kind = 'purchase' and x.document = l.document and x.line_no = l.line_no
            left join stock_shipment_in s on m.shipment = 'stock.shipment.in,' || s.id
            left join made b on b.product = m.product and b.lot = m.lot
           where m.from_type = 'supplier' and m.went_to is not null and b.lot is null) r),
-- Goods of sales that came back. A return over several days has a further number for each further day.
returned as (
  select r.*, return_sale || case when nth > 1 then '/' || nth else '' end as return_no
    from (select l.order_no, l.order_line_no, l.number as return_sale, m.day, m.qty, m.id,
                 -- The amount is 0 if the order itself has the line that takes goods back.
                 case when l.is_return then -l.taxable_amt * m.qty / -l.stock_qty else 0 end as taxable_amt,
                 case when l.is_return then coalesce(-x.tax_amt * m.qty / -l.stock_qty, 0) else 0 end as tax_amt,
                 dense_rank() over (partition by l.document order by m.day) as nth
            from move m
            join sold l on l.id = m.sale_line and l.product = m.product
            left join line_tax x on x.kind = 'sale' and x.document = l.document and x.line_no = l.line_no
           where m.from_type = 'customer' and m.went_to is not null) r),
address as (
  select a.id, a.party, split_part(t.street, E'\n', 1) as street, replace(substr(t.street, strpos(t.street || E'\n', E'\n') + 1), E'\n', ', ') as street2,
         a.city, s.name as state, c.name as country, a.postal_code,
         row_number() over (partition by a.party order by a.sequence nulls first, a.id) as nth
    from party_address a
   cross join lateral to_jsonb(a) j
   cross join lateral (
     select coalesce(j ->> 'street', j ->> 'street_unstructured', concat_ws(' ', j ->> 'street_name', j ->> 'building_number')) as street) t
    left join country_subdivision s on s.id = a.subdivision
    left join country_country c on c.id = a.country
   where a.active),
contact as (
  select party, min(value) filter (where type in ('phone', 'mobile') and p = 1) as phone, min(value) filter (where type = 'email' and p = 1) as email
    from (select party, type, value, row_number() over (partition by party, type = 'email' order by sequence nulls first, id) as p
            from party_contact_mechanism where active and type in ('phone', 'mobile', 'email')) x
   group by party),
identifier as (
  select distinct on (party) party, code from party_identifier where type like '%vat' or type like '%gstin' order by party, sequence nulls first, id)
