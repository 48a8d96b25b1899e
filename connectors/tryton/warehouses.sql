select 'L' || l.id as key,
       l.name || case when count(*) over (partition by l.name) > 1 then ' (' || coalesce(l.code || ' ', '') || l.id || ')' else '' end as location,
       a.street as address, a.city, a.state, a.country, a.postal_code as pincode
  from place p
  join stock_location l on l.id = p.id
  left join address a on a.id = l.address
 where p.inside = p.id
 order by 1
