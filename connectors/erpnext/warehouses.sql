-- Groups of warehouses hold no stock. The name without the company's abbreviation is unique inside the company.
select w.name as `key`, w.warehouse_name as location, w.address_line_1 as address, w.address_line_2 as address2,
       w.city, w.state, w.pin as pincode, coalesce(w.phone_no, w.mobile_no) as phone, w.email_id as email
  from tabWarehouse w
 where w.is_group = 0
   and w.company = coalesce(:company, (select name from tabCompany order by creation limit 1))
 order by w.name
