select l.number as order_no, l.line_no, p.sku, coalesce(nullif(l.description, ''), '-') as description,
       l.qty, u.symbol as unit, l.rate, round(least(greatest(l.discount, 0), 100), 4) as discount_per,
       case when l.discount <> 0 then round(l.rate * l.qty, 2) - l.taxable_amt else 0 end as discount_amt,
       round(l.rate * (1 - l.discount / 100), 6) as effective_rate, l.taxable_amt
  from sale_item l
  left join product p on p.id = l.product
  left join unit u on u.id = l.unit_id and u.id <> p.uom_id
 order by 1, 2
