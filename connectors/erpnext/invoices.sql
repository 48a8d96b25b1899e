-- An invoice over several orders, or without one, names none.
with ordered as (
       select l.parent, min(o.parent) as order_no
         from `tabSales Invoice Item` l join `tabSales Order Item` o on o.name = l.so_detail
        group by l.parent
       having count(distinct o.parent) = 1),
     -- A credit note that was made from a return of goods.
     credited as (
       select l.parent, min(n.name) as return_no
         from `tabSales Invoice Item` l join `tabDelivery Note` n on n.name = l.delivery_note and n.is_return = 1 and n.docstatus = 1
        group by l.parent
       having count(distinct n.name) = 1)
select i.name as invoice_no, o.order_no, i.customer as customer_code,
       if(i.is_return = 1, 'CREDIT NOTE', 'INVOICE') as kind,
       if(i.is_return = 1, nullif(i.return_against, ''), null) as credit_for, if(i.is_return = 1, r.return_no, null) as return_no,
       timestamp(i.posting_date, coalesce(i.posting_time, '00:00:00')) as invoice_at,
       coalesce(i.due_date, i.posting_date) as due_date, i.tax_id as customer_gstn, i.po_no as reference,
       round(i.net_total, 2) as sub_total,
       round(i.grand_total, 2) - round(i.net_total, 2) as total_tax,
       round(i.grand_total, 2) as total_amt,
       round(i.rounding_adjustment, 2) as round_amt,
       round(i.grand_total, 2) + round(i.rounding_adjustment, 2) as final_amt,
       if(i.docstatus = 2, 'Cancelled', 'Submitted') as status,
       if(i.currency <> k.default_currency, i.currency, null) as currency,
       if(i.currency <> k.default_currency, i.conversion_rate, null) as exchange_rate
  from `tabSales Invoice` i join tabCompany k on k.name = i.company left join ordered o on o.parent = i.name left join credited r on r.parent = i.name
 where i.docstatus in (1, 2) and i.company = coalesce(:company, (select name from tabCompany order by creation limit 1))
 order by i.name
