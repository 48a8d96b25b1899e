-- Parties have no flag for vendors: they are the parties of purchases and the suppliers of products.
select p.code, p.name, a.street as address1, a.street2 as address2, a.city, a.state, a.country, a.postal_code as pincode, i.code as gstn, m.phone, m.email
  from party p
  left join address a on a.party = p.id and a.nth = 1
  left join contact m on m.party = p.id
  left join identifier i on i.party = p.id
 where p.id in (select party from purchase_purchase union all select party from purchase_product_supplier)
 order by 1
