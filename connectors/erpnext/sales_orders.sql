-- Submitted and cancelled orders; drafts are no orders yet. Amounts are in the order's currency. Each line has its warehouse.
select o.name as order_no, o.order_type, o.transaction_date as order_date, o.customer as customer_code,
       o.po_no, o.po_date, o.owner as created_by, o.delivery_date as exp_dispatch_date,
       case when o.docstatus = 2 then 'CANCELLED' when o.status = 'Closed' then 'CLOSED' else 'OPEN' end as state,
       round(o.net_total, 2) as taxable_amt,
       round(o.grand_total, 2) - round(o.net_total, 2) as tax_amt,
       round(o.grand_total, 2) as total_amt,
       if(o.currency <> k.default_currency, o.currency, null) as currency,
       if(o.currency <> k.default_currency, o.conversion_rate, null) as exchange_rate
  from `tabSales Order` o join tabCompany k on k.name = o.company
 where o.docstatus in (1, 2) and o.company = coalesce(:company, (select name from tabCompany order by creation limit 1))
 order by o.name
