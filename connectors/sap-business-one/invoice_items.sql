-- At the price after discounts. Numbers of credit notes begin with CN-, because their numbers are counted apart.
select l.number as invoice_no, l.line_no, s.order_no, s.order_line_no, l.sku, l.description, round(l.qty, 4) as qty,
       round(coalesce(l.net / nullif(l.qty, 0), 0), 6) as rate, l.net as taxable_value, l.net + round(l.tax, 2) as total_value, l.unit
  from invoice_line l
  left join sold s on s.type = 13 and s.document = l.document and s.line = l.id and s.sku = l.sku
union all
select concat('CN-', l.number), l.line_no, cast(null as varchar(50)), null, l.sku, l.description, -round(l.qty, 4), round(coalesce(l.net / nullif(l.qty, 0), 0), 6), -l.net,
       -(l.net + round(l.tax, 2)), l.unit
  from credit_line l
 order by 1, 2
