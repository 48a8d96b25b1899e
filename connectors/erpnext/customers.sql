select name as code, customer_name as name, mobile_no as billing_phone, email_id as billing_email, tax_id as billing_gstn
  from tabCustomer order by name
