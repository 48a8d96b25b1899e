-- Parties have no flag for customers: they are the parties of sales and of invoices to customers.
select p.code, p.name, p.name as billing_buyer, a.street as billing_address1, a.street2 as billing_address2, a.city as billing_city, a.state as billing_state,
       a.country as billing_country, a.postal_code as billing_pincode, i.code as billing_gstn, m.phone as billing_phone, m.email as billing_email
  from party p
  left join address a on a.party = p.id and a.nth = 1
  left join contact m on m.party = p.id
  left join identifier i on i.party = p.id
 where p.id in (select party from sale_sale union all select party from account_invoice where type = 'out')
 order by 1
