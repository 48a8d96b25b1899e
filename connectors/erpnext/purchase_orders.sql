-- Submitted and cancelled orders; drafts are no orders yet. Amounts are in the order's currency. An order into several warehouses names none.
with company as (select coalesce(:company, (select name from tabCompany order by creation limit 1)) as name),
     place as (select parent, min(warehouse) as warehouse from `tabPurchase Order Item` where warehouse <> ''
                group by parent having count(distinct warehouse) = 1)
select o.name as po_no, o.transaction_date as po_date, o.schedule_date as delivery_date,
       o.supplier as vendor_code,
       p.warehouse,
       case when o.docstatus = 2 then 'CANCELLED' when o.status = 'Closed' then 'CLOSED' else 'OPEN' end as state,
       round(o.net_total, 2) as taxable_amt,
       round(o.grand_total, 2) - round(o.net_total, 2) as tax_amt,
       round(o.grand_total, 2) as total_amt,
       if(o.currency <> k.default_currency, o.currency, null) as currency,
       if(o.currency <> k.default_currency, o.conversion_rate, null) as exchange_rate
  from `tabPurchase Order` o join company c on c.name = o.company join tabCompany k on k.name = o.company left join place p on p.parent = o.name
 where o.docstatus in (1, 2)
 order by o.name
