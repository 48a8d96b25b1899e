-- Customers; leads without documents are left out.
select ltrim(rtrim(k.CardCode)) as code, coalesce(nullif(ltrim(rtrim(k.CardName)), ''), k.CardCode) as name, k.CntctPrsn as contact_person,
       k.CardName as billing_buyer, k.Address as billing_address1, k.City as billing_city, k.State1 as billing_state, k.Country as billing_country,
       k.ZipCode as billing_pincode, k.LicTradNum as billing_gstn, k.Phone1 as billing_phone, k.E_Mail as billing_email,
       k.CardName as shipping_buyer, k.MailAddres as shipping_address1, k.MailCity as shipping_city, k.MailCountr as shipping_country, k.MailZipCod as shipping_pincode
  from OCRD k
 where k.CardType = 'C' or k.CardCode in (select party from sale) or k.CardCode in (select party from invoice)
 order by 1
