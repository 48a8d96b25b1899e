select p.code as `key`,
       concat(trim(p.ref), case when row_number() over (partition by trim(p.ref) order by p.id) > 1 then concat(' (', p.id, ')') else '' end) as location,
       p.address, p.town as city, d.nom as state, k.label as country, p.zip as pincode, p.phone
  from place p
  left join llx_c_departements d on d.rowid = p.fk_departement
  left join llx_c_country k on k.rowid = p.fk_pays
 order by 1
