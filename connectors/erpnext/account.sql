-- The company that is pulled.
select c.name, :time_zone as time_zone, c.country, c.phone_no as phone, c.email, c.tax_id as gstn, c.default_currency as currency
  from tabCompany c
 where c.name = coalesce(:company, (select name from tabCompany order by creation limit 1))
