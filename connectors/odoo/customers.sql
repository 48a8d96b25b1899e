-- The customers of sales and invoices.
select p.code, p.name, p.name as billing_buyer, p.street as billing_address1, p.street2 as billing_address2, p.city as billing_city,
       p.state as billing_state, p.country as billing_country, p.zip as billing_pincode, p.vat as billing_gstn, p.phone as billing_phone, p.email as billing_email
  from party p
 where p.id in (select r.commercial_partner_id
                  from company c
                  join (select partner_id, company_id from sale_order
                        union all
                        select partner_id, company_id from account_move where move_type in ('out_invoice', 'out_refund', 'out_receipt')) o on o.company_id = c.id
                  join res_partner r on r.id = o.partner_id)
 order by 1
