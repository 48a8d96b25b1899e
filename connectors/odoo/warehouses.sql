-- A location outside of any warehouse counts as one only if something was ever moved there.
select 'L' || l.id as key, x.name || case when count(*) over (partition by x.name) > 1 then ' (' || l.id || ')' else '' end as location,
       a.street as address, a.street2 as address2, a.city, a.state, a.country, a.zip as pincode, a.vat as gstn, a.phone, a.email, g.gln
  from stock_location l
  left join stock_warehouse w on w.view_location_id = l.id
  left join party a on a.id = w.partner_id
  left join gln g on g.partner = w.partner_id
 cross join lateral (select coalesce(nullif(btrim(w.name), ''), l.complete_name, l.name) as name) x
 where l.id in (select inside from place)
   and (w.id is not null or l.id in (select came_from from move union all select went_to from move))
 order by 1
