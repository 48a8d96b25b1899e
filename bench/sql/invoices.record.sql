-- The lines of the invoices in `page`, read as one set, and the records.
lines as materialized (
  select x.order_no, x.invoice_no,
         json_agg(json_build_object('product_sku', i.sku, 'product_name', i.name, 'hsn_sac', i.hsn, 'uom', i.unit,
           'qty', round(x.qty, 4)::text, 'rate', round(x.rate, 4)::text, 'taxable_value', round(x.taxable_value, 2)::text,
           'igst_rate', coalesce(round(x.igst_rate, 2)::text, '-'), 'igst_amt', coalesce(round(x.igst_amt, 2)::text, '-'),
           'sgst_rate', coalesce(round(x.sgst_rate, 2)::text, '-'), 'sgst_amt', coalesce(round(x.sgst_amt, 2)::text, '-'),
           'cgst_rate', coalesce(round(x.cgst_rate, 2)::text, '-'), 'cgst_amt', coalesce(round(x.cgst_amt, 2)::text, '-'),
           'total_value', round(x.total_value, 2)::text) order by x.line_no) as items
    from page p
    join invoice_line x on x.order_no = p.order_no and x.invoice_no = p.invoice_no
    join sales_order_line l on l.order_no = x.order_no and l.line_no = x.order_line_no
    join item i on i.id = l.item_id
   group by 1, 2)
select n.invoice_no, to_char(n.invoice_at, 'YYYY-MM-DD HH24:MI:SS') as invoice_date,
       to_char(n.due_date, 'YYYY-MM-DD') as due_date, n.order_no, to_char(o.order_date, 'YYYY-MM-DD') as order_date,
       n.gstn, n.reference, o.po_no, c.name as customer_name, c.contact_person, n.customer_gstn, n.place_of_supply,
       round(n.shipping, 2)::text as shipping, round(n.adjustment, 2)::text as adjustment,
       round(n.sub_total, 2)::text as sub_total, round(n.total_tax, 2)::text as total_tax,
       round(n.total_amt, 2)::text as total_amt, round(n.round_amt, 2)::text as round_amt,
       round(n.final_amt, 2) as final_amt, n.status as invoice_status, coalesce(t.items, '[]'::json) as items
  from page n
  join sales_order o on o.order_no = n.order_no
  join customer c on c.code = o.customer_code
  left join lines t on t.order_no = n.order_no and t.invoice_no = n.invoice_no
 order by n.invoice_at, n.invoice_no, n.order_no
