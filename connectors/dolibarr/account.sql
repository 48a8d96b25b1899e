select max(case s.name when 'MAIN_INFO_SOCIETE_NOM' then trim(s.value) end) as name,
       coalesce(:time_zone, max(case s.name when 'MAIN_SERVER_TZ' then nullif(nullif(s.value, ''), 'auto') end)) as time_zone,
       max(case s.name when 'MAIN_INFO_SOCIETE_ADDRESS' then s.value end) as address1,
       max(case s.name when 'MAIN_INFO_SOCIETE_TOWN' then s.value end) as city,
       max(case s.name when 'MAIN_INFO_SOCIETE_COUNTRY' then substring_index(s.value, ':', -1) end) as country,
       max(case s.name when 'MAIN_INFO_SOCIETE_ZIP' then s.value end) as pincode,
       max(case s.name when 'MAIN_INFO_TVAINTRA' then s.value end) as gstn,
       max(case s.name when 'MAIN_INFO_SOCIETE_TEL' then s.value end) as phone,
       max(case s.name when 'MAIN_INFO_SOCIETE_MAIL' then s.value end) as email,
       max(case s.name when 'MAIN_MONNAIE' then trim(s.value) end) as currency
  from setting s
