-- The vendors of purchases and of products' price lists.
select p.code, p.name, p.street as address1, p.street2 as address2, p.city, p.state, p.country, p.zip as pincode, p.vat as gstn, p.phone, p.email, g.gln
  from party p
  left join gln g on g.partner = p.id
 where p.id in (select r.commercial_partner_id
                  from company c
                  join (select partner_id, company_id from purchase_order
                        union all select partner_id, company_id from product_supplierinfo) o on coalesce(o.company_id, c.id) = c.id
                  join res_partner r on r.id = o.partner_id)
 order by 1
