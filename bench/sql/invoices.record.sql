-- The lines of the invoices in `page` and their taxes, each read as one set, and the records.
lines as materialized (
  select x.invoice_no, min(x.order_no) as first_order,
         json_agg(json_build_object('product_sku', coalesce(i.sku, ''),
           'product_name', coalesce(i.name, nullif(x.description, ''), l.description, ''),
           'hsn_sac', coalesce(i.hsn, ''), 'uom', coalesce(i.unit, ''),
           'qty', round(x.qty, 4)::text, 'rate', round(x.rate, greatest(4, min_scale(x.rate)))::text,
           'taxable_value', round(x.taxable_value, 2)::text,
           'igst_rate', coalesce(round(case when x.taxes is null then x.igst_rate
             else coalesce(x.igst_rate, (jsonb_path_query_first(x.taxes, '$[*] ? (@.name == "IGST")') ->> 'rate')::numeric) end, 2)::text, '-'), 'igst_amt', coalesce(round(case when x.taxes is null then x.igst_amt
             else coalesce((jsonb_path_query_first(x.taxes, '$[*] ? (@.name == "IGST")') ->> 'amount')::numeric + coalesce(x.igst_amt, 0), x.igst_amt) end, 2)::text, '-'),
           'sgst_rate', coalesce(round(case when x.taxes is null then x.sgst_rate
             else coalesce(x.sgst_rate, (jsonb_path_query_first(x.taxes, '$[*] ? (@.name == "SGST")') ->> 'rate')::numeric) end, 2)::text, '-'), 'sgst_amt', coalesce(round(case when x.taxes is null then x.sgst_amt
             else coalesce((jsonb_path_query_first(x.taxes, '$[*] ? (@.name == "SGST")') ->> 'amount')::numeric + coalesce(x.sgst_amt, 0), x.sgst_amt) end, 2)::text, '-'),
           'cgst_rate', coalesce(round(case when x.taxes is null then x.cgst_rate
             else coalesce(x.cgst_rate, (jsonb_path_query_first(x.taxes, '$[*] ? (@.name == "CGST")') ->> 'rate')::numeric) end, 2)::text, '-'), 'cgst_amt', coalesce(round(case when x.taxes is null then x.cgst_amt
             else coalesce((jsonb_path_query_first(x.taxes, '$[*] ? (@.name == "CGST")') ->> 'amount')::numeric + coalesce(x.cgst_amt, 0), x.cgst_amt) end, 2)::text, '-'),
           'total_value', round(x.total_value, 2)::text, 'description', x.description, 'order_no', x.order_no,
           'document_uom', x.unit, 'document_qty', round((x.given ->> 'qty')::numeric, 4)::text,
           'document_rate', round((x.given ->> 'rate')::numeric, 4)::text,
           'document_taxable_value', round((x.given ->> 'taxable_value')::numeric, 2)::text,
           'document_total_value', round((x.given ->> 'total_value')::numeric, 2)::text) order by x.line_no) as items
    from page p
    join invoice_line x on x.invoice_no = p.invoice_no
    left join sales_order_line l on l.order_no = x.order_no and l.line_no = x.order_line_no
    left join item i on i.id = coalesce(x.item_id, l.item_id)
   group by 1),
taxes as materialized (
  select x.invoice_no,
         json_agg(json_build_object('line_no', x.line_no, 'name', t.name, 'rate', round(t.rate, 2)::text,
           'amount', round(t.amount, 2)::text) order by x.line_no, t.name) as taxes
    from page p
    join invoice_line x on x.invoice_no = p.invoice_no
   cross join lateral (
     select * from (values ('IGST', x.igst_rate, x.igst_amt), ('SGST', x.sgst_rate, x.sgst_amt),
                           ('CGST', x.cgst_rate, x.cgst_amt)) v(name, rate, amount) where amount is not null
     union all
     select * from jsonb_to_recordset(x.taxes) y(name text, rate numeric, amount numeric)) t
   group by 1)
select n.invoice_no, to_char(n.invoice_at, 'YYYY-MM-DD HH24:MI:SS') as invoice_date,
       to_char(n.due_date, 'YYYY-MM-DD') as due_date, coalesce(n.order_no, g.first_order, '') as order_no,
       coalesce(to_char(o.order_date, 'YYYY-MM-DD'), '') as order_date,
       n.gstn, n.reference, o.po_no, coalesce(c.name, '') as customer_name, c.contact_person, n.customer_gstn, n.place_of_supply,
       round(n.shipping, 2)::text as shipping, round(n.adjustment, 2)::text as adjustment,
       round(n.sub_total, 2)::text as sub_total, round(n.total_tax, 2)::text as total_tax,
       round(n.total_amt, 2)::text as total_amt, round(n.round_amt, 2)::text as round_amt,
       round(n.final_amt, 2) as final_amt, n.status as invoice_status,
       case n.kind when 'INVOICE' then 'Invoice' else 'Credit Note' end as invoice_type, n.credit_for,
       coalesce(g.items, '[]'::json) as items, coalesce(n.currency, a.currency) as currency,
       round(coalesce(n.exchange_rate, 1), 4)::text as exchange_rate,
       round((n.given ->> 'shipping')::numeric, 2)::text as document_shipping,
       round((n.given ->> 'adjustment')::numeric, 2)::text as document_adjustment,
       round((n.given ->> 'sub_total')::numeric, 2)::text as document_sub_total,
       round((n.given ->> 'total_tax')::numeric, 2)::text as document_total_tax,
       round((n.given ->> 'total_amt')::numeric, 2)::text as document_total_amt,
       round((n.given ->> 'round_amt')::numeric, 2)::text as document_round_amt,
       round((n.given ->> 'final_amt')::numeric, 2)::text as document_final_amt,
       coalesce(t.taxes, '[]'::json) as taxes
  from page n
 cross join account a
  left join lines g on g.invoice_no = n.invoice_no
  left join taxes t on t.invoice_no = n.invoice_no
  left join sales_order o on o.order_no = coalesce(n.order_no, g.first_order)
  left join customer c on c.code = coalesce(n.customer_code, o.customer_code)
 order by n.invoice_at, n.invoice_no
