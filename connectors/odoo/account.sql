select c.name, c.zone as time_zone, k.name as currency, p.street as address1, p.street2 as address2, p.city, p.state, p.country, p.zip as pincode,
       p.vat as gstn, p.phone, p.email
  from company c
  join res_currency k on k.id = c.currency_id
  join party p on p.id = c.partner_id
