select name as code, supplier_name as name, country, mobile_no as phone, email_id as email, tax_id as gstn
  from tabSupplier order by name
