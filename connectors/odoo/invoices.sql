-- Posted and cancelled invoices and credit notes to customers.
, ordered as (
  select l.document, case when count(distinct s.number) = 1 then min(s.number) end as order_no
    from invoice_item l
    join sale_order_line_invoice_rel r on r.invoice_line_id = l.id
    join sale_item s on s.id = r.order_line_id
   group by l.document),
rounded as (
  select move_id, -round(sum(amount_currency), 2) as amount from account_move_line where display_type = 'rounding' and tax_repartition_line_id is null group by move_id),
-- Odoo does not link a credit note to the return of the goods. They belong together if their order lines and quantities are the same,
-- the nth credit note to the nth return.
note as (
  select document, what, row_number() over (partition by what order by document) as nth
    from (select l.document, string_agg(concat_ws(' ', s.number, s.line_no, trim_scale(-l.qty)), ', ' order by s.number, s.line_no) as what
            from (select l.document, r.order_line_id, sum(l.stock_qty) as qty
                    from invoice_item l join sale_order_line_invoice_rel r on r.invoice_line_id = l.id
                    join account_move i on i.id = l.document and i.move_type = 'out_refund' and i.state = 'posted'
                   group by l.document, r.order_line_id) l
            join sale_item s on s.id = l.order_line_id
           group by l.document) n),
credited as (
  select return_no, what, row_number() over (partition by what order by day, return_no) as nth
    from (select return_no, min(day) as day, string_agg(concat_ws(' ', order_no, order_line_no, trim_scale(qty)), ', ' order by order_no, order_line_no) as what
            from (select return_no, order_no, order_line_no, min(day) as day, sum(qty) as qty
                    from returned group by return_no, order_no, order_line_no having sum(taxable_amt) > 0) r
           group by return_no) n)
select d.number as invoice_no, s.order_no, k.code as customer_code, x.kind, case when x.kind = 'CREDIT NOTE' then o.number end as credit_for,
       g.return_no,
       d.day as invoice_at, greatest(coalesce(i.invoice_date_due, d.day), d.day) as due_date, i.ref as reference,
       d.taxable_amt - coalesce(r.amount, 0) as sub_total, d.tax_amt as total_tax, d.total_amt - coalesce(r.amount, 0) as total_amt,
       coalesce(r.amount, 0) as round_amt, d.total_amt as final_amt,
       d.currency_code as currency, d.exchange_rate, case when d.state = 'cancel' then 'Cancelled' else 'Submitted' end as status
  from document d
  join account_move i on i.id = d.id
  join party k on k.id = d.party
  left join ordered s on s.document = d.id
  left join rounded r on r.move_id = d.id
  left join note n on n.document = d.id
  left join credited g on g.what = n.what and g.nth = n.nth
  left join document o on o.kind = 'invoice' and o.id = i.reversed_entry_id
 cross join lateral (select case when i.move_type = 'out_refund' then 'CREDIT NOTE' else 'INVOICE' end as kind) x
 where d.kind = 'invoice'
 order by 1
