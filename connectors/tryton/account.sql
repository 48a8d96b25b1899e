select c.name, coalesce(:time_zone, c.timezone) as time_zone, k.code as currency, a.street as address1, a.city, a.state, a.country,
       a.postal_code as pincode, i.code as gstn, m.phone, m.email
  from company c
  join currency_currency k on k.id = c.currency
  left join address a on a.party = c.party and a.nth = 1
  left join contact m on m.party = c.party
  left join identifier i on i.party = c.party
