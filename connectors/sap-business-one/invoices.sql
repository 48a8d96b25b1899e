-- Invoices and credit notes; those that were cancelled are in, the documents that cancel them are not.
, ordered as (
  select i.document, min(s.number) as order_no from invoiced i join sale s on s.id = i.sale group by i.document having count(distinct s.number) = 1),
base as (
  select l.document, min(i.number) as number from credit_line l join invoice i on l.base_type = 13 and i.id = l.base group by l.document having count(distinct i.number) = 1),
-- The return that a credit note is for, or is itself.
credited as (
  select x.document, min(x.return_no) as return_no
    from (select l.document, r.return_no from credit_line l join returned r on l.base_type = 16 and r.type = 16 and r.document = l.base
          union
          select r.document, r.return_no from returned r where r.type = 14) x
   group by x.document having count(distinct x.return_no) = 1)
select d.number as invoice_no, o.order_no, ltrim(rtrim(d.party)) as customer_code, 'INVOICE' as kind, cast(null as varchar(50)) as credit_for, cast(null as varchar(50)) as return_no, d.day as invoice_at,
       case when d.due < d.day then d.day else d.due end as due_date, d.reference,
       round(d.shipping_amt, 2) as shipping, round(d.total_amt, 2) - round(d.taxable_amt, 2) - round(d.tax_amt, 2) - round(d.shipping_amt, 2) as adjustment,
       round(d.taxable_amt, 2) as sub_total, round(d.tax_amt, 2) as total_tax, round(d.total_amt, 2) as total_amt, round(d.total_amt, 2) as final_amt,
       d.currency, round(d.exchange_rate, 12) as exchange_rate, case when d.canceled = 'Y' then 'Cancelled' else 'Submitted' end as status
  from invoice d
  left join ordered o on o.document = d.id
union all
select concat('CN-', d.number), cast(null as varchar(50)), ltrim(rtrim(d.party)), 'CREDIT NOTE', b.number, r.return_no, d.day, case when d.due < d.day then d.day else d.due end, d.reference,
       -round(d.shipping_amt, 2), -(round(d.total_amt, 2) - round(d.taxable_amt, 2) - round(d.tax_amt, 2) - round(d.shipping_amt, 2)),
       -round(d.taxable_amt, 2), -round(d.tax_amt, 2), -round(d.total_amt, 2), -round(d.total_amt, 2), d.currency, round(d.exchange_rate, 12),
       case when d.canceled = 'Y' then 'Cancelled' else 'Submitted' end
  from credit d
  left join base b on b.document = d.id
  left join credited r on r.document = d.id
 order by 1
