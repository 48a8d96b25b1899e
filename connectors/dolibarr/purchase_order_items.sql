-- At the price after discount.
select number as po_no, line_no, sku,
       left(coalesce(nullif(trim(regexp_replace(description, '<[^>]*>', '')), ''), '-'), 10000) as description, cast(qty as decimal(20, 4)) as qty,
       round(price * (1 - coalesce(remise_percent, 0) / 100), 6) as rate, least(greatest(coalesce(tva_tx, 0), 0), 100) as tax_rate,
       round(net, 2) as taxable_amt, round(vat + local1 + local2, 2) as tax_amt
  from purchase_line
 order by 1, 2
