select ltrim(rtrim(code)) as "key",
       concat(coalesce(nullif(ltrim(rtrim(name)), ''), code), case when row_number() over (partition by name order by code) > 1 then concat(' (', code, ')') else '' end) as location,
       Street as address, City as city, State as state, Country as country, ZipCode as pincode
  from place
 order by 1
