select number as invoice_no, line_no, name, percent as rate, amount
  from tax
 where kind = 'invoice'
 order by 1, 2, 3
