-- Vendors, and everyone with a purchase order.
select vendor_code as code, left(name, 500) as name, greatest(coalesce(credit_days, 0), 0) as credit_days, address as address1, town as city, state, country,
       zip as pincode, tva_intra as gstn, phone, email
  from party
 where fournisseur = 1 or id in (select party from purchase)
 order by 1
