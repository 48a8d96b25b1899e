-- Customers, and everyone with a sales order or an invoice. Prospects without one are left out.
select customer_code as code, left(name, 500) as name, name as billing_buyer, address as billing_address1, town as billing_city, state as billing_state,
       country as billing_country, zip as billing_pincode, tva_intra as billing_gstn, phone as billing_phone, email as billing_email
  from party
 where client in (1, 3) or id in (select party from sale) or id in (select party from invoice)
 order by 1
