-- At the price after discounts, in the unit of the line if the item has it with the same factor, else in stock units.
select number as po_no, line_no, sku, description, due as delivery_date, round(qty, 4) as qty, round(coalesce(net / nullif(qty, 0), 0), 6) as rate,
       case when tax_rate between 0 and 100 then round(tax_rate, 4) else 0 end as tax_rate, net as taxable_amt, round(tax, 2) as tax_amt, unit
  from purchase_line
 order by 1, 2
