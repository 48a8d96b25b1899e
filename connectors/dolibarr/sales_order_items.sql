select number as order_no, line_no, sku,
       left(coalesce(nullif(trim(regexp_replace(description, '<[^>]*>', '')), ''), '-'), 10000) as description, cast(qty as decimal(20, 4)) as qty,
       round(price, 6) as rate, cast(least(greatest(coalesce(remise_percent, 0), 0), 100) as decimal(7, 4)) as discount_per,
       case when remise_percent <> 0 then cast(price * qty as decimal(20, 2)) - round(net, 2) else 0 end as discount_amt,
       round(price * (1 - coalesce(remise_percent, 0) / 100), 6) as effective_rate, least(greatest(coalesce(tva_tx, 0), 0), 100) as tax_rate,
       round(net, 2) as taxable_amt, round(vat + local1 + local2, 2) as tax_amt
  from sale_line
 order by 1, 2
