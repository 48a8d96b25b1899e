-- Posted and cancelled invoices and credit notes to customers.
, ordered as (
  select l.document, case when count(distinct s.number) = 1 then min(s.number) end as order_no
    from invoice_item l
    join sale_order_line_invoice_rel r on r.invoice_line_id = l.id
    join sale_item s on s.id = r.order_line_id
   group by l.document),
rounded as (
  select move_id, -round(sum(amount_currency), 2) as amount from account_move_line where display_type = 'rounding' and tax_repartition_line_id is null group by move_id)
select d.number as invoice_no, s.order_no, k.code as customer_code, x.kind, case when x.kind = 'CREDIT NOTE' then o.number end as credit_for,
       d.day as invoice_at, greatest(coalesce(i.invoice_date_due, d.day), d.day) as due_date, i.ref as reference,
       d.taxable_amt - coalesce(r.amount, 0) as sub_total, d.tax_amt as total_tax, d.total_amt - coalesce(r.amount, 0) as total_amt,
       coalesce(r.amount, 0) as round_amt, d.total_amt as final_amt,
       d.currency_code as currency, d.exchange_rate, case when d.state = 'cancel' then 'Cancelled' else 'Submitted' end as status
  from document d
  join account_move i on i.id = d.id
  join party k on k.id = d.party
  left join ordered s on s.document = d.id
  left join rounded r on r.move_id = d.id
  left join document o on o.kind = 'invoice' and o.id = i.reversed_entry_id
 cross join lateral (select case when i.move_type = 'out_refund' then 'CREDIT NOTE' else 'INVOICE' end as kind) x
 where d.kind = 'invoice'
 order by 1
