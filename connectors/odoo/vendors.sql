-- Those of purchases and of products' price lists.
select p.code, p.name, p.street as address1, p.street2 as address2, p.city, p.state, p.country, p.zip as pincode, p.vat as gstn, p.phone, p.email
  from party p
 where p.id in (select r.commercial_partner_id from res_partner r
                 where r.id in (select partner_id from purchase_order union all select partner_id from product_supplierinfo))
 order by 1
