-- At the price after discount.
select number as invoice_no, line_no, order_no, order_line_no, sku,
       left(coalesce(nullif(trim(regexp_replace(description, '<[^>]*>', '')), ''), '-'), 10000) as description, cast(qty as decimal(20, 4)) as qty,
       round(coalesce(net / nullif(qty, 0), 0), 6) as rate, round(net, 2) as taxable_value
  from invoice_line
 order by 1, 2
