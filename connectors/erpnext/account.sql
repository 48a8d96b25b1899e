-- The company that is pulled. Amounts are in its currency.
select c.name, :time_zone as time_zone, c.country, c.phone_no as phone, c.email, c.tax_id as gstn
  from tabCompany c
 where c.name = coalesce(:company, (select name from tabCompany order by creation limit 1))
