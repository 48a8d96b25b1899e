-- Posted, paid and cancelled invoices to customers. An invoice below zero is a credit note.
, invoiced as (
  select l.document, case when count(distinct s.order_no) = 1 then min(s.order_no) end as order_no,
         min(s.number) filter (where s.is_return) as return_sale, min(o.number) as credit_for
    from invoice_item l
    left join sold s on l.origin = 'sale.line,' || s.id
    left join invoice_item o on l.origin = 'account.invoice.line,' || o.id
   group by l.document),
due as (
  select i.id, max(m.maturity_date) as day from account_invoice i join account_move_line m on m.move = i.move group by i.id),
credited as (select return_sale, min(return_no) as return_no from returned group by return_sale)
select d.number as invoice_no, s.order_no, k.code as customer_code, x.kind,
       case when x.kind = 'CREDIT NOTE' then s.credit_for end as credit_for,
       case when x.kind = 'CREDIT NOTE' then r.return_no end as return_no,
       d.day as invoice_at, greatest(coalesce(u.day, d.day), d.day) as due_date, i.reference,
       t.taxable_amt as sub_total, t.tax_amt as total_tax, t.total_amt, t.total_amt as final_amt,
       d.currency_code as currency, d.exchange_rate, case when d.state = 'cancelled' then 'Cancelled' else 'Submitted' end as status
  from document d
  join account_invoice i on i.id = d.id
  join party k on k.id = d.party
  join total t on t.kind = 'invoice' and t.document = d.id
  left join invoiced s on s.document = d.id
  left join due u on u.id = d.id
  left join credited r on r.return_sale = s.return_sale
 cross join lateral (select case when t.total_amt < 0 then 'CREDIT NOTE' else 'INVOICE' end as kind) x
 where d.kind = 'invoice'
 order by 1
