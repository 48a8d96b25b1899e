select ltrim(rtrim(v.CardCode)) as code, coalesce(nullif(ltrim(rtrim(v.CardName)), ''), v.CardCode) as name,
       case when t.ExtraMonth * 30 + t.ExtraDays > 0 then t.ExtraMonth * 30 + t.ExtraDays else 0 end as credit_days,
       v.Address as address1, v.City as city, v.State1 as state, v.Country as country, v.ZipCode as pincode, v.LicTradNum as gstn, v.Phone1 as phone, v.E_Mail as email
  from OCRD v
  left join OCTG t on t.GroupNum = v.GroupNum
 where v.CardType = 'S'
 order by 1
