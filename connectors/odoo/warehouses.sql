-- A location outside of any warehouse is one only if something was ever moved there.
select 'L' || p.id as key,
       x.name || case when count(*) over (partition by x.name) > 1 then ' (' || p.id || ')' else '' end as location,
       a.street as address, a.street2 as address2, a.city, a.state, a.country, a.zip as pincode, a.vat as gstn, a.phone, a.email
  from (select coalesce(w.view_location_id, p.inside) as id, w.name, w.partner_id, p.inside
          from (select distinct inside from place where inside is not null) p
          left join stock_warehouse w on w.view_location_id = p.inside) p
  join stock_location l on l.id = p.id
 cross join lateral (select coalesce(nullif(btrim(p.name), ''), l.complete_name, l.name) as name) x
  left join party a on a.id = p.partner_id
 where p.name is not null or p.id in (select came_from from move union all select went_to from move)
 order by 1
