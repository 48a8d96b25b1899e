select c.name, :time_zone as time_zone, a.Street as address1, a.City as city, c.country, a.ZipCode as pincode, c.gstn, c.phone, c.email, c.currency
  from company c
 cross join ADM1 a
